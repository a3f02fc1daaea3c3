//! Shortest paths (Dijkstra 1959) from one node to all others.
//!
//! A path is measured by its metric, then by its hops, then by its first hop: the neighbour whose
//! name comes first. Every hop adds to the pair (metric, hops) even where links have no delay, so
//! the tables of nodes with the same metric never form a circle.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use netloom_scenario::{Node, NodeKind, Routing};

use super::graph::{Edge, Graph};

/// What a shortest path minimizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    Delay,
    Hops,
    Cost,
}

impl Metric {
    /// What the node's shortest paths minimize; `None` where it gets no routes.
    pub fn of(node: &Node) -> Option<Self> {
        match (node.kind, node.routing) {
            (NodeKind::Switch | NodeKind::Outside, _) | (_, Routing::None | Routing::Daemon) => {
                None
            }
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

/// A path, as good as its order: less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Path {
    /// In ns, hops or cost.
    length: u64,
    hops: u32,
    /// Index among the edges of the source.
    pub first_edge: u32,
}

impl Path {
    /// Longer than any path.
    const NONE: Self = Self { length: u64::MAX, hops: u32::MAX, first_edge: u32::MAX };
}

/// The best paths from one node, by the index of the node they lead to.
pub(crate) struct Paths(Vec<Path>);

impl Paths {
    /// The best path to `node`; `None` to the source itself and where none leads.
    pub fn to(&self, node: usize) -> Option<Path> {
        Some(self.0[node]).filter(|path| *path != Path::NONE)
    }
}

/// The graph by one metric, laid out for searching: the edges of a node lie one after the other.
pub(crate) struct Roads {
    /// By node: where its roads begin; one more at the end.
    starts: Vec<u32>,
    roads: Vec<Road>,
    forwards: Vec<bool>,
    /// Whether all roads are equally long: then no queue needs sorting.
    equal: bool,
}

struct Road {
    length: u64,
    to: u32,
    /// Index among the edges of the node.
    edge: u32,
}

impl Roads {
    /// The edges that `usable` lets through.
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

    /// The best path from `source` to every node.
    pub fn shortest_paths(&self, source: usize) -> Paths {
        let mut best = vec![Path::NONE; self.forwards.len()];
        match self.equal {
            true => self.search(source, &mut best, &mut Waves::default()),
            false => self.search(source, &mut best, &mut Heap::default()),
        }
        best[source] = Path::NONE;
        Paths(best)
    }

    fn search(&self, source: usize, best: &mut [Path], queue: &mut impl Queue) {
        // Nothing leads back to the source.
        best[source] = Path { length: 0, hops: 0, first_edge: 0 };
        for road in self.from(source) {
            let path = Path { length: road.length, hops: 1, first_edge: road.edge };
            improve(best, queue, road.to, path);
        }
        while let Some((length, hops, node)) = queue.take() {
            let path = best[node as usize];
            if (path.length, path.hops) != (length, hops) || !self.forwards[node as usize] {
                continue;
            }
            for road in self.from(node as usize) {
                let length = length.saturating_add(road.length);
                improve(best, queue, road.to, Path { length, hops: hops + 1, ..path });
            }
        }
    }

    fn from(&self, node: usize) -> &[Road] {
        &self.roads[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// Keeps the better path to a node. What leaves the queue is final: all that could improve it,
/// its first edge included, was shorter and left before.
fn improve(best: &mut [Path], queue: &mut impl Queue, node: u32, path: Path) {
    let known = &mut best[node as usize];
    if path < *known {
        if (path.length, path.hops) != (known.length, known.hops) {
            queue.put(path.length, path.hops, node);
        }
        *known = path;
    }
}

/// Nodes to go on from, by length and hops.
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

/// First in, first out: sorted by itself where all roads are equally long.
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
