//! Shortest paths (Dijkstra 1959) from one node to all others.
//!
//! A path is measured by its metric, then by its hops, then by its first hop: the neighbour whose
//! name comes first. Every hop adds to the pair (metric, hops) even where links have no delay, so
//! the tables of nodes with the same metric never form a circle.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cidr::Family;

use super::graph::{Edge, Graph};

/// What a shortest path minimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Metric {
    Delay,
    Hops,
    Cost,
}

/// A path, as good as its order: less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    /// In ns, hops or cost.
    length: u64,
    hops: u32,
    /// Index among the edges of the source.
    pub first_edge: usize,
}

impl Metric {
    fn of_edge(self, edge: &Edge) -> u64 {
        match self {
            Self::Delay => edge.delay,
            Self::Hops => 1,
            Self::Cost => edge.cost,
        }
    }
}

impl Graph {
    /// The best path from `source` to every node, by node index.
    pub fn shortest_paths(
        &self,
        source: usize,
        metric: Metric,
        family: Family,
    ) -> Vec<Option<Path>> {
        let mut best: Vec<Option<Path>> = vec![None; self.edges.len()];
        let mut queue = BinaryHeap::new();
        for (first_edge, edge) in self.edges[source].iter().enumerate() {
            if edge.carries(family) {
                let path = Path { length: metric.of_edge(edge), hops: 1, first_edge };
                queue.push(Reverse((path, edge.to)));
            }
        }
        while let Some(Reverse((path, node))) = queue.pop() {
            if node == source || best[node].is_some() {
                continue;
            }
            best[node] = Some(path);
            if !self.forwards[node] {
                continue;
            }
            for edge in self.edges[node].iter().filter(|edge| edge.carries(family)) {
                let length = path.length.saturating_add(metric.of_edge(edge));
                let path = Path { length, hops: path.hops + 1, ..path };
                queue.push(Reverse((path, edge.to)));
            }
        }
        best
    }
}
