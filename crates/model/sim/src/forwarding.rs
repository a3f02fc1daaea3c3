//! Packets at nodes: forwarding by IPv4 and IPv6 (RFC 1812, RFC 8200), path MTUs, fragments and
//! error messages (RFC 792, RFC 4443). Not here: how hosts handle packets that are addressed to
//! them (`host`).

use crate::AddressId;
use crate::border::is_for_many;
use crate::cell::Cell;
use crate::ethernet::EthernetFrame;
use crate::network::InterfaceId;
use crate::node::{Interface, Way};
use crate::packet::{Body, Error, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet};
use crate::queue::Entity;
use crate::raw::{complaint, reply};
use crate::route::Exit;
use crate::sending::mark_of;

/// Longest error message in bytes, by IP version. As in Linux: 576 (RFC 1812 §4.3.2.3), and the
/// least MTU of IPv6 (RFC 4443 §2.4).
const LONGEST_ERROR: [u32; 2] = [576, 1280];
/// Bytes of the headers of an error message, IP and ICMP, by IP version.
const ERROR_HEADERS: [u32; 2] = [28, 48];
/// The least MTU of IPv6. A path MTU is never set below it.
const LEAST_MTU: u32 = 1280;

impl Cell {
    /// Receives a packet at a node, through its interface `at`.
    #[inline]
    pub(crate) fn receive(&mut self, at: InterfaceId, packet: Packet) {
        let node = at.node;
        let state = &mut self.nodes[node];
        if packet.flags.has(Flags::DAMAGED) {
            state.counts.damaged += 1;
            return;
        }
        if state.is_real {
            return self.hand_over(at, &packet);
        }
        if matches!(packet.body, Body::Raw(_)) && is_for_many(&packet, &self.book) {
            return;
        }
        match state.exit(packet.destination, &self.book, &self.neighbours) {
            Exit::Local => self.deliver(node, packet),
            _ if !state.forwards => state.counts.not_forwarded += 1,
            Exit::Out { .. } if packet.hop_limit <= 1 => {
                state.counts.time_exceeded += 1;
                self.complain(node, &packet, ErrorKind::TimeExceeded, 0);
            }
            Exit::Out { interface, mac } => {
                let hop_limit = packet.hop_limit - 1;
                self.pass_on(node, interface, mac, Packet { hop_limit, ..packet });
            }
            Exit::NoRoute => self.unreachable(node, &packet, ErrorKind::NoRoute),
            Exit::NoHost => self.unreachable(node, &packet, ErrorKind::NoHost),
        }
    }

    fn unreachable(&mut self, node: u32, packet: &Packet, kind: ErrorKind) {
        self.nodes[node].counts.unreachable += 1;
        self.complain(node, packet, kind, 0);
    }

    /// Forwards a packet. One that is too long is fragmented if it may be.
    #[inline]
    fn pass_on(&mut self, node: u32, interface: u32, mac: [u8; 6], packet: Packet) {
        let mtu = self.nodes[node].interfaces[interface as usize].mtu;
        if packet.bytes <= mtu {
            self.transmit(node, interface, mac, packet);
        } else if packet.flags.has(Flags::DONT_FRAGMENT) {
            self.nodes[node].counts.too_big += 1;
            self.complain(node, &packet, ErrorKind::TooBig, mtu);
        } else {
            self.transmit_parts(node, interface, mac, packet, mtu);
        }
    }

    /// Sends a packet that a node has made.
    pub(crate) fn send(&mut self, node: u32, packet: Packet) {
        let state = &mut self.nodes[node];
        let (interface, mac) = match state.exit(packet.destination, &self.book, &self.neighbours) {
            Exit::Local => return self.deliver(node, packet),
            Exit::NoRoute | Exit::NoHost => {
                state.counts.unreachable += 1;
                self.refused(&packet);
                return;
            }
            Exit::Out { interface, mac } => (interface, mac),
        };
        let mtu = state.interfaces[interface as usize].mtu;
        let known = state.stack.path_mtus.get(&packet.destination);
        let mtu = known.map_or(mtu, |known| mtu.min(*known));
        if packet.bytes <= mtu {
            self.transmit(node, interface, mac, packet);
        } else {
            // As in Linux: fragments that a host makes of its own packet do not have DF set.
            let flags = if packet.is_v6() {
                packet.flags
            } else {
                packet.flags.without(Flags::DONT_FRAGMENT)
            };
            self.transmit_parts(node, interface, mac, Packet { flags, ..packet }, mtu);
        }
    }

