//! Builds the simulation of a network from its description: decides which links the event core
//! drives directly, and which a fabric drives. Not here: checks of the description, for which its
//! maker answers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use netloom_fabric::{
    Link as FabricLink, LinkEnd, LinkId, PipeId, PortId, SegmentId, receiver_mtus,
};
use netloom_link::{Direction, Discipline, Inlet, Pipe, PipeConfig, Stream};
use netloom_units::{Duration, Time};

use crate::capture::{Taps, WireTaps};
use crate::cell::{Cell, PipeLocation, Wire, Work, pipes_of};
use crate::crossing::FarEnd;
use crate::flow::FlowSpec;
use crate::island::Island;
use crate::network::{Change, InterfaceId, Link, Network};
use crate::node::{Neighbours, Node, Way};
use crate::own::Own;
use crate::partition::{Division, Partition, Sets, lookaheads};
use crate::queue::Queue;
use crate::sending::{Flow, Kind, described};
use crate::simulation::Simulation;
use crate::{AddressBook, AddressId};

/// The locations of all pipes and ports.
#[derive(Debug, Default)]
pub(crate) struct PipeLocations {
    /// Locations of the pipes of each link.
    links: Vec<[PipeLocation; 2]>,
    names: Vec<String>,
    ports: Vec<InterfaceId>,
}

impl PipeLocations {
    /// Returns the location of a pipe.
    pub fn of(&self, PipeId { link, direction }: PipeId) -> PipeLocation {
        self.links[link.index()][direction.index()]
    }

    /// Returns the interface that a port belongs to.
    pub fn port(&self, port: PortId) -> Option<InterfaceId> {
        self.ports.get(port.index()).copied()
    }

    /// Returns the name of a link.
    pub fn link(&self, link: LinkId) -> &str {
        &self.names[link.index()]
    }
}

impl Simulation {
    /// Returns the simulation of `network` with its traffic, at time zero, in at most `cells`
    /// cells.
    pub fn new(network: Network, flows: Vec<FlowSpec>, cells: u32) -> Self {
        Self::part(network, flows, Division::here(cells))
    }

    /// Returns one process's part of that simulation. The part has no cell if the network cannot be
    /// divided among that number of processes.
    pub fn part(network: Network, flows: Vec<FlowSpec>, division: Division) -> Self {
        let mut simulation = Self::unbegun(network, flows, division);
        simulation.cells.iter_mut().for_each(Cell::begin);
        simulation
    }

    /// Returns the simulation of `network` in one cell. Its traffic does not start before
    /// [`Cell::begin_traffic`] is called.
    pub fn waiting(network: Network, flows: Vec<FlowSpec>) -> Self {
        let mut simulation = Self::unbegun(network, flows, Division::here(1));
        simulation.cells.iter_mut().for_each(Cell::begin_network);
        simulation
    }

    fn unbegun(network: Network, flows: Vec<FlowSpec>, division: Division) -> Self {
        let islands = Islands::of(&network);
        let lookaheads = lookaheads(&network);
        let partition = Partition::new(&network, &islands, &lookaheads, division);
        let region = partition.regions.get(division.process as usize);
        let region = region.cloned().unwrap_or(partition.cells()..partition.cells());
        let mut book = AddressBook::default();
        let neighbours = Neighbours::new(&network, &mut book);
        let mut nodes = Nodes::default();
        let mut owners = Owners::default();
        for (number, cell) in (0..).zip(&partition.nodes) {
            let node = Node::new(&network, number, &neighbours, &mut book);
            owners.add(number, &node);
            nodes.0.push(region.contains(cell).then_some(node));
        }
        let (flows, senders) = described(flows, &mut book);
        listen(&flows, &owners, &mut nodes);
        let mut joined = Joined::new(&network, &partition, &lookaheads, region.clone(), &islands);
        for (number, link) in (0..).zip(&network.links) {
            joined.join(LinkId(number), link, islands.of_link(number), &mut nodes);
        }
        let Joined { places, wires, inlets, islands, hearers, homes, .. } = joined;
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
        let cells = region.clone().map(|_| Cell::empty(&shared)).collect();
        let mut own = OwnCells { cells, first: region.start };
        for ((number, node), cell) in (0..).zip(nodes.0).zip(&partition.nodes) {
            own.put(*cell, node, |cell, node| cell.nodes.put(number, node));
        }
        for (cell, number, wire) in wires {
            own.put(cell, Some(wire), |cell, wire| cell.wires.put(number, wire));
        }
        for (cell, number, inlet) in inlets {
            own.put(cell, Some(inlet), |cell, inlet| cell.inlets.put(number, inlet));
        }
        for (number, (cell, island)) in (0..).zip(islands) {
            own.put(cell, island, |cell, island| cell.islands.put(number, island));
        }
        for (number, sender) in (0..).zip(senders) {
            let from = shared.flows[number as usize].from;
            let cell = partition.nodes[from as usize];
            own.put(cell, Some(sender), |cell, sender| cell.senders.put(number, sender));
        }
        let hearers = hearers.into_iter().map(|hearers| hearers.into_iter().collect()).collect();
        let regions = partition.regions.iter();
        let regions = regions.map(|region| region.start as usize..region.end as usize).collect();
        Self { cells: own.cells, first: region.start as usize, hearers, regions, homes }
    }
}

