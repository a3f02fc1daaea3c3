//! The levels of a division, down and up.

use crate::Graph;
use crate::coarsen::{Coarse, coarsen};
use crate::growth::grown;
use crate::hash::hash;
use crate::refine::refine;

/// What a division should be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Number of parts.
    pub parts: u32,
    /// By how many percent a part may be heavier than the mean. The limit is rounded up to a whole
    /// weight, and is no less than the heaviest vertex.
    pub tolerance: u32,
    /// Same seed, same graph: same division.
    pub seed: u64,
}

/// Number of vertices per part at which merging ends, and the least number.
const COARSEST: (usize, usize) = (30, 120);
/// Number of first divisions.
const GROWTHS: u32 = 16;
/// Maximum number of passes over a first division, and over each finer level.
const ROUNDS: (usize, usize) = (10, 6);

impl Wanted {
    /// Greatest weight of a part of `graph`.
    fn most(self, graph: &Graph) -> u64 {
        let percent = 100 + u128::from(self.tolerance);
        let most = (u128::from(graph.total()) * percent).div_ceil(100 * u128::from(self.parts));
        u64::try_from(most).unwrap_or(u64::MAX).max(graph.heaviest())
    }
}

impl Graph {
    /// Divides the vertices into parts of about equal weight, with edges of little weight between
    /// them. Returns the part of each vertex. No part is empty if there are as many vertices.
    pub fn divide(&self, wanted: Wanted) -> Vec<u32> {
        if wanted.parts <= 1 {
            return vec![0; self.len()];
        }
        let levels = self.levels(wanted);
        let coarsest = levels.last().map_or(self, |level| &level.graph);
        let mut part_of = first(coarsest, wanted);
        for number in (0..levels.len()).rev() {
            let finer = number.checked_sub(1).map_or(self, |finer| &levels[finer].graph);
            let within = levels[number].within.iter();
            part_of = within.map(|vertex| part_of[*vertex as usize]).collect();
            refine(finer, &mut part_of, wanted.parts, wanted.most(finer), ROUNDS.1);
        }
        part_of
    }

    /// Returns coarser and coarser graphs.
    fn levels(&self, wanted: Wanted) -> Vec<Coarse> {
        let enough = (COARSEST.0 * wanted.parts as usize).max(COARSEST.1);
        let heaviest = (self.total() / (u64::from(wanted.parts) * 8)).max(2);
        let mut levels: Vec<Coarse> = Vec::new();
        loop {
            let finest = levels.last().map_or(self, |level| &level.graph);
            let seed = hash(wanted.seed, levels.len() as u32);
            if finest.len() <= enough {
                return levels;
            }
            let Some(coarser) = coarsen(finest, heaviest, seed) else { return levels };
            levels.push(coarser);
        }
    }
}

/// Returns the best of several divisions: no part too heavy, if possible, and the least cut.
fn first(graph: &Graph, wanted: Wanted) -> Vec<u32> {
    let most = wanted.most(graph);
    let divided = |growth| {
        let mut part_of = grown(graph, wanted.parts, hash(wanted.seed, growth));
        refine(graph, &mut part_of, wanted.parts, most, ROUNDS.0);
        let mut loads = vec![0; wanted.parts as usize];
        for (part, vertex) in part_of.iter().zip(graph.vertices()) {
            loads[*part as usize] += graph.weight(vertex);
        }
        let beyond: u64 = loads.iter().map(|load: &u64| load.saturating_sub(most)).sum();
        ((beyond, graph.cut(&part_of)), part_of)
    };
    let all = (0..GROWTHS).map(divided);
    all.min_by_key(|(worth, _)| *worth).map(|(_, part_of)| part_of).unwrap_or_default()
}
