//! What the best paths from one node begin with, for all owners of destinations.

use std::collections::HashMap;

use super::destinations::Owners;
use super::edge_set::EdgeSet;
use super::paths::Paths;

/// Serves the tables of both families, where the paths are the same.
pub(super) struct Beginnings {
    /// Each once.
    sets: Vec<EdgeSet>,
    /// By number of owners: which of the sets.
    by_owners: Vec<usize>,
}

impl Beginnings {
    pub fn new(paths: &Paths, owners: &Owners) -> Self {
        let (mut sets, mut numbers) = (vec![], HashMap::new());
        let mut edges = EdgeSet::default();
        let mut number = |owners: &[usize]| {
            paths.first_edges(owners, &mut edges);
            if let Some(number) = numbers.get(&edges) {
                return *number;
            }
            sets.push(edges.clone());
            numbers.insert(edges.clone(), sets.len() - 1);
            sets.len() - 1
        };
        let by_owners = owners.iter().map(&mut number).collect();
        Self { sets, by_owners }
    }

    /// How many sets of edges there are.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// By which set of edges one gets to the nearest of these owners.
    pub fn number(&self, owners: usize) -> usize {
        self.by_owners[owners]
    }

    /// A set of edges; empty if no path leads there.
    pub fn set(&self, number: usize) -> &EdgeSet {
        &self.sets[number]
    }
}
