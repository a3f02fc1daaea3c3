//! Parses packets of real nodes: plain values like all packets, plus the bytes behind their IP
//! header. Not here: how they enter and leave (`hosts::border`), and how the network handles them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use crate::packet::{Body, Flags, Fragment, Origin, Packet, RawBody};
use crate::{AddressBook, AddressId};

/// The protocol number of TCP.
pub(crate) const TCP: u8 = 6;
/// The protocol number of UDP.
pub(crate) const UDP: u8 = 17;

/// The reason why a packet of a real node goes nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The packet is not a complete packet of IPv4 or IPv6.
    #[error("it is no whole IP packet")]
    Malformed,
    /// The packet contains a new address, and there are too many of these already.
    #[error("real nodes have named too many addresses that the network does not have")]
    TooManyAddresses,
}

/// Number of addresses that real nodes may add to those of the network. Each takes memory for good.
const MOST_STRANGERS: usize = 1 << 16;

/// The addresses of a network, to which packets of real nodes may add.
pub(crate) struct Strangers<'a> {
    pub book: &'a mut Arc<AddressBook>,
    /// Number of addresses that the network itself has.
    pub known: usize,
}

impl Strangers<'_> {
    fn enter(&mut self, address: IpAddr) -> Result<AddressId, Refused> {
        if let Some(id) = self.book.find(address) {
            return Ok(id);
        }
        if self.book.len() >= self.known + MOST_STRANGERS {
            return Err(Refused::TooManyAddresses);
        }
        Ok(Arc::make_mut(self.book).enter(address))
    }
}

/// The fields of an IP packet's headers that the simulation uses.
pub(crate) struct Headers {
    pub ends: [IpAddr; 2],
    pub fields: Fields,
    pub protocol: u8,
    pub ports: [u16; 2],
    pub bytes: u32,
}

/// Returns the headers of an IP packet, or `None` if it is not a complete one.
pub(crate) fn headers(packet: &[u8]) -> Option<Headers> {
    let Parsed { ends, fields, body } = read(packet)?;
    let header = if fields.flags.has(Flags::V6) { 40 } else { 20 };
    // No IP packet is longer than 64 KiB.
    let bytes = header + body.all().len() as u32;
    Some(Headers { ends, protocol: body.protocol(), ports: body.ports(), bytes, fields })
}

/// Returns the two ends of a connection and a segment of it. `None` if the IP packet carries no
/// complete segment.
pub(crate) fn tcp(packet: &[u8]) -> Option<([SocketAddr; 2], RawBody)> {
    let Parsed { ends: [from, to], fields, body } = read(packet)?;
    let is_whole = body.protocol() == TCP && !fields.fragment.is_part();
    let [source, destination] = body.ports();
    is_whole.then(|| ([SocketAddr::new(from, source), SocketAddr::new(to, destination)], body))
}

fn read(packet: &[u8]) -> Option<Parsed> {
    match packet.first()? >> 4 {
        4 => parse_v4(packet),
        6 => parse_v6(packet),
        _ => None,
    }
}

/// Parses an IP packet of a real node. Options of IPv4 are left out.
pub(crate) fn parse(
    packet: &[u8],
    origin: Origin,
    addresses: &mut Strangers<'_>,
) -> Result<Packet, Refused> {
    let parsed = read(packet).ok_or(Refused::Malformed)?;
    let Parsed { ends: [source, destination], fields, body } = parsed;
    let (source, destination) = (addresses.enter(source)?, addresses.enter(destination)?);
    let Fields { hop_limit, traffic_class, flags, fragment } = fields;
    let header = if flags.has(Flags::V6) { 40 } else { 20 };
    let [source_port, destination_port] = body.ports();
    Ok(Packet {
        source,
        destination,
        // No IP packet is longer than 64 KiB.
        bytes: header + body.all().len() as u32,
        source_port,
        destination_port,
        hop_limit,
        traffic_class,
        flags,
        fragment,
        body: Body::Raw(Box::new(body.sent_by(origin))),
    })
}

/// A parsed packet.
struct Parsed {
    ends: [IpAddr; 2],
    fields: Fields,
    body: RawBody,
}

/// The header fields that the two versions of IP have in common.
pub(crate) struct Fields {
    pub hop_limit: u8,
    pub traffic_class: u8,
    pub flags: Flags,
    pub fragment: Fragment,
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn parse_v4(packet: &[u8]) -> Option<Parsed> {
    let header = usize::from(packet[0] & 15) * 4;
    let total = usize::from(word(packet, 2)?);
    let place = word(packet, 6)?;
    let address = |at: usize| {
        let bytes: [u8; 4] = *packet.get(at..)?.first_chunk()?;
        Some(IpAddr::V4(Ipv4Addr::from(bytes)))
    };
    let ends = [address(12)?, address(16)?];
    let data = packet.get(header.max(20)..total)?;
    let (offset, more) = (u32::from(place & 0x1fff) * 8, place & 0x2000 != 0);
    let dont_fragment = if place & 0x4000 != 0 { Flags::DONT_FRAGMENT } else { Flags::default() };
    let fields = Fields {
        hop_limit: packet[8],
        traffic_class: packet[1],
        flags: dont_fragment,
        fragment: Fragment::new(word(packet, 4)?, offset, more),
    };
    let body = RawBody::new(packet[9], data).beginning(offset);
    Some(Parsed { ends, fields, body })
}

fn parse_v6(packet: &[u8]) -> Option<Parsed> {
    let address = |at: usize| {
        let bytes: [u8; 16] = *packet.get(at..)?.first_chunk()?;
        Some(IpAddr::V6(Ipv6Addr::from(bytes)))
    };
    let ends = [address(8)?, address(24)?];
    let data = packet.get(40..40 + usize::from(word(packet, 4)?))?;
    let start = u32::from_be_bytes(*packet.first_chunk()?);
    let fields = Fields {
        hop_limit: packet[7],
        traffic_class: (start >> 20) as u8,
        flags: Flags::V6.with(Flags::DONT_FRAGMENT),
        fragment: Fragment::default(),
    };
    let body = RawBody::new(packet[6], data).labelled(start & 0xf_ffff);
    Some(Parsed { ends, fields, body })
}
