//! From a network's description to its simulation: which links the event core drives directly, and
//! which a fabric does. Not here: checking the description, whose maker answers for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_fabric::{Link as FabricLink, LinkEnd, LinkId, PipeId, PortId, SegmentId};
use netloom_link::{Direction, Discipline, Pipe, Stream};
use netloom_units::Time;

use crate::cell::{Cell, Place, Wire, Work, pipes_of};
use crate::flow::{FlowCounts, FlowKind, FlowSpec};
use crate::island::Island;
use crate::network::{InterfaceId, Link, Network};
use crate::node::{Neighbours, Node, Way};
use crate::queue::Queue;
use crate::sending::Sender;
use crate::{AddressBook, AddressId};

/// Where everything is.
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

impl Cell {
    /// The simulation of `network` with its traffic, at time zero.
    pub fn new(network: Network, flows: Vec<FlowSpec>) -> Self {
        let mut book = AddressBook::default();
        let neighbours = Neighbours::new(&network, &mut book);
        let mut nodes: Vec<Node> = (0..network.nodes.len() as u32)
            .map(|number| Node::new(&network, number, &neighbours, &mut book))
            .collect();
        let mut joined = Joined { places: Places::default(), wires: vec![], islands: vec![] };
        joined.places.ports.clone_from(&network.ports);
        let islands = Islands::of(&network);
        for (number, link) in (0..).zip(&network.links) {
            joined.join(&network, LinkId(number), link, islands.of_link(number), &mut nodes);
        }
        let owners = Owners::new(&nodes);
        listen(&flows, &owners, &mut nodes, &mut book);
        let sender = |(number, flow): (u32, &FlowSpec)| Sender::new(flow, number, &mut book);
        let senders: Vec<Sender> = (0..).zip(&flows).map(sender).collect();
        let Joined { places, wires, islands } = joined;
        let mut cell = Self {
            now: Time::ZERO,
            queue: Queue::default(),
            book: Arc::new(book),
            neighbours: Arc::new(neighbours),
            wires,
            islands,
            places,
            nodes,
            counts: vec![FlowCounts::default(); flows.len()],
            senders,
            connections: Vec::new(),
            opened: 0,
            seed: network.seed,
            owners,
            flows,
            timeline: network.timeline,
            next_change: 0,
            log: Vec::new(),
            work: Work::default(),
        };
        cell.begin();
        cell
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

/// Has the nodes that flows of datagrams lead to listen on their ports.
fn listen(flows: &[FlowSpec], owners: &Owners, nodes: &mut [Node], book: &mut AddressBook) {
    for flow in flows {
        let FlowKind::Udp { port, .. } = flow.kind else { continue };
        for owner in owners.of(book.enter(flow.to)) {
            let ports = &mut nodes[owner as usize].stack.ports;
            if !ports.contains(&port) {
                ports.push(port);
            }
        }
    }
}

/// Links that have been joined.
struct Joined {
    places: Places,
    wires: Vec<Wire>,
    islands: Vec<Island>,
}

impl Joined {
    fn join(
        &mut self,
        network: &Network,
        id: LinkId,
        link: &Link,
        island: Option<usize>,
        nodes: &mut [Node],
    ) {
        self.places.names.push(link.name.clone());
        let place = match (island, &link.ends) {
            (None, [LinkEnd::Port(a), LinkEnd::Port(b)]) => {
                let ends = [*a, *b].map(|port| network.ports[port.index()]);
                let first = self.wires.len();
                for (end, pipe) in new_pipes(network.seed, link).into_iter().enumerate() {
                    let way = Way::Pipe(self.wires.len() as u32);
                    set_way(nodes, ends[end], way);
                    let id = pipes_of(id)[end];
                    self.wires.push(Wire { id, pipe, to: ends[1 - end] });
                }
                [first, first + 1].map(Place::Wire)
            }
            (island, ends) => {
                let island = island.unwrap_or(self.islands.len());
                while self.islands.len() <= island {
                    self.islands.push(Island::new());
                }
                for port in ends.iter().flat_map(ports_of) {
                    let way = Way::Island { island: island as u32, port };
                    set_way(nodes, network.ports[port.index()], way);
                }
                let [a, b] = ends;
                let (ends, pipes) = ([a.clone(), b.clone()], new_pipes(network.seed, link));
                let link = FabricLink { ends, pipes };
                self.islands[island].network.join(id, link, Time::ZERO);
                [Place::Island(island); 2]
            }
        };
        self.places.links.push(place);
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
fn ports_of(end: &LinkEnd) -> Vec<PortId> {
    match end {
        LinkEnd::Port(port) => vec![*port],
        LinkEnd::Trunk { untagged, vlans } => {
            vlans.iter().map(|(_, port)| *port).chain([*untagged]).collect()
        }
        LinkEnd::Segment(_) => Vec::new(),
    }
}

/// Which links a fabric runs: those at switches and trunks, and those whose queues look at headers
/// now or at some time. Links at one switch are in one island.
struct Islands {
    of_links: Vec<Option<usize>>,
}

impl Islands {
    fn of(network: &Network) -> Self {
        let mut classified: Vec<bool> = network
            .links
            .iter()
            .map(|link| link.pipes.iter().any(|pipe| looks_at_headers(&pipe.queue.discipline)))
            .collect();
        for (pipe, change) in network.timeline.iter().flat_map(|change| &change.changes) {
            let discipline = change.queue.as_ref().and_then(|queue| queue.discipline.as_ref());
            classified[pipe.link.index()] |= discipline.is_some_and(looks_at_headers);
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

    fn of_link(&self, number: u32) -> Option<usize> {
        self.of_links[number as usize]
    }
}

/// Whether frames must show their headers to a discipline. Only FIFO never asks.
fn looks_at_headers(discipline: &Discipline) -> bool {
    !matches!(discipline, Discipline::Fifo(_))
}

/// Disjoint sets of numbers (Galler and Fischer 1964), each known by its lowest.
struct Sets(Vec<usize>);

impl Sets {
    fn new(numbers: usize) -> Self {
        Self((0..numbers).collect())
    }

    fn first(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
