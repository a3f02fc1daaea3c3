//! Error messages of nodes (RFC 792, RFC 4443). Not here: what nodes do when they receive one
//! (`traffic::delivery`).

use super::Net;
use super::forwarding::Sending;
use crate::AddressId;
use crate::bytes::{complaint, reply};
use crate::packet::{Body, Error, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet, mark_of};

/// Longest error message in bytes, by IP version. As in Linux: 576 (RFC 1812 §4.3.2.3), and the
/// least MTU of IPv6 (RFC 4443 §2.4).
const LONGEST_ERROR: [u32; 2] = [576, 1280];
/// Bytes of the headers of an error message, IP and ICMP, by IP version.
const ERROR_HEADERS: [u32; 2] = [28, 48];

impl Net {
    /// Sends an error message about a packet, unless the packet is an error message itself or a
    /// later fragment (RFC 1122 §3.2.2). Returns the message if it is for the node itself.
    #[cold]
    pub fn complain(
        &mut self,
        node: u32,
        packet: &Packet,
        kind: ErrorKind,
        mtu: u32,
    ) -> Option<Packet> {
        let is_error = match &packet.body {
            Body::Error(_) => true,
            Body::Raw(raw) => raw.is_error(),
            _ => false,
        };
        if is_error || packet.fragment.offset() > 0 {
            return None;
        }
        let v6 = packet.is_v6();
        let to = packet.source;
        let exit = self.hosts.exit(node, to);
        let state = &self.hosts.nodes[node];
        // A host answers from the address that the packet was sent to.
        let addressed = state.local.contains(&packet.destination).then_some(packet.destination);
        let source = addressed.or_else(|| state.source(exit, to, v6))?;
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
        self.send_message(node, message)
    }

    /// Sends an error message to a real node, with the beginning of the packet that it is about.
    #[cold]
    fn complain_in_bytes(
        &mut self,
        node: u32,
        packet: &Packet,
        source: AddressId,
        what: (ErrorKind, u32),
    ) -> Option<Packet> {
        let version = usize::from(packet.is_v6());
        let book = &self.hosts.book;
        let ends = [source, packet.source].map(|id| book.address(id));
        let quoted = LONGEST_ERROR[version] - ERROR_HEADERS[version];
        let body = complaint(what, packet, ends, quoted, book);
        let message = reply(packet, source, 0, body);
        self.send_message(node, message)
    }

    /// Sends an error message. Returns it if it is for the node itself.
    fn send_message(&mut self, node: u32, message: Packet) -> Option<Packet> {
        match self.send(node, message) {
            Sending::Local(message) => Some(message),
            Sending::Left | Sending::Unreachable(_) => None,
        }
    }
}

/// Returns the flags of an error message about `packet`.
fn flags_of_answer(packet: &Packet) -> Flags {
    let v6 = Flags::V6.with(Flags::DONT_FRAGMENT);
    let version = if packet.is_v6() { v6 } else { Flags::default() };
    if packet.is_twin() { version.with(Flags::TWIN) } else { version }
}