    /// Counts a packet of a flow that could not be sent.
    fn refused(&mut self, packet: &Packet) {
        if let Body::Datagram(stamp) | Body::EchoRequest(stamp) = packet.body {
            self.counts.entry(stamp.flow).totals.refused += 1;
        }
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
        let stack = &mut self.nodes[node].stack;
        let ident = if packet.fragment.is_part() {
            packet.fragment.ident
        } else {
            stack.ident = stack.ident.wrapping_add(1);
            stack.ident
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

    /// Transmits a packet through an interface whose MTU it does not exceed.
    #[inline]
    pub(crate) fn transmit(&mut self, node: u32, interface: u32, mac: [u8; 6], packet: Packet) {
        let Interface { way, mac: own, .. } = self.nodes[node].interfaces[interface as usize];
        match way {
            Way::Pipe(number) => {
                let now = self.now;
                let wire = &mut self.wires[number];
                if wire.taps.is_some() || wire.meter.is_some() {
                    return self.transmit_watched(number, packet);
                }
                // A packet that the pipe rejects is lost. The pipe has counted it.
                let _ = wire.pipe.offer(now, packet.info(), packet);
                self.finish(number);
            }
            Way::Island { island, port } => {
                let ends = [packet.source, packet.destination].map(|id| self.book.address(id));
                let frame = EthernetFrame::new(own, mac, packet, ends);
                let now = self.now;
                self.islands[island].network.offer(port, now, frame);
                self.queue.set(Entity::Island(island), Some(now));
            }
            Way::Nothing => self.nodes[node].counts.no_link += 1,
        }
    }

    /// Sends an error message about a packet, unless the packet is an error message itself or a
    /// later fragment (RFC 1122 §3.2.2).
    #[cold]
    pub(crate) fn complain(&mut self, node: u32, packet: &Packet, kind: ErrorKind, mtu: u32) {
        let is_error = match &packet.body {
            Body::Error(_) => true,
            Body::Raw(raw) => raw.is_error(),
            _ => false,
        };
        if is_error || packet.fragment.offset() > 0 {
            return;
        }
        let v6 = packet.is_v6();
        let to = packet.source;
        let state = &mut self.nodes[node];
        let exit = state.exit(to, &self.book, &self.neighbours);
        // A host answers from the address that the packet was sent to.
        let addressed = state.local.contains(&packet.destination).then_some(packet.destination);
        let Some(source) = addressed.or_else(|| state.source(exit, to, v6)) else { return };
        let version = usize::from(v6);
        let bytes = (ERROR_HEADERS[version] + packet.bytes).min(LONGEST_ERROR[version]);
        if matches!(&packet.body, Body::Raw(raw) if raw.origin().is_some()) {
            return self.complain_in_bytes(node, packet, source, (kind, mtu));
        }
        let error = Error {
            kind,
            protocol: packet.protocol(),
            source_port: packet.source_port,
            destination_port: packet.destination_port,
            // No IP packet is longer than `u16::MAX`.
            bytes: packet.bytes as u16,
            hop_limit: packet.hop_limit,
            traffic_class: packet.traffic_class,
            flags: packet.flags,
            mtu,
            destination: packet.destination,
            flow: packet.stamp().and_then(|stamp| mark_of(stamp.flow)),
        };
        let message = Packet {
            source,
            destination: to,
            bytes,
            source_port: 0,
            destination_port: 0,
            hop_limit: HOP_LIMIT,
            traffic_class: 0,
            flags: flags_of_answer(packet),
            fragment: Fragment::default(),
            body: Body::Error(error),
        };
        self.send(node, message);
    }

    /// Sends an error message to a real node, with the beginning of the packet that it is about.
    #[cold]
    fn complain_in_bytes(
        &mut self,
        node: u32,
        packet: &Packet,
        source: AddressId,
        what: (ErrorKind, u32),
    ) {
        let version = usize::from(packet.is_v6());
        let ends = [source, packet.source].map(|id| self.book.address(id));
        let quoted = LONGEST_ERROR[version] - ERROR_HEADERS[version];
        let body = complaint(what, packet, ends, quoted, &self.book);
        self.send(node, reply(packet, source, 0, body));
    }

    /// Learns from an error message that a packet was too long. The node sends shorter ones from
    /// now on.
    pub(crate) fn learn_path_mtu(&mut self, node: u32, error: &Error, v6: bool) {
        let mtu = if v6 { error.mtu.max(LEAST_MTU) } else { error.mtu };
        let known = self.nodes[node].stack.path_mtus.entry(error.destination);
        let known = known.or_insert(mtu);
        *known = mtu.min(*known);
    }
}

/// Returns the flags of an error message about `packet`.
fn flags_of_answer(packet: &Packet) -> Flags {
    let v6 = Flags::V6.with(Flags::DONT_FRAGMENT);
    let version = if packet.is_v6() { v6 } else { Flags::default() };
    if packet.is_twin() { version.with(Flags::TWIN) } else { version }
}
