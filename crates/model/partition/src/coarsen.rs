//! A graph with pairs of vertices merged.

use std::cmp::Reverse;

use crate::Graph;
use crate::hash::hash;

/// A coarser graph.
pub(crate) struct Coarse {
    pub graph: Graph,
    /// The vertex of the coarser graph that each vertex of the finer one is part of.
    pub within: Vec<u32>,
}

/// No vertex.
const NONE: u32 = u32::MAX;

/// Merges pairs of vertices that are joined by heavy edges, those with few neighbours first, into
/// vertices of weight `most` at most. Returns nothing if hardly any can be merged.
pub(crate) fn coarsen(graph: &Graph, most: u64, seed: u64) -> Option<Coarse> {
    let mates = mates(graph, most, seed);
    let mut within = vec![NONE; graph.len()];
    let mut weights = Vec::new();
    for vertex in graph.vertices() {
        if within[vertex as usize] == NONE {
            let mate = mates[vertex as usize];
            let alone = if mate == vertex { 0 } else { graph.weight(mate) };
            within[vertex as usize] = weights.len() as u32;
            within[mate as usize] = weights.len() as u32;
            weights.push(graph.weight(vertex) + alone);
        }
    }
    if weights.len() * 20 > graph.len() * 19 {
        return None;
    }
    let mut ends = Vec::new();
    for vertex in graph.vertices() {
        let from = within[vertex as usize];
        let near = graph.near(vertex).iter().map(|(to, weight)| (within[*to as usize], *weight));
        ends.extend(near.filter(|(to, _)| *to != from).map(|(to, weight)| (from, to, weight)));
    }
    Some(Coarse { graph: Graph::joined(weights, ends), within })
}

/// Returns the vertex that each vertex is merged with: itself if none.
fn mates(graph: &Graph, most: u64, seed: u64) -> Vec<u32> {
    let mut mates = vec![NONE; graph.len()];
    let mut order: Vec<u32> = graph.vertices().collect();
    order.sort_by_cached_key(|vertex| (graph.near(*vertex).len(), hash(seed, *vertex)));
    for vertex in order {
        if mates[vertex as usize] != NONE {
            continue;
        }
        let weight = graph.weight(vertex);
        let is_free = |to: u32| mates[to as usize] == NONE && weight + graph.weight(to) <= most;
        let free = graph.near(vertex).iter().filter(|(to, _)| is_free(*to));
        let tie = hash(seed, vertex);
        let best =
            free.max_by_key(|(to, edge)| (*edge, Reverse(graph.weight(*to)), hash(tie, *to)));
        let mate = best.map_or(vertex, |(to, _)| *to);
        mates[vertex as usize] = mate;
        mates[mate as usize] = vertex;
    }
    mates
}
