//! Which nodes and links are in which cell, and which cells in which process. The result changes
//! how fast a network is simulated, and nothing that happens in it.
//!
//! Frames take time from cell to cell: the least propagation of the links between them is how far
//! one may be ahead of another. Not here: how cells are run (`netloom-simulate`).

use std::collections::BTreeMap;
use std::ops::Range;

use netloom_fabric::LinkEnd;
use netloom_link::{PipeConfig, least_propagation};
use netloom_units::Duration;

use crate::build::Islands;
use crate::graph::Graph;
use crate::network::Network;

/// Into how many cells a network is divided at most, and which of them are here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// Cells, of all processes together.
    pub cells: u32,
    /// Processes that have them.
    pub processes: u32,
    /// The place of this process among them.
    pub process: u32,
}

impl Division {
    /// All of the network is here.
    pub const fn here(cells: u32) -> Self {
        Self { cells, processes: 1, process: 0 }
    }
}

/// A network divided.
#[derive(Debug)]
pub(crate) struct Partition {
    /// The cell of each node.
    pub nodes: Vec<u32>,
    /// The cells of each process, in a row.
    pub regions: Vec<Range<u32>>,
}

impl Partition {
    /// `network` in as many cells and processes as `wanted` at most: fewer, where more would be
    /// joined by links without delay. `lookaheads` are those of its links.
    pub fn new(
        network: &Network,
        islands: &Islands,
        lookaheads: &[Duration],
        Division { cells, processes, .. }: Division,
    ) -> Self {
        if cells.max(processes) <= 1 {
            let regions = std::iter::once(0..1).collect();
            return Self { nodes: vec![0; network.nodes.len()], regions };
        }
        let links = Links::new(network, islands, lookaheads);
        let weights: Vec<u64> =
            network.nodes.iter().map(|node| 1 + node.interfaces.len() as u64).collect();
        // Processes first: the longest links are to be between them.
        let (process_of, processes) = divided(&links, &weights, processes, AMONG_PROCESSES);
        let mut divided_network = Self { nodes: vec![0; weights.len()], regions: Vec::new() };
        let mut first = 0;
        for process in 0..processes {
            let share = (cells / processes + u32::from(process < cells % processes)).max(1);
            let nodes = (0..).zip(&process_of).filter(|(_, of)| **of == process);
            let nodes: Vec<usize> = nodes.map(|(node, _)| node).collect();
            let here: Vec<u64> = nodes.iter().map(|node| weights[*node]).collect();
            let (cell_of, cells) = divided(&links.among(&nodes), &here, share, AMONG_CELLS);
            for (node, cell) in nodes.iter().zip(cell_of) {
                divided_network.nodes[*node] = first + cell;
            }
            divided_network.regions.push(first..first + cells);
            first += cells;
        }
        divided_network
    }

    /// How many cells there are.
    pub fn cells(&self) -> u32 {
        self.regions.last().map_or(0, |last| last.end)
    }
}

/// What parts are to be, of which something is made.
#[derive(Clone, Copy)]
struct Demands {
    /// How many there are for each of what is made, at least.
    parts: usize,
    /// How heavy one is at most, in hundredths of what is made.
    percent: u64,
}

/// Cells are to be of one size.
const AMONG_CELLS: Demands = Demands { parts: 4, percent: 100 };
/// Processes may differ in size if they need to speak less often for it.
const AMONG_PROCESSES: Demands = Demands { parts: 1, percent: 120 };

/// Which part each node is in, of as many as `wanted` at most, and how many there are.
fn divided(links: &Links, weights: &[u64], wanted: u32, demands: Demands) -> (Vec<u32>, u32) {
    if wanted <= 1 {
        return (vec![0; weights.len()], 1);
    }
    let mut sets = parts(links, weights, wanted, demands);
    let part_of = numbered(&mut sets, weights.len());
    let graph = graph(links, weights, &part_of);
    let regions = wanted.min(graph.weights.len().max(1) as u32);
    let region_of = graph.divided(regions);
    (part_of.iter().map(|part| region_of[*part as usize]).collect(), regions)
}

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

    /// Those between some nodes, each known by its place among them.
    fn among(&self, nodes: &[usize]) -> Self {
        let mut places = vec![None; self.nodes];
        nodes.iter().enumerate().for_each(|(place, node)| places[*node] = Some(place));
        let both = |[a, b]: [usize; 2]| Some([places[a]?, places[b]?]);
        Self {
            nodes: nodes.len(),
            together: self.together.iter().filter_map(|ends| both(*ends)).collect(),
            wires: (self.wires.iter())
                .filter_map(|(least, ends)| Some((*least, both(*ends)?)))
                .collect(),
        }
    }
}

/// What must not be divided, or is not: nodes at one island, links without delay, and all links
/// shorter than a bound (Pelkey et al., Unison, 2023). Of all bounds that leave enough parts, and
/// none heavier than it is to be, the greatest is taken.
fn parts(links: &Links, weights: &[u64], wanted: u32, demands: Demands) -> Sets {
    let mut parts = Parts::new(links, weights);
    let mut sets = parts.sets.clone();
    let most = weights.iter().sum::<u64>() * demands.percent / (100 * u64::from(wanted));
    let mut below = 0;
    for group in links.wires.chunk_by(|(a, _), (b, _)| a == b) {
        group.iter().for_each(|(_, ends)| parts.join(*ends));
        let enough = parts.count >= wanted as usize * demands.parts && parts.heaviest <= most;
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
