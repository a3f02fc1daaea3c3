//! The first edges of the best paths from one node to all owners of destinations.

use std::collections::HashMap;

use super::destinations::Owners;
use super::edge_set::EdgeSet;
use super::paths::Paths;

/// The first edges of paths, for the tables of both families if the paths are the same.
pub(super) struct Beginnings {
    /// Distinct sets of edges.
    sets: Vec<EdgeSet>,
    /// Index of the set for each number of owners.
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

    /// Number of sets of edges.
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// Index of the set of edges that lead to the nearest of these owners.
    pub fn number(&self, owners: usize) -> usize {
        self.by_owners[owners]
    }

    /// The set of edges with this index; empty if no path leads there.
    pub fn set(&self, number: usize) -> &EdgeSet {
        &self.sets[number]
    }
}
