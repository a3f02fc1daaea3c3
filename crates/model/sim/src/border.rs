//! The border between real nodes and a simulated network. Real nodes send packets, as bytes,
//! through interfaces that the network describes, and receive the packets that arrive at these
//! interfaces. Not here: the devices (`engine`).

use std::net::IpAddr;

use netloom_units::Time;

use crate::cell::{Cell, PipeLocation};
use crate::foreign::{TCP, segment_of};
use crate::network::InterfaceId;
use crate::packet::{Body, Packet};
use crate::raw::{Answer, Origin, RawBody, Refused, Strangers, answer, parse};
use crate::{AddressBook, bytes, node};

/// The protocol number of UDP.
const UDP: u8 = 17;

/// A packet that has arrived at a real node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaving {
    /// The interface of the real node.
    pub at: InterfaceId,
    /// Time of arrival.
    pub time: Time,
    /// Interface and time at which a real node sent the packet, if one did.
    pub origin: Option<Origin>,
    /// The IP packet.
    pub packet: Vec<u8>,
}

/// The wires and islands through which packets reach real nodes.
#[derive(Debug, Clone, Default)]
pub struct Exits {
    places: Vec<PipeLocation>,
}

impl Cell {
    /// Lets a real node send an IP packet now through its interface `at`, to the Ethernet address
    /// `to`.
    ///
    /// # Errors
    /// The reason why the packet goes nowhere.
    pub fn enter(&mut self, at: InterfaceId, to: [u8; 6], packet: &[u8]) -> Result<(), Refused> {
        let mut strangers = Strangers { book: &mut self.book, known: self.known_addresses };
        let origin = Origin { by: at, at: self.now };
        let packet = parse(packet, origin, &mut strangers)?;
        self.transmit(at.node, at.interface, to, packet);
        Ok(())
    }

    /// Takes the packets that have arrived at real nodes, in order.
    pub fn take_leaving(&mut self) -> Vec<Leaving> {
        std::mem::take(&mut self.leaving)
    }

    /// Returns the wires and islands through which packets reach real nodes.
    pub fn exits(&self) -> Exits {
        let is_real = |at: InterfaceId| self.nodes.get(at.node).is_some_and(|node| node.is_real);
        let wires = self.wires.iter().filter(|(_, wire)| is_real(wire.to));
        let mut places: Vec<PipeLocation> =
            wires.map(|(number, _)| PipeLocation::Wire(number)).collect();
        let of_real = self.nodes.iter().filter(|(_, node)| node.is_real);
        let ways = of_real.flat_map(|(_, node)| &node.interfaces).map(|interface| interface.way);
        for way in ways {
            if let node::Way::Island { island, .. } = way
                && !places.contains(&PipeLocation::Island(island))
            {
                places.push(PipeLocation::Island(island));
            }
        }
        Exits { places }
    }

    /// Earliest time at which a packet may arrive at a real node, if nothing else happens before.
    pub fn next_leaving(&mut self, exits: &Exits) -> Option<Time> {
        let next = exits.places.iter().map(|place| match place {
            PipeLocation::Wire(wire) => self.wires[*wire].pipe.next_deadline(),
            PipeLocation::Island(island) => self.islands[*island].network.next_deadline(),
        });
        next.flatten().min()
    }

    /// Hands over a packet that has arrived at a real node, where it leaves the simulation.
    #[cold]
    pub(crate) fn hand_over(&mut self, at: InterfaceId, packet: &Packet) {
        let origin = match &packet.body {
            Body::Raw(raw) => raw.origin(),
            _ => None,
        };
        let packet = bytes::whole(packet, &self.book);
        self.leaving.push(Leaving { at, time: self.now, origin, packet });
    }

    /// Delivers a packet of a real node to the host that it is addressed to.
    #[cold]
    pub(crate) fn deliver_raw(&mut self, node: u32, packet: &Packet, raw: &RawBody) {
        match raw.protocol() {
            TCP => {
                if let Some((segment, sack, payload)) = segment_of(raw) {
                    self.take_segment(node, packet, (segment, sack), &payload);
                }
                return;
            }
            // A flow receives on this port.
            UDP if self.nodes[node].stack.ports.contains(&packet.destination_port) => return,
            _ => {}
        }
        match answer(packet, raw, &self.book) {
            Answer::Packet(reply) => self.send(node, reply),
            Answer::Complaint(kind) => {
                self.nodes[node].counts.no_port += 1;
                self.complain(node, packet, kind, 0);
            }
            Answer::Nothing => {}
        }
    }
}

/// Whether a packet is multicast or broadcast, as those of routing protocols and neighbour
/// discovery are. No simulated node takes part in these.
pub(crate) fn is_for_many(packet: &Packet, book: &AddressBook) -> bool {
    match book.address(packet.destination) {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_multicast(),
    }
}
