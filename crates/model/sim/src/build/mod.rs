//! Builds the simulation of a network from its description: decides which links the event core
//! drives directly, and which a fabric drives. Not here: checks of the description, for which its
//! maker answers.
//!
//! | module | contents |
//! |---|---|
//! | `islands` | which links a fabric drives: [`Islands`] |
//! | `partition`, `sets` | divides the network into cells and processes: [`Division`] |
//! | `joining` | makes the pipes of links |

mod islands;
mod joining;
mod partition;
mod sets;

use std::sync::Arc;

use netloom_fabric::LinkId;

use crate::AddressBook;
use crate::cell::Cell;
use crate::flow::FlowSpec;
use crate::hosts::{Hosts, Neighbours, Net, Node, Owners};
use crate::network::{Change, Network};
use crate::plant::{PipeLocations, Plant, Wire};
use crate::queue::Queue;
use crate::simulation::Simulation;
use crate::traffic::{Flow, Kind, Traffic, described};

use islands::Islands;
use joining::{Joined, Nodes, Statistics};
pub use partition::Division;
use partition::{Partition, lookaheads};

impl Simulation {
    /// Returns the simulation of `network` with its traffic, at time zero, in at most `cells`
    /// cells.
    pub fn new(network: Network, flows: Vec<FlowSpec>, cells: u32) -> Self {
        Self::part(network, flows, Division::here(cells))
    }

    /// Returns one process's part of that simulation. The part has no cell if the network cannot be
    /// divided among that number of processes.
    pub fn part(network: Network, flows: Vec<FlowSpec>, division: Division) -> Self {
        let mut simulation = Self::unbegun(network, flows, division, Statistics::Totals);
        simulation.cells.iter_mut().for_each(Cell::begin);
        simulation
    }

    /// Returns the simulation of `network` in one cell. Its traffic does not start before
    /// [`Cell::begin_traffic`] is called. Only its links have statistics of windows.
    pub fn waiting(network: Network, flows: Vec<FlowSpec>) -> Self {
        let mut simulation = Self::unbegun(network, flows, Division::here(1), Statistics::Windows);
        simulation.cells.iter_mut().for_each(Cell::begin_network);
        simulation
    }

    fn unbegun(
        network: Network,
        flows: Vec<FlowSpec>,
        division: Division,
        statistics: Statistics,
    ) -> Self {
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
            owners.add(number, &node.local);
            nodes.0.push(region.contains(cell).then_some(node));
        }
        let (flows, senders) = described(flows, &mut book);
        listen(&flows, &owners, &mut nodes);
        let mut joined = Joined::new(&network, &partition, &lookaheads, region.clone(), &islands);
        joined.keep(statistics);
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
        let cells = region.clone().map(|_| shared.cell()).collect();
        let mut own = OwnCells { cells, first: region.start };
        for ((number, node), cell) in (0..).zip(nodes.0).zip(&partition.nodes) {
            own.put(*cell, node, |cell, node| cell.net.hosts.add(number, node));
        }
        own.reserve(&wires);
        for (cell, number, wire) in wires {
            own.put(cell, Some(wire), |cell, wire| cell.net.plant.add_wire(number, wire));
        }
        for (cell, number, inlet) in inlets {
            own.put(cell, Some(inlet), |cell, inlet| cell.net.plant.add_inlet(number, inlet));
        }
        for (number, (cell, island)) in (0..).zip(islands) {
            own.put(cell, island, |cell, island| cell.net.plant.add_island(number, island));
        }
        for (number, sender) in (0..).zip(senders) {
            let from = shared.flows[number as usize].from;
            let cell = partition.nodes[from as usize];
            own.put(cell, Some(sender), |cell, sender| cell.traffic.add_sender(number, sender));
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
    /// Makes room for wires.
    fn reserve(&mut self, wires: &[(u32, u32, Wire)]) {
        let mut counts = vec![0; self.cells.len()];
        for (cell, ..) in wires {
            counts[(cell - self.first) as usize] += 1;
        }
        for (cell, count) in self.cells.iter_mut().zip(counts) {
            cell.net.plant.reserve(count);
        }
    }

    /// Puts `thing` into its cell, if this process has both.
    fn put<T>(&mut self, cell: u32, thing: Option<T>, put: impl FnOnce(&mut Cell, T)) {
        let place = cell.checked_sub(self.first);
        let cell = place.and_then(|place| self.cells.get_mut(place as usize));
        if let (Some(cell), Some(thing)) = (cell, thing) {
            put(cell, thing);
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

impl Shared {
    /// Returns a cell without nodes, links and senders.
    fn cell(&self) -> Cell {
        let (book, neighbours, owners) =
            (self.book.clone(), self.neighbours.clone(), self.owners.clone());
        let net = Net {
            queue: Queue::default(),
            plant: Plant::new(self.places.clone()),
            hosts: Hosts::new(book, neighbours, owners),
        };
        Cell::new(net, Traffic::new(self.flows.clone(), self.seed), self.timeline.clone())
    }
}

/// Makes the nodes that flows lead to listen on the flows' ports.
fn listen(flows: &[Flow], owners: &Owners, nodes: &mut Nodes) {
    for (number, flow) in (0..).zip(flows) {
        for owner in flow.to.iter().flat_map(|to| owners.of(*to)) {
            let Some(Node { stack, .. }) = nodes.get_mut(owner) else { continue };
            match &flow.kind {
                Kind::Ping | Kind::Twins(_) => {}
                Kind::Udp { port } => stack.open_port(*port),
                Kind::Tcp(tcp) => stack.listen(tcp.port, flow.from, number),
            }
        }
    }
}
