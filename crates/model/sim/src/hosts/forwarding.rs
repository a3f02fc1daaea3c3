//! Packets at nodes: forwarding by IPv4 and IPv6 (RFC 1812, RFC 8200), path MTUs and fragments. Not
//! here: how hosts handle packets that are addressed to them (`traffic::delivery`).

use super::border::is_for_many;
use super::node::Interface;
use super::route::Exit;
use super::{Hosts, Net};
use crate::network::InterfaceId;
use crate::packet::{Body, ErrorKind, Flags, Fragment, Packet};

/// What becomes of a packet that a node sends.
#[derive(Debug)]
pub(crate) enum Sending {
    /// It has left the node.
    Left,
    /// The node itself is to receive it.
    Local(Packet),
    /// There is no route, or no neighbour with the address of the next hop.
    Unreachable(Packet),
}

impl Net {
    /// Receives a packet at a node, through its interface `at`. Returns a packet that is for the
    /// node itself: the received one, or an error message about it.
    #[inline]
    pub fn receive(&mut self, at: InterfaceId, mut packet: Packet) -> Option<Packet> {
        let node = at.node;
        let Hosts { nodes, book, neighbours, .. } = &mut self.hosts;
        let state = &mut nodes[node];
        if packet.flags.has(Flags::DAMAGED) {
            state.counts.damaged += 1;
            return None;
        }
        if state.is_real {
            self.hand_over(at, &packet);
            return None;
        }
        if matches!(packet.body, Body::Raw(_)) && is_for_many(&packet, book) {
            return None;
        }
        match state.exit(packet.destination, book, neighbours) {
            Exit::Local => Some(packet),
            _ if !state.forwards => {
                state.counts.not_forwarded += 1;
                None
            }
            Exit::Out { .. } if packet.hop_limit <= 1 => {
                state.counts.time_exceeded += 1;
                self.complain(node, &packet, ErrorKind::TimeExceeded, 0)
            }
            Exit::Out { interface, mac } => {
                packet.hop_limit -= 1;
                let Interface { way, mtu, mac: own, .. } = state.interfaces[interface as usize];
                if packet.bytes <= mtu {
                    self.put(node, way, [own, mac], packet);
                    None
                } else {
                    self.pass_on_long(node, (interface, mac), packet, mtu)
                }
            }
            Exit::NoRoute => self.unreachable(node, &packet, ErrorKind::NoRoute),
            Exit::NoHost => self.unreachable(node, &packet, ErrorKind::NoHost),
        }
    }

    fn unreachable(&mut self, node: u32, packet: &Packet, kind: ErrorKind) -> Option<Packet> {
        self.hosts.nodes[node].counts.unreachable += 1;
        self.complain(node, packet, kind, 0)
    }

    /// Forwards a packet that is too long: it is fragmented if it may be.
    #[cold]
    fn pass_on_long(
        &mut self,
        node: u32,
        (interface, mac): (u32, [u8; 6]),
        packet: Packet,
        mtu: u32,
    ) -> Option<Packet> {
        if packet.flags.has(Flags::DONT_FRAGMENT) {
            self.hosts.nodes[node].counts.too_big += 1;
            return self.complain(node, &packet, ErrorKind::TooBig, mtu);
        }
        self.transmit_parts(node, interface, mac, packet, mtu);
        None
    }

    /// Sends a packet that a node has made.
    pub fn send(&mut self, node: u32, packet: Packet) -> Sending {
        let Hosts { nodes, book, neighbours, .. } = &mut self.hosts;
        let state = &mut nodes[node];
        let (interface, mac) = match state.exit(packet.destination, book, neighbours) {
            Exit::Local => return Sending::Local(packet),
            Exit::NoRoute | Exit::NoHost => {
                state.counts.unreachable += 1;
                return Sending::Unreachable(packet);
            }
            Exit::Out { interface, mac } => (interface, mac),
        };
        let Interface { way, mtu, mac: own, .. } = state.interfaces[interface as usize];
        let mtu = state.stack.path_mtu(packet.destination, mtu);
        if packet.bytes <= mtu {
            self.put(node, way, [own, mac], packet);
        } else {
            // As in Linux: fragments that a host makes of its own packet do not have DF set.
            let flags = if packet.is_v6() {
                packet.flags
            } else {
                packet.flags.without(Flags::DONT_FRAGMENT)
            };
            self.transmit_parts(node, interface, mac, Packet { flags, ..packet }, mtu);
        }
        Sending::Left
    }

    /// Transmits a packet through an interface, in fragments (RFC 791 §3.2, RFC 8200 §4.5).
    #[cold]
    fn transmit_parts(
        &mut self,
        node: u32,
        interface: u32,
        mac: [u8; 6],
        packet: Packet,
        mtu: u32,
    ) {
        let ident = if packet.fragment.is_part() {
            packet.fragment.ident
        } else {
            self.hosts.stack(node).next_ident()
        };
        // IPv6 adds a fragment header.
        let header = if packet.is_v6() { 48 } else { 20 };
        let data = packet.bytes - packet.header_bytes();
        let each = (mtu.saturating_sub(header) & !7).max(8);
        let mut at = 0;
        while at < data {
            let length = each.min(data - at);
            let more = at + length < data || packet.fragment.more();
            let fragment = Fragment::new(ident, packet.fragment.offset() + at, more);
            let part = Packet { bytes: header + length, fragment, ..packet.clone() };
            self.transmit(node, interface, mac, part);
            at += length;
        }
    }
}
