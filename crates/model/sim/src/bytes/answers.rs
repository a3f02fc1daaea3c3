//! Answers of simulated hosts to packets of real nodes, as bytes. Not here: connections
//! (`traffic::guest`).

use std::net::IpAddr;

use etherparse::IpNumber;

use super::headers::{error_message, icmp, whole};
use crate::packet::{Body, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet, RawBody};
use crate::{AddressBook, AddressId};

/// The answer of a simulated host to a packet of a real node.
pub(crate) enum Answer {
    /// A packet.
    Packet(Packet),
    /// An error message.
    Complaint(ErrorKind),
    /// No answer.
    Nothing,
}

/// Returns the answer of a host that has no socket for the packet.
pub(crate) fn answer(packet: &Packet, raw: &RawBody, book: &AddressBook) -> Answer {
    let ends = [packet.source, packet.destination].map(|id| book.address(id));
    let body = match IpNumber(raw.protocol()) {
        IpNumber::ICMP | IpNumber::IPV6_ICMP => echo_reply(raw, ends),
        IpNumber::UDP => return Answer::Complaint(ErrorKind::NoPort),
        _ => None,
    };
    let class = packet.traffic_class;
    let reply = |body| Answer::Packet(reply(packet, packet.destination, class, body));
    body.map_or(Answer::Nothing, reply)
}

/// Returns a packet with `body` from `source` to the sender of `to`.
pub(crate) fn reply(to: &Packet, source: AddressId, class: u8, body: RawBody) -> Packet {
    let v6 = Flags::V6.with(Flags::DONT_FRAGMENT);
    let flags = if to.is_v6() { v6 } else { Flags::default() };
    let header = if to.is_v6() { 40 } else { 20 };
    let [source_port, destination_port] = body.ports();
    Packet {
        source,
        destination: to.source,
        bytes: header + body.all().len() as u32,
        source_port,
        destination_port,
        hop_limit: HOP_LIMIT,
        traffic_class: class,
        flags,
        fragment: Fragment::default(),
        body: Body::Raw(Box::new(body)),
    }
}

/// Returns the body of an error message about `packet`, sent between `ends`. It quotes at most
/// `quoted` bytes of the packet.
pub(crate) fn complaint(
    (kind, mtu): (ErrorKind, u32),
    packet: &Packet,
    ends: [IpAddr; 2],
    quoted: u32,
    book: &AddressBook,
) -> RawBody {
    let whole = whole(packet, book);
    let quoted = (quoted as usize).min(whole.len());
    let protocol = if packet.is_v6() { IpNumber::IPV6_ICMP } else { IpNumber::ICMP };
    RawBody::new(protocol.0, &error_message(kind, mtu, ends, &whole[..quoted]))
}

/// Returns the body of the reply if `raw` is an echo request between `source` and `destination`.
fn echo_reply(raw: &RawBody, [source, destination]: [IpAddr; 2]) -> Option<RawBody> {
    let (request, reply) = match raw.protocol() {
        1 => (8, 0),
        58 => (128, 129),
        _ => return None,
    };
    let rest: [u8; 4] = *raw.all().get(4..)?.first_chunk()?;
    if raw.all()[0] != request {
        return None;
    }
    let ends = [destination, source];
    Some(RawBody::new(raw.protocol(), &icmp([reply, 0], rest, ends, &raw.all()[8..])))
}
