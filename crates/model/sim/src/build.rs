//! From a network's description to its simulation: which links the event core drives directly, and
//! which a fabric does. Not here: checking the description, whose maker answers for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_fabric::{Link as FabricLink, LinkEnd, LinkId, PipeId, PortId, SegmentId};
use netloom_link::{Direction, Discipline, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

use crate::capture::{Taps, WireTaps};
use crate::cell::{Cell, Place, Wire, Work, pipes_of};
use crate::crossing::Inlet;
use crate::flow::FlowSpec;
use crate::island::Island;
use crate::network::{Change, InterfaceId, Link, Network};
use crate::node::{Neighbours, Node, Way};
use crate::own::Own;
use crate::partition::{Partition, Sets, lookaheads};
use crate::queue::Queue;
use crate::sending::{Flow, Kind, described};
use crate::simulation::Simulation;
use crate::{AddressBook, AddressId};

/// Where every pipe and port is.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// By link: where its pipes are.
    links: Vec<[Place; 2]>,
    names: Vec<String>,
    ports: Vec<InterfaceId>,
}

impl Places {
    /// Where a pipe is.
    pub fn of(&self, PipeId { link, direction }: PipeId) -> Place {
        self.links[link.index()][direction.index()]
    }

    /// The interface that a port is.
    pub fn port(&self, port: PortId) -> Option<InterfaceId> {
        self.ports.get(port.index()).copied()
    }

    /// The name of a link.
    pub fn link(&self, link: LinkId) -> &str {
        &self.names[link.index()]
    }
}

impl Simulation {
    /// The simulation of `network` with its traffic, at time zero, in so many cells at most.
    pub fn new(network: Network, flows: Vec<FlowSpec>, cells: u32) -> Self {
        let mut simulation = Self::waiting_in_cells(network, flows, cells);
        simulation.cells.iter_mut().for_each(Cell::begin);
        simulation
    }

    /// The simulation of `network` in one cell, whose traffic waits until it is
    /// [begun](Cell::begin_traffic).
    pub fn waiting(network: Network, flows: Vec<FlowSpec>) -> Self {
        let mut simulation = Self::waiting_in_cells(network, flows, 1);
        simulation.cells.iter_mut().for_each(Cell::begin_network);
        simulation
    }

    fn waiting_in_cells(network: Network, flows: Vec<FlowSpec>, cells: u32) -> Self {
        let islands = Islands::of(&network);
        let lookaheads = lookaheads(&network);
        let partition = Partition::new(&network, &islands, &lookaheads, cells);
        let mut book = AddressBook::default();
        let neighbours = Neighbours::new(&network, &mut book);
        let nodes = 0..network.nodes.len() as u32;
        let nodes = nodes.map(|number| Node::new(&network, number, &neighbours, &mut book));
        let mut nodes: Vec<Node> = nodes.collect();
        let owners = Owners::new(&nodes);
        let (flows, senders) = described(flows, &mut book);
        listen(&flows, &owners, &mut nodes);
        let mut joined = Joined::new(&network, &partition, &lookaheads);
        for (number, link) in (0..).zip(&network.links) {
            joined.join(LinkId(number), link, islands.of_link(number), &mut nodes);
        }
        let Joined { places, wires, inlets, islands, hearers, .. } = joined;
        let mut timeline = network.timeline;
        timeline.sort_by_key(|change| change.at);
        let shared = Shared {
            book: Arc::new(book),
            neighbours: Arc::new(neighbours),
            places: Arc::new(places),
            flows: Arc::new(flows),
            owners: Arc::new(owners),
            timeline: Arc::new(timeline),
            seed: network.seed,
        };
        let mut cells: Vec<Cell> = (0..partition.cells).map(|_| Cell::empty(&shared)).collect();
        for ((number, node), cell) in (0..).zip(nodes).zip(&partition.nodes) {
            cells[*cell as usize].nodes.put(number, node);
        }
        let mut homes = vec![0; 2 * shared.places.links.len()];
        for (index, home) in homes.iter_mut().enumerate() {
            if let Place::Island(island) = shared.places.links[index / 2][index % 2] {
                *home = islands[island as usize].0;
            }
        }
        for (cell, number, wire) in wires {
            homes[number as usize] = cell;
            cells[cell as usize].wires.put(number, wire);
        }
        for (cell, number, inlet) in inlets {
            cells[cell as usize].inlets.put(number, inlet);
        }
        for (number, (cell, island)) in (0..).zip(islands) {
            cells[cell as usize].islands.put(number, island);
        }
        for (number, sender) in (0..).zip(senders) {
            let from = shared.flows[number as usize].from;
            cells[partition.nodes[from as usize] as usize].senders.put(number, sender);
        }
        let hearers = hearers.into_iter().map(|hearers| hearers.into_iter().collect()).collect();
        Self { cells, hearers, homes }
    }
}

