//! Nodes and their neighbours; shortest paths between them; points.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// A point on the paper.
pub type Point = [f64; 2];

/// Room around a node that no other node enters.
pub(super) const ROOM: f64 = 0.3;

/// A graph whose edges have lengths.
#[derive(Debug)]
pub(super) struct Graph {
    /// The neighbours of each node, by number, and how long the edges to them are.
    neighbours: Vec<Vec<(usize, f64)>>,
}

impl Graph {
    /// Joins `count` nodes by edges of the length 1. An edge from a node to itself, or one that is
    /// there already, changes nothing.
    pub fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        let mut neighbours = vec![Vec::new(); count];
        for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
            neighbours[a].push((b, 1.0));
            neighbours[b].push((a, 1.0));
        }
        for all in &mut neighbours {
            all.sort_unstable_by_key(|(node, _)| *node);
            all.dedup_by_key(|(node, _)| *node);
        }
        Self { neighbours }
    }

    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    pub fn neighbours(&self, node: usize) -> &[(usize, f64)] {
        &self.neighbours[node]
    }

    /// Returns the nodes of each part that is connected, in order.
    pub fn parts(&self) -> Vec<Vec<usize>> {
        let mut seen = vec![false; self.len()];
        let mut parts = Vec::new();
        for start in 0..self.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let (mut part, mut next) = (vec![start], 0);
            while let Some(&node) = part.get(next) {
                next += 1;
                for &(other, _) in &self.neighbours[node] {
                    if !std::mem::replace(&mut seen[other], true) {
                        part.push(other);
                    }
                }
            }
            part.sort_unstable();
            parts.push(part);
        }
        parts
    }

    /// Returns the graph of these nodes alone, which are numbered by their place among them.
    pub fn part(&self, nodes: &[usize]) -> Self {
        let places: HashMap<usize, usize> =
            nodes.iter().enumerate().map(|(place, node)| (*node, place)).collect();
        let inner = |node: &usize| {
            let all = self.neighbours[*node].iter();
            all.filter_map(|(other, length)| Some((*places.get(other)?, *length))).collect()
        };
        Self { neighbours: nodes.iter().map(inner).collect() }
    }

    /// Makes each edge longer by what its ends need around them, beyond that of a single node.
    pub fn with_room(mut self, radius: impl Fn(usize) -> f64) -> Self {
        let more = |node: usize| (radius(node) - ROOM).max(0.0);
        for (node, all) in self.neighbours.iter_mut().enumerate() {
            all.iter_mut().for_each(|(other, length)| *length += more(node) + more(*other));
        }
        self
    }

    /// Returns all distances.
    pub fn distances(&self) -> Vec<Vec<f64>> {
        (0..self.len()).map(|start| self.from(start)).collect()
    }

    /// Returns the distances of all nodes from one of them, to which they are connected (Dijkstra
    /// 1959).
    pub fn from(&self, start: usize) -> Vec<f64> {
        let mut distances = vec![f64::INFINITY; self.len()];
        distances[start] = 0.0;
        // Positive numbers are in the order of their bits.
        let mut queue = BinaryHeap::from([Reverse((0.0f64.to_bits(), start))]);
        while let Some(Reverse((bits, node))) = queue.pop() {
            let so_far = f64::from_bits(bits);
            if so_far > distances[node] {
                continue;
            }
            for &(next, length) in &self.neighbours[node] {
                let there = so_far + length;
                if there < distances[next] {
                    distances[next] = there;
                    queue.push(Reverse((there.to_bits(), next)));
                }
            }
        }
        distances
    }
}
