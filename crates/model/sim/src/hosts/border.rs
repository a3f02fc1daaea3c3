//! The border between real nodes and a simulated network. Real nodes send packets, as bytes,
//! through interfaces that the network describes, and receive the packets that arrive at these
//! interfaces. Not here: the devices (`engine`).

use std::net::IpAddr;

use super::Net;
use super::leaving::Leaving;
use crate::AddressBook;
use crate::bytes::{Refused, Strangers, parse, whole};
use crate::network::InterfaceId;
use crate::packet::{Body, Origin, Packet};
use crate::plant::Exits;

impl Net {
    /// Lets a real node send an IP packet now through its interface `at`, to the Ethernet address
    /// `to`.
    ///
    /// # Errors
    /// The reason why the packet goes nowhere.
    pub fn enter(&mut self, at: InterfaceId, to: [u8; 6], packet: &[u8]) -> Result<(), Refused> {
        let hosts = &mut self.hosts;
        let mut strangers = Strangers { book: &mut hosts.book, known: hosts.known_addresses };
        let origin = Origin { by: at, at: self.queue.now() };
        let packet = parse(packet, origin, &mut strangers)?;
        self.transmit(at.node, at.interface, to, packet);
        Ok(())
    }

    /// Returns the wires and islands through which packets reach real nodes.
    pub fn exits(&self) -> Exits {
        let nodes = &self.hosts.nodes;
        let is_real = |at: InterfaceId| nodes.get(at.node).is_some_and(|node| node.is_real);
        let of_real = nodes.iter().filter(|(_, node)| node.is_real);
        let ways = of_real.flat_map(|(_, node)| &node.interfaces).map(|interface| interface.way);
        self.plant.exits(is_real, ways)
    }

    /// Hands over a packet that has arrived at a real node, where it leaves the simulation.
    #[cold]
    pub(super) fn hand_over(&mut self, at: InterfaceId, packet: &Packet) {
        let origin = match &packet.body {
            Body::Raw(raw) => raw.origin(),
            _ => None,
        };
        let packet = whole(packet, &self.hosts.book);
        self.hosts.leaving.push(Leaving { at, time: self.queue.now(), origin, packet });
    }
}

/// Whether a packet is multicast or broadcast, as those of routing protocols and neighbour
/// discovery are. No simulated node takes part in these.
pub(super) fn is_for_many(packet: &Packet, book: &AddressBook) -> bool {
    match book.address(packet.destination) {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_multicast(),
    }
}