/// What all cells have.
struct Shared {
    book: Arc<AddressBook>,
    neighbours: Arc<Neighbours>,
    places: Arc<Places>,
    flows: Arc<Vec<Flow>>,
    owners: Arc<Owners>,
    timeline: Arc<Vec<Change>>,
    seed: u64,
}

impl Cell {
    fn empty(shared: &Shared) -> Self {
        Self {
            now: Time::ZERO,
            queue: Queue::default(),
            book: shared.book.clone(),
            neighbours: shared.neighbours.clone(),
            wires: Own::default(),
            inlets: Own::default(),
            islands: Own::default(),
            places: shared.places.clone(),
            nodes: Own::default(),
            flows: shared.flows.clone(),
            owners: shared.owners.clone(),
            counts: Own::default(),
            senders: Own::default(),
            connections: Vec::new(),
            gone: BTreeMap::new(),
            seed: shared.seed,
            timeline: shared.timeline.clone(),
            next_change: 0,
            routes: BTreeMap::new(),
            not_begun: Vec::new(),
            announcements: Vec::new(),
            log: Vec::new(),
            captured: Vec::new(),
            work: Work::default(),
            leaving: Vec::new(),
            known_addresses: shared.book.len(),
        }
    }
}

/// Which nodes have which address: one mostly, several where an address is taken twice.
#[derive(Debug, Default)]
pub(crate) struct Owners(BTreeMap<AddressId, Vec<u32>>);

impl Owners {
    fn new(nodes: &[Node]) -> Self {
        let mut owners = Self::default();
        for (number, node) in (0..).zip(nodes) {
            for address in &node.local {
                owners.0.entry(*address).or_default().push(number);
            }
        }
        owners
    }

    /// The nodes that have an address, in their order.
    pub fn of(&self, address: AddressId) -> impl Iterator<Item = u32> {
        self.0.get(&address).into_iter().flatten().copied()
    }
}

/// Has the nodes that flows lead to listen on their ports.
fn listen(flows: &[Flow], owners: &Owners, nodes: &mut [Node]) {
    for (number, flow) in (0..).zip(flows) {
        for owner in flow.to.iter().flat_map(|to| owners.of(*to)) {
            let stack = &mut nodes[owner as usize].stack;
            match &flow.kind {
                Kind::Ping | Kind::Twins => {}
                Kind::Udp { port } => {
                    if !stack.ports.contains(port) {
                        stack.ports.push(*port);
                    }
                }
                Kind::Tcp(tcp) => {
                    stack.listeners.entry(tcp.port).or_default().insert(flow.from, number);
                }
            }
        }
    }
}

/// Links that have been joined.
struct Joined<'a> {
    network: &'a Network,
    partition: &'a Partition,
    places: Places,
    wires: Vec<(u32, u32, Wire)>,
    inlets: Vec<(u32, u32, Inlet)>,
    islands: Vec<(u32, Island)>,
    lookaheads: &'a [Duration],
    /// For each cell, those that it sends to, and the least propagation to there.
    hearers: Vec<BTreeMap<u32, Duration>>,
}

impl<'a> Joined<'a> {
    fn new(network: &'a Network, partition: &'a Partition, lookaheads: &'a [Duration]) -> Self {
        let places = Places { ports: network.ports.clone(), ..Places::default() };
        let (wires, inlets, islands) = (Vec::new(), Vec::new(), Vec::new());
        let hearers = vec![BTreeMap::new(); partition.cells as usize];
        Self { network, partition, places, wires, inlets, islands, lookaheads, hearers }
    }

    fn cell(&self, at: InterfaceId) -> u32 {
        self.partition.nodes[at.node as usize]
    }

    fn join(&mut self, id: LinkId, link: &Link, island: Option<usize>, nodes: &mut [Node]) {
        self.places.names.push(link.name.clone());
        let place = match (island, &link.ends) {
            (None, [LinkEnd::Port(a), LinkEnd::Port(b)]) => {
                let ends = [*a, *b].map(|port| self.network.ports[port.index()]);
                self.join_wires(id, link, ends, nodes)
            }
            (island, ends) => {
                let island = island.unwrap_or(self.islands.len());
                self.join_island(id, link, (island, ends), nodes)
            }
        };
        self.places.links.push(place);
    }

