//! Shortest paths (Dijkstra 1959) from one node to all others.
//!
//! A path is measured by its metric, then by its hops. Every hop increases this pair, even if links
//! have no delay. So tables of nodes with the same metric never form a circle, whichever of equally
//! short paths each of them takes: every hop leads nearer to the destination.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

use netloom_scenario::{Node, NodeKind, Routing};

use super::edge_set::{self, EdgeSet};
use super::graph::{Edge, Graph};

/// The quantity that a shortest path minimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    Delay,
    Hops,
    Cost,
}

impl Metric {
    /// Returns the metric of the node's shortest paths; `None` if it gets no routes.
    pub fn of(node: &Node) -> Option<Self> {
        match (node.kind, node.routing) {
            (NodeKind::Switch | NodeKind::Medium | NodeKind::Outside, _)
            | (_, Routing::None | Routing::Daemon) => None,
            (_, Routing::Delay) => Some(Self::Delay),
            (_, Routing::Hops) => Some(Self::Hops),
            (_, Routing::Cost) => Some(Self::Cost),
        }
    }

    fn of_edge(self, edge: &Edge) -> u64 {
        match self {
            Self::Delay => edge.delay,
            Self::Hops => 1,
            Self::Cost => edge.cost,
        }
    }
}

/// Length of a path: less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Distance {
    /// Length in ns, hops or cost.
    length: u64,
    hops: u32,
}

impl Distance {
    /// Longer than any path.
    const NONE: Self = Self { length: u64::MAX, hops: u32::MAX };
}

/// The best paths from one node, by the index of the node to which they lead.
pub(crate) struct Paths {
    /// Distance to each node; [`Distance::NONE`] for the source itself and where no path leads.
    distances: Vec<Distance>,
    /// First edges of the best paths to each node, `words` words for each.
    first_edges: Vec<u64>,
    words: usize,
}

impl Paths {
    /// Replaces `edges` by the first edges of the best paths to the nearest of `owners`. The set is
    /// empty if no path leads there.
    pub fn first_edges(&self, owners: &[usize], edges: &mut EdgeSet) {
        edges.clear();
        let nearest = owners.iter().map(|owner| self.distances[*owner]).min();
        let Some(nearest) = nearest.filter(|nearest| *nearest != Distance::NONE) else { return };
        for owner in owners.iter().filter(|owner| self.distances[**owner] == nearest) {
            edges.add(&self.first_edges[self.row(*owner)]);
        }
    }

    fn row(&self, node: usize) -> Range<usize> {
        self.words * node..self.words * (node + 1)
    }

    /// Keeps the better path to a node, or the first edges of both if they are equally good. A node
    /// that leaves the queue is final: every path that could improve it or add first edges was
    /// shorter and left before.
    fn improve(&mut self, queue: &mut impl Queue, node: usize, distance: Distance, first: First) {
        let known = self.distances[node];
        if distance > known {
            return;
        }
        let row = self.row(node);
        if distance < known {
            self.distances[node] = distance;
            self.first_edges[row.clone()].fill(0);
            queue.put(distance.length, distance.hops, index(node));
        }
        match first {
            First::Edge(edge) => self.first_edges[row.start + edge / 64] |= 1 << (edge % 64),
            First::AsTo(before) => {
                // Invariant: no edge leads from a node to itself, so the rows differ.
                let before = self.row(before);
                let (low, high) = self.first_edges.split_at_mut(row.start.max(before.start));
                let words = 0..self.words;
                match row.start < before.start {
                    true => edge_set::add(&mut low[row], &high[words]),
                    false => edge_set::add(&mut high[words], &low[before]),
                }
            }
        }
    }
}

/// The first edge of a path.
#[derive(Clone, Copy)]
enum First {
    /// This edge of the source.
    Edge(usize),
    /// The first edges of the best paths to this node.
    AsTo(usize),
}

