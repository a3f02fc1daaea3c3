//! Segments in packets. Not here: segments as bytes (`bytes`).

use netloom_tcp::{Ecn, SackBlocks, Segment};
use netloom_units::Time;

use crate::AddressId;
use crate::hosts::Peer;
use crate::packet::{Body, Flags, Fragment, HOP_LIMIT, IP_HEADERS, Packet, TcpHeader};

/// The ECN field: the two low bits of the traffic class (RFC 3168).
const ECN: u8 = 3;

/// Returns a packet that carries a segment. `ends` are its sender and the sender's peer.
pub(super) fn wrapped(
    segment: &Segment,
    sack: &SackBlocks,
    (source, (destination, destination_port, source_port)): (AddressId, Peer),
    v6: bool,
    traffic_class: u8,
) -> Packet {
    let header = IP_HEADERS[usize::from(v6)] + segment.header_len();
    let ecn = match segment.ecn {
        Ecn::NotEct => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    };
    let flags = Flags::DONT_FRAGMENT;
    Packet {
        source,
        destination,
        bytes: header + segment.len,
        source_port,
        destination_port,
        hop_limit: HOP_LIMIT,
        traffic_class: traffic_class & !ECN | ecn,
        flags: if v6 { flags.with(Flags::V6) } else { flags },
        fragment: Fragment::default(),
        body: Body::Segment(TcpHeader::new(segment, sack)),
    }
}

/// Marks a packet of a twin connection, which leaves now.
pub(super) fn twin(mut packet: Packet, now: Time) -> Packet {
    packet.flags = packet.flags.with(Flags::TWIN);
    if let Body::Segment(header) = &mut packet.body {
        header.note_sent(now);
    }
    packet
}

/// The ECN field of a packet.
pub(super) fn ecn_of(packet: &Packet) -> Ecn {
    match packet.traffic_class & ECN {
        0 => Ecn::NotEct,
        1 => Ecn::Ect1,
        2 => Ecn::Ect0,
        _ => Ecn::Ce,
    }
}

/// Returns the segment in a packet, without its ECN field.
pub(super) fn unwrapped(packet: &Packet) -> (Segment, SackBlocks) {
    let Body::Segment(header) = &packet.body else { return (Segment::EMPTY, SackBlocks::NONE) };
    let (mut segment, sack) = header.segment();
    segment.len = packet.bytes - packet.header_bytes() - segment.header_len();
    (segment, sack)
}
