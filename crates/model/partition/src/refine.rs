//! Moves of single vertices that make a division better.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Graph;

/// Improves a division in up to `rounds` passes. Parts heavier than `most` become lighter if they
/// can; others become no heavier than `most`. No part loses its last vertex.
pub(crate) fn refine(graph: &Graph, part_of: &mut [u32], parts: u32, most: u64, rounds: usize) {
    let mut moves = Moves::new(graph, part_of, parts, most);
    moves.balance();
    for _ in 0..rounds {
        if !moves.pass() {
            break;
        }
    }
}

struct Moves<'a> {
    graph: &'a Graph,
    part_of: &'a mut [u32],
    /// Weight of each part.
    loads: Vec<u64>,
    /// Number of vertices of each part.
    counts: Vec<usize>,
    most: u64,
    /// Weight of the edges of one vertex to each part. Zero but while `best` looks at it.
    into: Vec<u64>,
}

/// A move of a vertex to a part: by how much it lessens the cut, the vertex, the part.
type Move = (i64, u32, u32);

impl<'a> Moves<'a> {
    fn new(graph: &'a Graph, part_of: &'a mut [u32], parts: u32, most: u64) -> Self {
        let parts = parts as usize;
        let (mut loads, mut counts) = (vec![0; parts], vec![0; parts]);
        for vertex in graph.vertices() {
            let part = part_of[vertex as usize] as usize;
            loads[part] += graph.weight(vertex);
            counts[part] += 1;
        }
        Self { graph, part_of, loads, counts, most, into: vec![0; parts] }
    }

    /// Returns the best move of a vertex to a neighbour's part that has room for it.
    fn best(&mut self, vertex: u32) -> Option<Move> {
        let (own, weight) = (self.part_of[vertex as usize], self.graph.weight(vertex));
        if self.counts[own as usize] == 1 {
            return None;
        }
        let near = self.graph.near(vertex);
        for (to, edge) in near {
            self.into[self.part_of[*to as usize] as usize] += edge;
        }
        let within = self.into[own as usize];
        let mut best: Option<(u64, Reverse<u64>, u32)> = None;
        for (to, _) in near {
            let part = self.part_of[*to as usize];
            let into = std::mem::take(&mut self.into[part as usize]);
            let load = self.loads[part as usize];
            if part != own && into > 0 && load + weight <= self.most {
                best = best.max(Some((into, Reverse(load), part)));
            }
        }
        best.map(|(into, _, part)| (into as i64 - within as i64, vertex, part))
    }

    fn go(&mut self, vertex: u32, to: u32) {
        let (from, weight) = (self.part_of[vertex as usize], self.graph.weight(vertex));
        self.loads[from as usize] -= weight;
        self.loads[to as usize] += weight;
        self.counts[from as usize] -= 1;
        self.counts[to as usize] += 1;
        self.part_of[vertex as usize] = to;
    }

    /// Does the moves that lessen the cut most, each vertex once, also those that make it worse for
    /// a while; then takes back what came after the best state. Returns whether any move is left.
    fn pass(&mut self) -> bool {
        let mut moved: Vec<(u32, u32)> = Vec::new();
        let mut is_locked = vec![false; self.graph.len()];
        let (mut gain, mut best, mut kept) = (0, 0, 0);
        let mut heap: BinaryHeap<Move> =
            self.graph.vertices().filter_map(|vertex| self.best(vertex)).collect();
        // How many moves may follow the best state.
        let patience = 60 + self.graph.len() / 50;
        while let Some(next) = heap.pop() {
            let (_, vertex, to) = next;
            if is_locked[vertex as usize] {
                continue;
            }
            match self.best(vertex) {
                Some(now) if now == next => {}
                now => {
                    heap.extend(now);
                    continue;
                }
            }
            moved.push((vertex, self.part_of[vertex as usize]));
            self.go(vertex, to);
            is_locked[vertex as usize] = true;
            gain += next.0;
            if gain > best {
                (best, kept) = (gain, moved.len());
            } else if moved.len() > kept + patience {
                break;
            }
            for (near, _) in self.graph.near(vertex) {
                if !is_locked[*near as usize] {
                    heap.extend(self.best(*near));
                }
            }
        }
        for (vertex, from) in moved.drain(kept..).rev() {
            self.go(vertex, from);
        }
        kept > 0
    }

    /// Moves vertices out of parts that are too heavy, those first that add the least to the cut.
    fn balance(&mut self) {
        while let Some((from, load)) = self.heaviest().filter(|(_, load)| *load > self.most) {
            let lightest = self.lightest();
            let Some((_, vertex, to)) = self.relief(from, load, lightest) else { break };
            self.go(vertex, to);
        }
    }

    fn heaviest(&self) -> Option<(u32, u64)> {
        (0..).zip(self.loads.iter().copied()).max_by_key(|(part, load)| (*load, Reverse(*part)))
    }

    fn lightest(&self) -> u32 {
        let lightest = (0..).zip(&self.loads).min_by_key(|(part, load)| (**load, *part));
        lightest.map_or(0, |(part, _)| part)
    }

    /// Returns the move out of a part that adds the least to the cut: to a neighbour's part with
    /// room, or to the lightest part. The latter must stay lighter than this part was.
    fn relief(&mut self, from: u32, load: u64, lightest: u32) -> Option<Move> {
        if self.counts[from as usize] == 1 {
            return None;
        }
        let mut best = None;
        for vertex in self.graph.vertices() {
            let weight = self.graph.weight(vertex);
            if self.part_of[vertex as usize] != from || weight == 0 {
                continue;
            }
            if self.loads[lightest as usize] + weight < load {
                let gain = self.edges(vertex, lightest) - self.edges(vertex, from);
                best = best.max(Some((gain, vertex, lightest)));
            }
            best = best.max(self.best(vertex));
        }
        best
    }

    /// Weight of the edges of a vertex to a part.
    fn edges(&self, vertex: u32, part: u32) -> i64 {
        let near = self.graph.near(vertex).iter();
        near.filter(|(to, _)| self.part_of[*to as usize] == part)
            .map(|(_, edge)| *edge as i64)
            .sum()
    }
}