/// The graph by one metric, laid out for searching: the edges of a node are adjacent.
pub(crate) struct Roads {
    /// Index of the first road of each node; one more entry at the end.
    starts: Vec<u32>,
    roads: Vec<Road>,
    forwards: Vec<bool>,
    /// Whether all roads are equally long. If so, the queue needs no sorting.
    equal: bool,
}

struct Road {
    length: u64,
    to: u32,
    /// Index among the edges of the node.
    edge: u32,
}

impl Roads {
    /// Creates roads from the edges for which `usable` holds.
    pub fn new(graph: &Graph, metric: Metric, usable: impl Fn(&Edge) -> bool) -> Self {
        let (mut starts, mut roads) = (vec![0], vec![]);
        for edges in &graph.edges {
            let usable = edges.iter().zip(0..).filter(|(edge, _)| usable(edge));
            roads.extend(usable.map(|(to, edge)| Road {
                length: metric.of_edge(to),
                to: index(to.to),
                edge,
            }));
            starts.push(index(roads.len()));
        }
        let equal = roads.windows(2).all(|pair: &[Road]| pair[0].length == pair[1].length);
        Self { starts, roads, forwards: graph.forwards.clone(), equal }
    }

    /// Returns the best paths from `source` to every node.
    pub fn shortest_paths(&self, source: usize) -> Paths {
        let nodes = self.forwards.len();
        let edges = self.from(source).iter().map(|road| road.edge as usize + 1).max();
        let words = edges.unwrap_or(0).div_ceil(64);
        let mut paths = Paths {
            distances: vec![Distance::NONE; nodes],
            first_edges: vec![0; nodes * words],
            words,
        };
        match self.equal {
            true => self.search(source, &mut paths, &mut Waves::default()),
            false => self.search(source, &mut paths, &mut Heap::default()),
        }
        paths.distances[source] = Distance::NONE;
        paths
    }

    fn search(&self, source: usize, paths: &mut Paths, queue: &mut impl Queue) {
        // No path leads back to the source.
        paths.distances[source] = Distance { length: 0, hops: 0 };
        for road in self.from(source) {
            let distance = Distance { length: road.length, hops: 1 };
            paths.improve(queue, road.to as usize, distance, First::Edge(road.edge as usize));
        }
        while let Some((length, hops, node)) = queue.take() {
            let node = node as usize;
            if paths.distances[node] != (Distance { length, hops }) || !self.forwards[node] {
                continue;
            }
            for road in self.from(node) {
                let length = length.saturating_add(road.length);
                let distance = Distance { length, hops: hops + 1 };
                paths.improve(queue, road.to as usize, distance, First::AsTo(node));
            }
        }
    }

    fn from(&self, node: usize) -> &[Road] {
        &self.roads[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// Nodes from which the search continues, by length and hops.
trait Queue {
    fn put(&mut self, length: u64, hops: u32, node: u32);
    fn take(&mut self) -> Option<(u64, u32, u32)>;
}

#[derive(Default)]
struct Heap(BinaryHeap<Reverse<(u64, u32, u32)>>);

impl Queue for Heap {
    fn put(&mut self, length: u64, hops: u32, node: u32) {
        self.0.push(Reverse((length, hops, node)));
    }

    fn take(&mut self) -> Option<(u64, u32, u32)> {
        self.0.pop().map(|Reverse(next)| next)
    }
}

/// First in, first out: it is sorted by itself if all roads are equally long.
#[derive(Default)]
struct Waves(VecDeque<(u64, u32, u32)>);

impl Queue for Waves {
    fn put(&mut self, length: u64, hops: u32, node: u32) {
        self.0.push_back((length, hops, node));
    }

    fn take(&mut self) -> Option<(u64, u32, u32)> {
        self.0.pop_front()
    }
}

fn index(of: usize) -> u32 {
    // Invariant: nodes and edges fit in memory far below 2^32.
    u32::try_from(of).expect("fewer than 2^32 nodes and edges")
}
