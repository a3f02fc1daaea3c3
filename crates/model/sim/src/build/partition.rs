//! Divides a network: assigns nodes and links to cells, and cells to processes. The division
//! affects how fast the network is simulated, and not the results.
//!
//! Frames take time from cell to cell: one cell may be ahead of another by the shortest propagation
//! delay of the links between them. Not here: how cells are run (`netloom-simulate`).

use std::collections::BTreeMap;
use std::ops::Range;

use netloom_fabric::LinkEnd;
use netloom_link::{PipeChange, PipeConfig, least_propagation_ever};
use netloom_partition::{Graph, Wanted};
use netloom_units::Duration;

use super::islands::{Islands, ports_of};
use super::sets::Sets;
use crate::network::Network;

/// The maximum number of cells that a network is divided into, and which of them are here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// Number of cells, of all processes together.
    pub cells: u32,
    /// Number of processes that share them.
    pub processes: u32,
    /// Number of this process among them.
    pub process: u32,
}

impl Division {
    /// Returns a division of which everything is in this process.
    pub const fn here(cells: u32) -> Self {
        Self { cells, processes: 1, process: 0 }
    }
}

/// A divided network.
#[derive(Debug)]
pub(crate) struct Partition {
    /// The cell of each node.
    pub nodes: Vec<u32>,
    /// The cells of each process, which are consecutive.
    pub regions: Vec<Range<u32>>,
}

impl Partition {
    /// Divides `network` into at most as many cells and processes as `wanted`. There are fewer
    /// where links without delay would join more. `lookaheads` are the least delays of its links.
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
        // Processes come first, so that the links between them are the longest ones.
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

    /// Number of cells.
    pub fn cells(&self) -> u32 {
        self.regions.last().map_or(0, |last| last.end)
    }
}

/// Requirements for the parts from which cells or processes are made.
#[derive(Clone, Copy)]
struct Demands {
    /// Least number of parts per cell or process.
    parts: usize,
    /// Largest weight of a part, in percent of a cell's or a process's weight.
    percent: u64,
}

/// Cells should be of equal size.
const AMONG_CELLS: Demands = Demands { parts: 4, percent: 100 };
/// Processes may differ in size if they then have to communicate less often.
const AMONG_PROCESSES: Demands = Demands { parts: 1, percent: 120 };

/// By how many percent a cell or a process may be heavier than the mean.
const TOLERANCE: u32 = 5;

/// Divides the nodes into at most `wanted` regions. Returns the region of each node, and the number
/// of regions.
fn divided(links: &Links, weights: &[u64], wanted: u32, demands: Demands) -> (Vec<u32>, u32) {
    if wanted <= 1 {
        return (vec![0; weights.len()], 1);
    }
    let mut sets = parts(links, weights, wanted, demands);
    let part_of = numbered(&mut sets, weights.len());
    let graph = graph(links, weights, &part_of);
    let regions = wanted.min(graph.len().max(1) as u32);
    let region_of = graph.divide(Wanted { parts: regions, tolerance: TOLERANCE, seed: 0 });
    (part_of.iter().map(|part| region_of[*part as usize]).collect(), regions)
}

/// The links, and the nodes that they join.
struct Links {
    nodes: usize,
    /// Pairs of nodes at the same island.
    together: Vec<[usize; 2]>,
    /// Links that may lie between cells, with their least propagation delay, sorted by it.
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

    /// Returns the links among some of the nodes. Each node is known by its place in `nodes`.
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

/// Returns the parts that are not divided: nodes are joined if they are at one island, if a link
/// without delay joins them, or if a link shorter than a bound does (Pelkey et al., Unison, 2023).
/// The bound is the greatest that leaves enough parts, none of them too heavy.
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

/// Joined parts, their number, and the weight of the heaviest.
struct Parts {
    sets: Sets,
    /// Weight of each part, by its first node.
    weights: Vec<u64>,
    count: usize,
    heaviest: u64,
}

impl Parts {
    /// Returns the parts after everything that must be joined has been.
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

/// Returns the part of each node, numbered from 0.
fn numbered(sets: &mut Sets, nodes: usize) -> Vec<u32> {
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let number = |node| {
        let next = numbers.len() as u32;
        *numbers.entry(sets.first(node)).or_insert(next)
    };
    (0..nodes).map(number).collect()
}

/// Returns the graph of parts and the links between them.
fn graph(links: &Links, weights: &[u64], part_of: &[u32]) -> Graph {
    let parts = part_of.iter().max().map_or(0, |last| *last as usize + 1);
    let mut heavy = vec![0; parts];
    for (part, weight) in part_of.iter().zip(weights) {
        heavy[*part as usize] += weight;
    }
    let edges = links.wires.iter().map(|(_, [a, b])| (part_of[*a], part_of[*b], 1));
    Graph::new(heavy, edges).expect("parts are numbered, and nodes and interfaces are few")
}

/// Returns the nodes at the ends of a link.
fn ends(network: &Network, ends: &[LinkEnd; 2]) -> Vec<usize> {
    let ports = ends.iter().flat_map(ports_of);
    ports.map(|port| network.ports[port.index()].node as usize).collect()
}

/// Returns the least time that a frame ever takes on each link, in either direction.
pub(crate) fn lookaheads(network: &Network) -> Vec<Duration> {
    let mut timeline: Vec<_> = network.timeline.iter().collect();
    timeline.sort_by_key(|change| change.at);
    let mut changes: BTreeMap<(usize, usize), Vec<&PipeChange>> = BTreeMap::new();
    for (pipe, change) in timeline.into_iter().flat_map(|change| &change.changes) {
        changes.entry((pipe.link.index(), pipe.direction.index())).or_default().push(change);
    }
    let least = |(link, pipes): (usize, &[PipeConfig; 2])| {
        let least = pipes.iter().enumerate().map(|(direction, config)| {
            let changes = changes.get(&(link, direction)).into_iter().flatten().copied();
            least_propagation_ever(config, changes)
        });
        least.min().unwrap_or_default()
    };
    network.links.iter().map(|link| &link.pipes).enumerate().map(least).collect()
}
