//! Which nodes and links are in which cell. The result changes how fast a network is simulated, and
//! nothing that happens in it.
//!
//! Frames take time from cell to cell: the least propagation of the links between them is how far
//! one may be ahead of another. Not here: how cells are run (`netloom-simulate`).

use std::collections::BTreeMap;

use netloom_fabric::LinkEnd;
use netloom_link::least_propagation;
use netloom_units::Duration;

use crate::build::Islands;
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
    /// delay.
    pub fn new(network: &Network, islands: &Islands, wanted: u32) -> Self {
        let nodes = network.nodes.len();
        let mut sets = Sets::new(nodes);
        // Who is at one island stays together.
        let mut first_at: BTreeMap<usize, usize> = BTreeMap::new();
        let mut wires = Vec::new();
        for (number, link) in network.links.iter().enumerate() {
            let ends = ends(network, &link.ends);
            match islands.of_link(number as u32) {
                Some(island) => {
                    for node in ends {
                        let first = *first_at.entry(island).or_insert(node);
                        sets.join(first, node);
                    }
                }
                None => wires.push((lookahead(network, number), ends)),
            }
        }
        // The longest links are cut first: of all bounds that leave enough parts, the greatest.
        wires.sort_by_key(|(least, _)| *least);
        let mut parts = (0..nodes).filter(|node| sets.first(*node) == *node).count();
        for (least, ends) in &wires {
            let [a, b] = ends[..] else { continue };
            let apart = sets.first(a) != sets.first(b);
            // Parts are so many more than cells that cells can be of one size.
            let enough = parts <= (wanted as usize).saturating_mul(PARTS_A_CELL);
            if *least > Duration::ZERO && enough && wanted > 1 {
                break;
            }
            if apart {
                sets.join(a, b);
                parts -= 1;
            }
        }
        Self::packed(network, &mut sets, wanted)
    }

    /// Parts put into cells, the heaviest first into the lightest.
    fn packed(network: &Network, sets: &mut Sets, wanted: u32) -> Self {
        let mut weights: BTreeMap<usize, u64> = BTreeMap::new();
        for (node, description) in network.nodes.iter().enumerate() {
            let weight = 1 + description.interfaces.len() as u64;
            *weights.entry(sets.first(node)).or_default() += weight;
        }
        let mut parts: Vec<(usize, u64)> = weights.into_iter().collect();
        parts.sort_by_key(|(first, weight)| (std::cmp::Reverse(*weight), *first));
        let cells = (wanted.max(1) as usize).min(parts.len().max(1));
        let mut loads = vec![0; cells];
        let mut cell_of = BTreeMap::new();
        for (first, weight) in parts {
            let lightest = (0..cells).min_by_key(|cell| loads[*cell]).unwrap_or(0);
            loads[lightest] += weight;
            cell_of.insert(first, lightest as u32);
        }
        let nodes = (0..network.nodes.len()).map(|node| cell_of[&sets.first(node)]).collect();
        Self { nodes, cells: cells as u32 }
    }
}

/// So many parts a cell are wanted, so that cells can be made of one size.
const PARTS_A_CELL: usize = 4;

/// The nodes at the ends of a link.
fn ends(network: &Network, ends: &[LinkEnd; 2]) -> Vec<usize> {
    let ports = ends.iter().flat_map(crate::build::ports_of);
    ports.map(|port| network.ports[port.index()].node as usize).collect()
}

/// The least time that a frame ever takes on a link, in either direction.
pub(crate) fn lookahead(network: &Network, link: usize) -> Duration {
    let mut configs = network.links[link].pipes.clone();
    let mut least = configs.iter().map(least_propagation).min().unwrap_or_default();
    let mut changes: Vec<_> = network.timeline.iter().collect();
    changes.sort_by_key(|change| change.at);
    for (pipe, change) in changes.into_iter().flat_map(|change| &change.changes) {
        if pipe.link.index() == link {
            let config = &mut configs[pipe.direction.index()];
            change.apply_to(config);
            least = least.min(least_propagation(config));
        }
    }
    least
}

/// Disjoint sets of numbers (Galler and Fischer 1964), each known by its lowest.
#[derive(Debug)]
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
