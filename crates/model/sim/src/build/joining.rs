//! Joins links: makes pipes between two nodes, far ends of pipes to other cells, and switched
//! networks. Not here: which links are which (`islands`).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use netloom_fabric::{Link as FabricLink, LinkEnd, LinkId, PipeId, receiver_mtus};
use netloom_link::{Direction, Inlet, LeanPipe, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

use super::islands::{Islands, ports_of};
use super::partition::Partition;
use crate::hosts::Node;
use crate::network::{InterfaceId, Link, Network};
use crate::plant::{
    FarEnd, Island, PipeLocation, PipeLocations, Taps, Way, Wire, WireTaps, pipes_of,
};

/// All nodes by number. `None`: the node is in another process.
#[derive(Default)]
pub(super) struct Nodes(pub Vec<Option<Node>>);

impl Nodes {
    /// Returns a node, if it is in this process.
    pub fn get_mut(&mut self, node: u32) -> Option<&mut Node> {
        self.0[node as usize].as_mut()
    }

    fn set_way(&mut self, at: InterfaceId, way: Way) {
        if let Some(node) = self.get_mut(at.node) {
            node.interfaces[at.interface as usize].way = way;
        }
    }
}

/// What the statistics of links cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Statistics {
    /// The whole time.
    Totals,
    /// The last seconds, too.
    Windows,
}

/// Configurations that are kept to be shared. Most networks have few.
const SHARED: usize = 8;

/// The links that have been joined so far, and the parts made of them.
pub(super) struct Joined<'a> {
    network: &'a Network,
    partition: &'a Partition,
    /// The cells of this process.
    region: Range<u32>,
    pub places: PipeLocations,
    /// Pipes, each with its cell and number.
    pub wires: Vec<(u32, u32, Wire)>,
    pub inlets: Vec<(u32, u32, FarEnd)>,
    /// Each island with its cell. `None`: the island is in another process.
    pub islands: Vec<(u32, Option<Island>)>,
    lookaheads: &'a [Duration],
    /// For each cell, the cells that it sends to, and the shortest propagation delay to each.
    pub hearers: Vec<BTreeMap<u32, Duration>>,
    /// The cell of each pipe, by link and direction.
    pub homes: Vec<u32>,
    statistics: Statistics,
    /// Configurations of the last pipes, each once.
    configs: Vec<Arc<PipeConfig>>,
}

impl<'a> Joined<'a> {
    pub fn new(
        network: &'a Network,
        partition: &'a Partition,
        lookaheads: &'a [Duration],
        region: Range<u32>,
        islands: &Islands,
    ) -> Self {
        let mut joined = Self {
            network,
            partition,
            region,
            places: PipeLocations::new(network.ports.clone()),
            wires: Vec::new(),
            inlets: Vec::new(),
            islands: Vec::new(),
            lookaheads,
            hearers: vec![BTreeMap::new(); partition.cells() as usize],
            homes: Vec::with_capacity(2 * network.links.len()),
            statistics: Statistics::Windows,
            configs: Vec::new(),
        };
        joined.begin_islands(islands);
        joined
    }

    /// Sets what the statistics of all links cover.
    pub fn keep(&mut self, statistics: Statistics) {
        self.statistics = statistics;
    }

    /// Returns a copy of a configuration that pipes share.
    fn shared(&mut self, config: &PipeConfig) -> Arc<PipeConfig> {
        if let Some(known) = self.configs.iter().find(|known| ***known == *config) {
            return Arc::clone(known);
        }
        let new = Arc::new(config.clone());
        if self.configs.len() >= SHARED {
            self.configs.remove(0);
        }
        self.configs.push(Arc::clone(&new));
        new
    }

    /// Finds the cell of each island, and makes the islands of this process.
    fn begin_islands(&mut self, islands: &Islands) {
        let mut cells: Vec<u32> = Vec::new();
        for (number, link) in (0..).zip(&self.network.links) {
            let Some(island) = islands.of_link(number) else { continue };
            cells.resize(cells.len().max(island + 1), 0);
            for port in link.ends.iter().flat_map(ports_of) {
                cells[island] = self.cell(self.network.ports[port.index()]);
            }
        }
        let made = cells.into_iter();
        let made = made.map(|cell| (cell, self.region.contains(&cell).then(Island::new)));
        self.islands = made.collect();
    }

    fn cell(&self, at: InterfaceId) -> u32 {
        self.partition.nodes[at.node as usize]
    }

    /// Joins the next link, at its ends.
    pub fn join(&mut self, id: LinkId, link: &Link, island: Option<usize>, nodes: &mut Nodes) {
        let place = match (island, &link.ends) {
            (Some(island), ends) => self.join_island(id, link, (island, ends), nodes),
            (None, [LinkEnd::Port(a), LinkEnd::Port(b)]) => {
                let ends = [*a, *b].map(|port| self.network.ports[port.index()]);
                self.join_wires(id, link, ends, nodes)
            }
            // A link with any other end belongs to an island.
            (None, _) => unreachable!("a link that is no island's is between two ports"),
        };
        self.places.add(link.name.clone(), place);
    }