/// The cells of this process.
struct OwnCells {
    cells: Vec<Cell>,
    first: u32,
}

impl OwnCells {
    /// Puts `thing` into its cell, if this process has both.
    fn put<T>(&mut self, cell: u32, thing: Option<T>, put: impl FnOnce(&mut Cell, T)) {
        let place = cell.checked_sub(self.first);
        let cell = place.and_then(|place| self.cells.get_mut(place as usize));
        if let (Some(cell), Some(thing)) = (cell, thing) {
            put(cell, thing);
        }
    }
}

/// All nodes by number. `None`: the node is in another process.
#[derive(Default)]
struct Nodes(Vec<Option<Node>>);

impl Nodes {
    fn get_mut(&mut self, node: u32) -> Option<&mut Node> {
        self.0[node as usize].as_mut()
    }

    fn set_way(&mut self, at: InterfaceId, way: Way) {
        if let Some(node) = self.get_mut(at.node) {
            node.interfaces[at.interface as usize].way = way;
        }
    }
}

/// Data that all cells share.
struct Shared {
    book: Arc<AddressBook>,
    neighbours: Arc<Neighbours>,
    places: Arc<PipeLocations>,
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
            departures: Default::default(),
            log: Vec::new(),
            captured: Vec::new(),
            work: Work::default(),
            leaving: Vec::new(),
            known_addresses: shared.book.len(),
            received: Default::default(),
            sockets: Default::default(),
        }
    }
}

/// The nodes that have each address: mostly one, several where an address is assigned twice.
#[derive(Debug, Default)]
pub(crate) struct Owners(BTreeMap<AddressId, Vec<u32>>);

impl Owners {
    /// Adds the addresses of a node. Nodes are added in order of their numbers.
    fn add(&mut self, number: u32, node: &Node) {
        for address in &node.local {
            self.0.entry(*address).or_default().push(number);
        }
    }

    /// Returns the nodes that have an address, in order of their numbers.
    pub fn of(&self, address: AddressId) -> impl Iterator<Item = u32> {
        self.0.get(&address).into_iter().flatten().copied()
    }
}