    fn join_wires(
        &mut self,
        id: LinkId,
        link: &Link,
        ends: [InterfaceId; 2],
        nodes: &mut [Node],
    ) -> [Place; 2] {
        let pipes = pipes_of(id);
        let numbers = pipes.map(|pipe| pipe.index() as u32);
        let new = new_pipes(self.network.seed, link);
        for (end, mut pipe) in new.into_iter().enumerate() {
            let (from, to) = (ends[end], ends[1 - end]);
            set_way(nodes, from, Way::Pipe(numbers[end]));
            let (near, far) = (self.cell(from), self.cell(to));
            let crosses = (near != far).then_some(far);
            if crosses.is_some() {
                pipe.keep_sent(true);
                let config = pipe.config().clone();
                self.inlets.push((far, numbers[end], Inlet::new(to, config)));
                let least = self.lookaheads[id.index()];
                let known = self.hearers[near as usize].entry(far).or_insert(least);
                *known = least.min(*known);
            }
            let macs = [from, to].map(|at| {
                self.network.nodes[at.node as usize].interfaces[at.interface as usize].mac
            });
            let taps = Taps::new(&link.taps[end], &link.taps[1 - end]);
            let taps = taps.map(|taps| Box::new(WireTaps { taps, macs }));
            let wire = Wire { id: pipes[end], pipe, to, crosses, cuts: 0, taps, meter: None };
            self.wires.push((near, numbers[end], wire));
        }
        numbers.map(Place::Wire)
    }

    fn join_island(
        &mut self,
        id: LinkId,
        link: &Link,
        (island, ends): (usize, &[LinkEnd; 2]),
        nodes: &mut [Node],
    ) -> [Place; 2] {
        while self.islands.len() <= island {
            self.islands.push((0, Island::new()));
        }
        for port in ends.iter().flat_map(ports_of) {
            let at = self.network.ports[port.index()];
            set_way(nodes, at, Way::Island { island: island as u32, port });
            self.islands[island].0 = self.cell(at);
        }
        for (end, pipe) in pipes_of(id).into_iter().enumerate() {
            if let Some(taps) = Taps::new(&link.taps[end], &link.taps[1 - end]) {
                self.islands[island].1.observer().taps.insert(pipe, taps);
            }
        }
        let [a, b] = ends;
        let (ends, pipes) = ([a.clone(), b.clone()], new_pipes(self.network.seed, link));
        self.islands[island].1.network.join(id, FabricLink { ends, pipes }, Time::ZERO);
        [Place::Island(island as u32); 2]
    }
}

fn set_way(nodes: &mut [Node], at: InterfaceId, way: Way) {
    nodes[at.node as usize].interfaces[at.interface as usize].way = way;
}

/// The pipes of a link, which draw what those of an emulated one do.
fn new_pipes<F: netloom_link::Frame>(seed: u64, link: &Link) -> [Pipe<F>; 2] {
    Direction::BOTH.map(|direction| {
        let config = link.pipes[direction.index()].clone();
        let stream = Stream::of_pipe(seed, &link.name, direction);
        let mut pipe = Pipe::new(config, stream, Time::ZERO);
        pipe.record_events(link.logged);
        pipe
    })
}

/// The ports at an end of a link.
pub(crate) fn ports_of(end: &LinkEnd) -> Vec<PortId> {
    match end {
        LinkEnd::Port(port) => vec![*port],
        LinkEnd::Trunk { untagged, vlans } => {
            vlans.iter().map(|(_, port)| *port).chain([*untagged]).collect()
        }
        LinkEnd::Segment(_) => Vec::new(),
    }
}

/// Which links a fabric runs: those at switches and trunks, and those whose queues or conditioners
/// look at headers now or at some time. Links at one switch are in one island.
#[derive(Debug)]
pub(crate) struct Islands {
    of_links: Vec<Option<usize>>,
}

impl Islands {
    fn of(network: &Network) -> Self {
        let mut classified: Vec<bool> =
            network.links.iter().map(|link| link.pipes.iter().any(looks_at_headers)).collect();
        for (pipe, change) in network.timeline.iter().flat_map(|change| &change.changes) {
            let mut config = PipeConfig::default();
            change.apply_to(&mut config);
            classified[pipe.link.index()] |= looks_at_headers(&config);
        }
        // Each link of its own island at first; links at the same switch then have the lowest.
        let mut first_at: BTreeMap<SegmentId, usize> = BTreeMap::new();
        let mut same = Sets::new(network.links.len());
        let mut needs = classified;
        for (number, link) in network.links.iter().enumerate() {
            for end in &link.ends {
                match end {
                    LinkEnd::Port(_) => {}
                    LinkEnd::Trunk { .. } => needs[number] = true,
                    LinkEnd::Segment(port) => {
                        needs[number] = true;
                        let first = *first_at.entry(port.switch).or_insert(number);
                        same.join(first, number);
                    }
                }
            }
        }
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let of_links = needs.iter().enumerate().map(|(link, needs)| {
            needs.then(|| {
                let next = numbers.len();
                *numbers.entry(same.first(link)).or_insert(next)
            })
        });
        Self { of_links: of_links.collect() }
    }

    pub fn of_link(&self, number: u32) -> Option<usize> {
        self.of_links[number as usize]
    }
}

/// Whether frames must show their headers to conditioners or to a discipline. Only FIFO never asks.
fn looks_at_headers(pipe: &PipeConfig) -> bool {
    !pipe.condition.is_none() || !matches!(pipe.queue.discipline, Discipline::Fifo(_))
}
