//! A first division: parts grow, one after the other, from a vertex each.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::Graph;
use crate::hash::hash;

/// No part yet.
const FREE: u32 = u32::MAX;

/// Divides a graph into `parts` parts. Each has a vertex if there are enough.
pub(crate) fn grown(graph: &Graph, parts: u32, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = graph.vertices().collect();
    order.sort_by_cached_key(|vertex| hash(seed, *vertex));
    let free_near = |vertex| graph.near(vertex).iter().map(|(_, weight)| weight).sum();
    let mut growth = Growth {
        graph,
        part_of: vec![FREE; graph.len()],
        free: graph.len(),
        free_near: graph.vertices().map(free_near).collect(),
        into: vec![0; graph.len()],
        rim: BTreeSet::new(),
    };
    let mut starts = order.into_iter().peekable();
    let mut left = graph.total();
    for part in 0..parts {
        let later = (parts - part - 1) as usize;
        let wanted = if later == 0 { u64::MAX } else { left / (later as u64 + 1) };
        left -= growth.grow(part, wanted, later, &mut starts);
    }
    growth.part_of
}

struct Growth<'a> {
    graph: &'a Graph,
    part_of: Vec<u32>,
    /// Number of vertices without a part.
    free: usize,
    /// Weight of the edges of each vertex to vertices without a part.
    free_near: Vec<u64>,
    /// Weight of the edges of each free vertex to the part that grows.
    into: Vec<u64>,
    /// Free vertices beside the part that grows, sorted by what they add to the cut.
    rim: BTreeSet<(i64, u32)>,
}

impl Growth<'_> {
    /// Grows a part of about the weight `wanted`, and leaves `later` vertices at least. It adds the
    /// vertex that adds the least to the cut, or the next of `starts`. Returns the part's weight.
    fn grow(
        &mut self,
        part: u32,
        wanted: u64,
        later: usize,
        starts: &mut Peekable<IntoIter<u32>>,
    ) -> u64 {
        let (mut has, mut is_empty) = (0, true);
        while (has < wanted || is_empty) && self.free > later {
            let next = self.rim.first().map(|(_, vertex)| *vertex);
            let is_taken = |vertex: &u32| self.part_of[*vertex as usize] != FREE;
            while starts.next_if(is_taken).is_some() {}
            let Some(vertex) = next.or_else(|| starts.peek().copied()) else { break };
            let weight = self.graph.weight(vertex);
            // Without this vertex the weight is nearer to the wanted one.
            if !is_empty && weight / 2 > wanted - has {
                break;
            }
            (has, is_empty) = (has + weight, false);
            self.take(vertex, part);
        }
        for (_, vertex) in std::mem::take(&mut self.rim) {
            self.into[vertex as usize] = 0;
        }
        has
    }

    fn take(&mut self, vertex: u32, part: u32) {
        self.rim.remove(&(self.added(vertex), vertex));
        self.part_of[vertex as usize] = part;
        self.free -= 1;
        for (to, weight) in self.graph.near(vertex) {
            if self.part_of[*to as usize] == FREE {
                self.rim.remove(&(self.added(*to), *to));
                self.free_near[*to as usize] -= weight;
                self.into[*to as usize] += weight;
                self.rim.insert((self.added(*to), *to));
            } else {
                self.free_near[*to as usize] -= weight;
            }
        }
    }

    /// Weight that a vertex adds to the cut, if the part that grows takes it.
    fn added(&self, vertex: u32) -> i64 {
        self.free_near[vertex as usize] as i64 - self.into[vertex as usize] as i64
    }
}