/// Makes the nodes that flows lead to listen on the flows' ports.
fn listen(flows: &[Flow], owners: &Owners, nodes: &mut Nodes) {
    for (number, flow) in (0..).zip(flows) {
        for owner in flow.to.iter().flat_map(|to| owners.of(*to)) {
            let Some(Node { stack, .. }) = nodes.get_mut(owner) else { continue };
            match &flow.kind {
                Kind::Ping | Kind::Twins(_) => {}
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

/// The links that have been joined so far, and the parts made of them.
struct Joined<'a> {
    network: &'a Network,
    partition: &'a Partition,
    /// The cells of this process.
    region: Range<u32>,
    places: PipeLocations,
    wires: Vec<(u32, u32, Wire)>,
    inlets: Vec<(u32, u32, FarEnd)>,
    /// Each island with its cell. `None`: the island is in another process.
    islands: Vec<(u32, Option<Island>)>,
    lookaheads: &'a [Duration],
    /// For each cell, the cells that it sends to, and the shortest propagation delay to each.
    hearers: Vec<BTreeMap<u32, Duration>>,
    /// The cell of each pipe, by link and direction.
    homes: Vec<u32>,
}

impl<'a> Joined<'a> {
    fn new(
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
            places: PipeLocations { ports: network.ports.clone(), ..PipeLocations::default() },
            wires: Vec::new(),
            inlets: Vec::new(),
            islands: Vec::new(),
            lookaheads,
            hearers: vec![BTreeMap::new(); partition.cells() as usize],
            homes: Vec::with_capacity(2 * network.links.len()),
        };
        joined.begin_islands(islands);
        joined
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

    fn join(&mut self, id: LinkId, link: &Link, island: Option<usize>, nodes: &mut Nodes) {
        self.places.names.push(link.name.clone());
        let place = match (island, &link.ends) {
            (Some(island), ends) => self.join_island(id, link, (island, ends), nodes),
            (None, [LinkEnd::Port(a), LinkEnd::Port(b)]) => {
                let ends = [*a, *b].map(|port| self.network.ports[port.index()]);
                self.join_wires(id, link, ends, nodes)
            }
            // A link with any other end belongs to an island.
            (None, _) => unreachable!("a link that is no island's is between two ports"),
        };
        self.places.links.push(place);
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
    fn wire(&self, id: PipeId, link: &Link, [from, to]: [InterfaceId; 2]) -> Wire {
        let end = id.direction.index();
        let mut pipe = new_pipe(self.network.seed, link, id.direction);
        let crosses = (self.cell(from) != self.cell(to)).then_some(self.cell(to));
        pipe.keep_sent(crosses.is_some());
        let macs = [from, to]
            .map(|at| self.network.nodes[at.node as usize].interfaces[at.interface as usize].mac);
        let taps = Taps::new(&link.taps[end], &link.taps[1 - end]);
        let taps = taps.map(|taps| Box::new(WireTaps { taps, macs }));
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
            let pipes = Direction::BOTH.map(|side| new_pipe(self.network.seed, link, side));
            let link = FabricLink { ends: [a.clone(), b.clone()], pipes };
            island.network.join(id, link, Time::ZERO);
        }
        [PipeLocation::Island(number as u32); 2]
    }
}

/// Makes a pipe of a link. Its random stream equals that of the same pipe in emulation.
fn new_pipe<F: netloom_link::Frame>(seed: u64, link: &Link, direction: Direction) -> Pipe<F> {
    let config = link.pipes[direction.index()].clone();
    let stream = Stream::of_pipe(seed, &link.name, direction);
    let mut pipe = Pipe::new(config, stream, Time::ZERO);
    let are_segments = link.ends.each_ref().map(|end| end.segment_port().is_some());
    pipe.set_receiver_mtu(receiver_mtus(are_segments, link.mtus)[direction.index()]);
    pipe.record_events(link.logged);
    pipe
}

/// Returns the ports at an end of a link.
pub(crate) fn ports_of(end: &LinkEnd) -> Vec<PortId> {
    match end {
        LinkEnd::Port(port) => vec![*port],
        LinkEnd::Trunk { untagged, vlans } => {
            vlans.iter().map(|(_, port)| *port).chain([*untagged]).collect()
        }
        LinkEnd::Segment(_) | LinkEnd::Away { .. } => Vec::new(),
    }
}

/// The islands, which a fabric runs: links at switches and trunks, and links whose queues or
/// conditioners examine headers now or at a later time. All links at one switch are in one island.
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
        // At first each link is an island of its own. Links at the same switch then join the one
        // with the lowest number.
        let mut first_at: BTreeMap<SegmentId, usize> = BTreeMap::new();
        let mut same = Sets::new(network.links.len());
        let mut needs = classified;
        for (number, link) in network.links.iter().enumerate() {
            for end in &link.ends {
                match end {
                    LinkEnd::Port(_) => {}
                    LinkEnd::Away { .. } => unreachable!("a simulation has all ends of its links"),
                    LinkEnd::Trunk { .. } => needs[number] = true,
                    LinkEnd::Segment(port) => {
                        needs[number] = true;
                        let first = *first_at.entry(port.segment()).or_insert(number);
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

/// Whether conditioners or the queue discipline need the headers of frames. Only FIFO never does.
fn looks_at_headers(pipe: &PipeConfig) -> bool {
    !pipe.condition.is_none() || !matches!(pipe.queue.discipline, Discipline::Fifo(_))
}
