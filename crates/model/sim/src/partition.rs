//! Which nodes and links are in which cell. The result changes how fast a network is simulated, and
//! nothing that happens in it.
//!
//! Frames take time from cell to cell: the least propagation of the links between them is how far
//! one may be ahead of another. Not here: how cells are run (`netloom-simulate`).

use std::collections::BTreeMap;

use netloom_fabric::LinkEnd;
use netloom_link::{PipeConfig, least_propagation};
use netloom_units::Duration;

use crate::build::Islands;
use crate::graph::Graph;
use crate::network::Network;

/// A network divided.
#[derive(Debug)]
pub(crate) struct Partition {
    /// The cell of each node.
    pub nodes: Vec<u32>,
    /// How many cells there are.
    pub cells: u32,
}

impl Partition {
    /// `network` in `wanted` cells at most: fewer, where more would be joined by links without
    /// delay. `lookaheads` are those of its links.
    pub fn new(network: &Network, islands: &Islands, lookaheads: &[Duration], wanted: u32) -> Self {
        if wanted <= 1 {
            return Self { nodes: vec![0; network.nodes.len()], cells: 1 };
        }
        let links = Links::new(network, islands, lookaheads);
        let weights: Vec<u64> =
            network.nodes.iter().map(|node| 1 + node.interfaces.len() as u64).collect();
        let mut sets = parts(&links, &weights, wanted);
        let part_of = numbered(&mut sets, weights.len());
        let graph = graph(&links, &weights, &part_of);
        let cells = wanted.min(graph.weights.len().max(1) as u32);
        let cell_of = graph.divided(cells);
        Self { nodes: part_of.iter().map(|part| cell_of[*part as usize]).collect(), cells }
    }
}

/// So many parts a cell are wanted, so that cells can be made of one size.
const PARTS_A_CELL: usize = 4;

/// Which nodes links join.
struct Links {
    nodes: usize,
    /// Pairs of nodes that are at one island.
    together: Vec<[usize; 2]>,
    /// Links that can be between cells, with their least propagation, the least first.
    wires: Vec<(Duration, [usize; 2])>,
}

impl Links {
    fn new(network: &Network, islands: &Islands, lookaheads: &[Duration]) -> Self {
        let mut links =
            Self { nodes: network.nodes.len(), together: Vec::new(), wires: Vec::new() };
        let mut first_at: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, link) in network.links.iter().enumerate() {
            let ends = ends(network, &link.ends);
            match (islands.of_link(number as u32), &ends[..]) {
                (Some(island), ends) => {
                    for node in ends {
                        let first = *first_at.entry(island).or_insert(*node);
                        links.together.push([first, *node]);
                    }
                }
                (None, [a, b]) => links.wires.push((lookaheads[number], [*a, *b])),
                (None, _) => {}
            }
        }
        links.wires.sort_by_key(|(least, _)| *least);
        links
    }
}

/// What must not be divided, or is not: nodes at one island, links without delay, and all links
/// shorter than a bound (Pelkey et al., Unison, 2023). Of all bounds that leave enough parts, and
/// none heavier than a cell is to be, the greatest is taken.
fn parts(links: &Links, weights: &[u64], wanted: u32) -> Sets {
    let mut parts = Parts::new(links, weights);
    let mut sets = parts.sets.clone();
    let most = weights.iter().sum::<u64>() / u64::from(wanted);
    let mut below = 0;
    for group in links.wires.chunk_by(|(a, _), (b, _)| a == b) {
        group.iter().for_each(|(_, ends)| parts.join(*ends));
        let enough = parts.count >= wanted as usize * PARTS_A_CELL && parts.heaviest <= most;
        if group[0].0 > Duration::ZERO && !enough {
            break;
        }
        below += group.len();
    }
    links.wires[..below].iter().for_each(|(_, [a, b])| sets.join(*a, *b));
    sets
}

/// Parts that are joined, and how many and how heavy they are.
struct Parts {
    sets: Sets,
    /// By the first node of each.
    weights: Vec<u64>,
    count: usize,
    heaviest: u64,
}

impl Parts {
    /// Those that are left when everything is joined that must be.
    fn new(links: &Links, weights: &[u64]) -> Self {
        let heaviest = weights.iter().copied().max().unwrap_or(0);
        let sets = Sets::new(links.nodes);
        let mut parts = Self { sets, weights: weights.to_vec(), count: links.nodes, heaviest };
        links.together.iter().for_each(|ends| parts.join(*ends));
        parts
    }

    fn join(&mut self, [a, b]: [usize; 2]) {
        let (a, b) = (self.sets.first(a), self.sets.first(b));
        if a == b {
            return;
        }
        let weight = self.weights[a] + self.weights[b];
        self.weights[a.min(b)] = weight;
        self.heaviest = self.heaviest.max(weight);
        self.count -= 1;
        self.sets.join(a, b);
    }
}

/// The part of each node: sets with numbers from 0.
fn numbered(sets: &mut Sets, nodes: usize) -> Vec<u32> {
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let number = |node| {
        let next = numbers.len() as u32;
        *numbers.entry(sets.first(node)).or_insert(next)
    };
    (0..nodes).map(number).collect()
}

/// Parts and the links between them.
fn graph(links: &Links, weights: &[u64], part_of: &[u32]) -> Graph {
    let parts = part_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut graph = Graph { weights: vec![0; parts], near: vec![Vec::new(); parts] };
    for (part, weight) in part_of.iter().zip(weights) {
        graph.weights[*part as usize] += weight;
    }
    for (_, ends) in &links.wires {
        let [a, b] = ends.map(|node| part_of[node]);
        if a != b {
            graph.near[a as usize].push(b);
            graph.near[b as usize].push(a);
        }
    }
    graph
}

/// The nodes at the ends of a link.
fn ends(network: &Network, ends: &[LinkEnd; 2]) -> Vec<usize> {
    let ports = ends.iter().flat_map(crate::build::ports_of);
    ports.map(|port| network.ports[port.index()].node as usize).collect()
}

/// The least time that a frame ever takes on each link, in either direction.
pub(crate) fn lookaheads(network: &Network) -> Vec<Duration> {
    let least = |pipes: &[PipeConfig; 2]| pipes.iter().map(least_propagation).min();
    let mut all: Vec<_> =
        network.links.iter().map(|link| least(&link.pipes).unwrap_or_default()).collect();
    let mut changed: BTreeMap<usize, [PipeConfig; 2]> = BTreeMap::new();
    let mut changes: Vec<_> = network.timeline.iter().collect();
    changes.sort_by_key(|change| change.at);
    for (pipe, change) in changes.into_iter().flat_map(|change| &change.changes) {
        let link = pipe.link.index();
        let configs = changed.entry(link).or_insert_with(|| network.links[link].pipes.clone());
        let config = &mut configs[pipe.direction.index()];
        change.apply_to(config);
        all[link] = all[link].min(least_propagation(config));
    }
    all
}

/// Disjoint sets of numbers (Galler and Fischer 1964), each known by its lowest.
#[derive(Debug, Clone)]
pub(crate) struct Sets(Vec<usize>);

impl Sets {
    pub fn new(numbers: usize) -> Self {
        Self((0..numbers).collect())
    }

    pub fn first(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
