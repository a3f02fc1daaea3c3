//! The network that traffic goes through: nodes, the links below them, and the time. Not here:
//! traffic.

use netloom_units::Time;

use super::Hosts;
use super::node::Interface;
use crate::Packet;
use crate::plant::{EthernetFrame, Plant, Way};
use crate::queue::{Entity, Queue};

/// The network of a cell. Packets come from traffic above it ([`send`](Self::send)) and from links
/// below it ([`receive`](Self::receive)); those for a node itself are returned to the caller, who
/// delivers them.
#[derive(Debug)]
pub(crate) struct Net {
    /// Events of the cell, and its time.
    pub queue: Queue,
    /// Links of the cell.
    pub plant: Plant,
    /// Nodes of the cell.
    pub hosts: Hosts,
}

impl Net {
    /// Current time.
    #[inline]
    pub const fn now(&self) -> Time {
        self.queue.now()
    }

    /// Sets the deadline of an entity.
    #[inline]
    pub fn schedule(&mut self, entity: Entity, deadline: Option<Time>) {
        self.queue.set(entity, deadline);
    }

    /// Transmits a packet through an interface whose MTU it does not exceed.
    pub fn transmit(&mut self, node: u32, interface: u32, mac: [u8; 6], packet: Packet) {
        let Interface { way, mac: own, .. } = self.hosts.nodes[node].interfaces[interface as usize];
        self.put(node, way, [own, mac], packet);
    }

    /// Puts a packet of a node on the way that one of its interfaces leads to, between two Ethernet
    /// addresses.
    #[inline]
    pub(super) fn put(&mut self, node: u32, way: Way, macs: [[u8; 6]; 2], packet: Packet) {
        match way {
            Way::Pipe(number) => self.plant.offer(&mut self.queue, number, packet),
            Way::Island { island, port } => {
                let book = &self.hosts.book;
                let ends = [packet.source, packet.destination].map(|id| book.address(id));
                let frame = EthernetFrame::new(macs[0], macs[1], packet, ends);
                self.plant.offer_frame(&mut self.queue, (island, port), frame);
            }
            Way::Nothing => self.hosts.nodes[node].counts.no_link += 1,
        }
    }
}
