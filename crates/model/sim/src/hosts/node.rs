//! A running node: its interfaces, its routes, and its stack. Not here: how it handles packets
//! (`forwarding`, `traffic::delivery`).

use std::sync::Arc;

use super::neighbours::Neighbours;
use super::route::{Exit, Known, Step, Table, own_routes};
use super::stack::Stack;
use crate::network::{InterfaceId, Route, RouteSource};
use crate::plant::Way;
use crate::{AddressBook, AddressId, Network};

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    pub forwards: bool,
    /// Whether it is a real node, joined to the simulation.
    pub is_real: bool,
    /// Whether it has failed, so that nothing runs in it.
    pub has_failed: bool,
    pub interfaces: Vec<Interface>,
    /// Number of the node.
    number: u32,
    table: Table,
    /// Routes that do not come from `source`.
    own: Vec<Route>,
    /// The source of the rest of the table, until it has been asked.
    source: Option<Arc<dyn RouteSource>>,
    known: Known,
    pub local: Vec<AddressId>,
    pub stack: Stack,
    pub counts: NodeCounts,
}

/// An interface.
#[derive(Debug)]
pub(crate) struct Interface {
    pub mac: [u8; 6],
    pub mtu: u32,
    pub way: Way,
    /// Source addresses for packets that leave here without one: IPv4, IPv6.
    sources: [Option<AddressId>; 2],
    /// Number of the group of interfaces that hear this one.
    segment: Option<u32>,
}

/// Packets that a node did not pass on or take, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeCounts {
    /// Packets whose hop limit ran out at this node.
    pub time_exceeded: u64,
    /// There was no route, or no neighbour with the address of the next hop.
    pub unreachable: u64,
    /// Packets that were too long for the next link.
    pub too_big: u64,
    /// Packets for other destinations, at a node that does not forward.
    pub not_forwarded: u64,
    /// No socket was open on their port.
    pub no_port: u64,
    /// A checksum failed.
    pub damaged: u64,
    /// The interface that they were to leave by has no link.
    pub no_link: u64,
}

impl std::ops::AddAssign for NodeCounts {
    fn add_assign(&mut self, other: Self) {
        self.time_exceeded += other.time_exceeded;
        self.unreachable += other.unreachable;
        self.too_big += other.too_big;
        self.not_forwarded += other.not_forwarded;
        self.no_port += other.no_port;
        self.damaged += other.damaged;
        self.no_link += other.no_link;
    }
}

impl Node {
    /// Returns the node numbered `number` of `network`, not joined to any link yet.
    pub fn new(
        network: &Network,
        number: u32,
        neighbours: &Neighbours,
        book: &mut AddressBook,
    ) -> Self {
        let node = &network.nodes[number as usize];
        let segment = |interface| neighbours.segment(InterfaceId { node: number, interface });
        let interfaces = (0..).zip(&node.interfaces).map(|(place, interface)| Interface {
            mac: interface.mac,
            mtu: interface.mtu,
            way: Way::Nothing,
            sources: [false, true].map(|v6| source_of(node, place as usize, v6, book)),
            segment: segment(place),
        });
        let interfaces: Vec<Interface> = interfaces.collect();
        let of_interfaces = node.interfaces.iter().flat_map(|interface| &interface.addresses);
        let own = of_interfaces.map(|prefix| prefix.address()).chain(node.loopback.iter().copied());
        let local = own.map(|address| book.enter(address)).collect();
        let own = own_routes(node);
        Self {
            forwards: node.forwards,
            is_real: node.real,
            has_failed: false,
            interfaces,
            number,
            table: Table::new(own.clone()),
            own,
            source: network.routes.clone(),
            known: Known::default(),
            local,
            stack: Stack::default(),
            counts: NodeCounts::default(),
        }
    }

    /// Returns where packets to `to` go.
    #[inline]
    pub fn exit(&mut self, to: AddressId, book: &AddressBook, neighbours: &Neighbours) -> Exit {
        match self.known.find(to) {
            Some(exit) => exit,
            None => self.find_out(to, book, neighbours),
        }
    }

    #[cold]
    fn find_out(&mut self, to: AddressId, book: &AddressBook, neighbours: &Neighbours) -> Exit {
        let exit = if self.local.contains(&to) {
            Exit::Local
        } else {
            self.complete_table();
            match self.table.step(book.address(to)) {
                None => Exit::NoRoute,
                Some(Step { interface, neighbour }) => {
                    let segment = self.interfaces[interface as usize].segment;
                    let found = segment.zip(book.find(neighbour));
                    let mac = found.and_then(|(segment, id)| neighbours.mac(segment, id));
                    mac.map_or(Exit::NoHost, |mac| Exit::Out { interface, mac })
                }
            }
        };
        self.known.enter(to, exit);
        exit
    }

    /// Returns the routing table, to be changed.
    #[cold]
    pub fn table(&mut self) -> &mut Table {
        self.complete_table();
        self.known.forget();
        &mut self.table
    }

    /// Makes `source` the source of the rest of the table.
    pub fn reroute(&mut self, source: &Arc<dyn RouteSource>) {
        self.table = Table::new(self.own.clone());
        self.source = Some(Arc::clone(source));
        self.known.forget();
    }

    fn complete_table(&mut self) {
        if let Some(source) = self.source.take() {
            self.table.add(source.routes(self.number));
        }
    }

    /// Returns the source address for packets to `to` that have none yet.
    pub fn source(&self, exit: Exit, to: AddressId, v6: bool) -> Option<AddressId> {
        match exit {
            Exit::Local => Some(to),
            Exit::Out { interface, .. } => {
                self.interfaces[interface as usize].sources[usize::from(v6)]
            }
            Exit::NoRoute | Exit::NoHost => {
                self.interfaces.iter().find_map(|interface| interface.sources[usize::from(v6)])
            }
        }
    }
}

/// Returns the first address of the wanted family at an interface, or else of the node.
fn source_of(
    node: &crate::network::Node,
    interface: usize,
    v6: bool,
    book: &mut AddressBook,
) -> Option<AddressId> {
    let at = |interface: &crate::network::Interface| {
        let mut all = interface.addresses.iter().map(|prefix| prefix.address());
        all.find(|address| address.is_ipv6() == v6)
    };
    let there = node.interfaces.get(interface).and_then(at);
    let elsewhere = || node.interfaces.iter().find_map(at);
    let loopback = || node.loopback.iter().copied().find(|address| address.is_ipv6() == v6);
    there.or_else(elsewhere).or_else(loopback).map(|address| book.enter(address))
}