    fn join_wires(
        &mut self,
        id: LinkId,
        link: &Link,
        ends: [InterfaceId; 2],
        nodes: &mut Nodes,
    ) -> [PipeLocation; 2] {
        let numbers = pipes_of(id).map(|pipe| pipe.index() as u32);
        for direction in Direction::BOTH {
            let end = direction.index();
            let (from, to) = (ends[end], ends[1 - end]);
            nodes.set_way(from, Way::Pipe(numbers[end]));
            let (near, far) = (self.cell(from), self.cell(to));
            self.homes.push(near);
            if near != far {
                let least = self.lookaheads[id.index()];
                let known = self.hearers[near as usize].entry(far).or_insert(least);
                *known = least.min(*known);
                if self.region.contains(&far) {
                    let inlet = Inlet::new(link.pipes[end].clone(), 0);
                    self.inlets.push((far, numbers[end], FarEnd { to, inlet }));
                }
            }
            if self.region.contains(&near) {
                let wire = self.wire(PipeId { link: id, direction }, link, [from, to]);
                self.wires.push((near, numbers[end], wire));
            }
        }
        numbers.map(PipeLocation::Wire)
    }

    /// Makes the pipe between two interfaces.
    fn wire(&mut self, id: PipeId, link: &Link, [from, to]: [InterfaceId; 2]) -> Wire {
        let end = id.direction.index();
        let taps = Taps::new(&link.taps[end], &link.taps[1 - end]);
        let config = self.shared(&link.pipes[end]);
        let mut pipe = if link.logged || taps.is_some() || self.statistics == Statistics::Windows {
            let pipe = new_pipe(self.network.seed, link, id.direction, self.statistics);
            LeanPipe::of(pipe, config)
        } else {
            let stream = Stream::of_pipe(self.network.seed, &link.name, id.direction);
            let mut pipe = LeanPipe::new(config, stream, Time::ZERO);
            pipe.set_receiver_mtu(receiver_mtu(link, id.direction));
            pipe
        };
        let crosses = (self.cell(from) != self.cell(to)).then_some(self.cell(to));
        pipe.keep_sent(crosses.is_some());
        let macs = [from, to]
            .map(|at| self.network.nodes[at.node as usize].interfaces[at.interface as usize].mac);
        let taps = taps.map(|taps| Box::new(WireTaps::new(taps, macs)));
        Wire { id, pipe, to, crosses, is_used: false, leaves: None, taps, meter: None }
    }

    fn join_island(
        &mut self,
        id: LinkId,
        link: &Link,
        (number, ends): (usize, &[LinkEnd; 2]),
        nodes: &mut Nodes,
    ) -> [PipeLocation; 2] {
        for port in ends.iter().flat_map(ports_of) {
            let way = Way::Island { island: number as u32, port };
            nodes.set_way(self.network.ports[port.index()], way);
        }
        let (home, island) = &mut self.islands[number];
        self.homes.extend([*home; 2]);
        if let Some(island) = island {
            for (end, pipe) in pipes_of(id).into_iter().enumerate() {
                if let Some(taps) = Taps::new(&link.taps[end], &link.taps[1 - end]) {
                    island.observer().taps.insert(pipe, taps);
                }
            }
            let [a, b] = ends;
            let pipes = Direction::BOTH
                .map(|side| new_pipe(self.network.seed, link, side, self.statistics));
            let link = FabricLink { ends: [a.clone(), b.clone()], pipes };
            island.network.join(id, link, Time::ZERO);
        }
        [PipeLocation::Island(number as u32); 2]
    }
}

/// Makes a pipe of a link. Its random stream equals that of the same pipe in emulation.
fn new_pipe<F: netloom_link::Frame>(
    seed: u64,
    link: &Link,
    direction: Direction,
    statistics: Statistics,
) -> Pipe<F> {
    let config = link.pipes[direction.index()].clone();
    let stream = Stream::of_pipe(seed, &link.name, direction);
    let mut pipe = Pipe::new(config, stream, Time::ZERO);
    if statistics == Statistics::Totals {
        pipe.keep_totals_only();
    }
    pipe.set_receiver_mtu(receiver_mtu(link, direction));
    pipe.record_events(link.logged);
    pipe
}

/// Returns the MTU of the interface that a pipe of a link leads to, if it limits frames.
fn receiver_mtu(link: &Link, direction: Direction) -> Option<u32> {
    let are_segments = link.ends.each_ref().map(|end| end.segment_port().is_some());
    receiver_mtus(are_segments, link.mtus)[direction.index()]
}
