//! Packets of real nodes: plain values like all packets, plus the bytes behind their IP header. Not
//! here: how they enter and leave (`border`), and how the network handles them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use etherparse::IpNumber;
use netloom_units::Time;

use crate::foreign::TCP;
use crate::network::InterfaceId;
use crate::packet::{Body, ETHERNET, ErrorKind, Flags, Fragment, HOP_LIMIT, Packet};
use crate::{AddressBook, AddressId, bytes};

/// The bytes behind the IP header of a packet. The fragments of a packet share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBody {
    /// Protocol of these bytes. For IPv6, the first next header.
    protocol: u8,
    /// The flow label of IPv6.
    flow_label: u32,
    /// Offset of `data` in the data of the whole packet. Above 0 if a real node sent a fragment.
    begins: u32,
    /// Interface and time at which a real node sent the packet, if one did.
    origin: Option<Origin>,
    data: Arc<[u8]>,
}

/// Interface and time at which a packet of a real node entered the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The interface.
    pub by: InterfaceId,
    /// The time.
    pub at: Time,
}

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
    let bytes = header + body.data.len() as u32;
    Some(Headers { ends, protocol: body.protocol, ports: body.ports(), bytes, fields })
}

/// Returns the two ends of a connection and a segment of it. `None` if the IP packet carries no
/// complete segment.
pub(crate) fn tcp(packet: &[u8]) -> Option<([SocketAddr; 2], RawBody)> {
    let Parsed { ends: [from, to], fields, body } = read(packet)?;
    let is_whole = body.protocol == TCP && !fields.fragment.is_part();
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
        bytes: header + body.data.len() as u32,
        source_port,
        destination_port,
        hop_limit,
        traffic_class,
        flags,
        fragment,
        body: Body::Raw(Box::new(RawBody { origin: Some(origin), ..body })),
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
    let body = RawBody { begins: offset, ..RawBody::new(packet[9], data) };
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
    let flow_label = start & 0xf_ffff;
    let body = RawBody { flow_label, ..RawBody::new(packet[6], data) };
    Some(Parsed { ends, fields, body })
}

impl RawBody {
    /// Returns the body of a packet that a simulated node sends, with `data` behind the IP header.
    pub(crate) fn new(protocol: u8, data: &[u8]) -> Self {
        Self { protocol, flow_label: 0, begins: 0, origin: None, data: data.into() }
    }

    /// Returns the whole body of which this one is a fragment.
    pub(crate) fn with(&self, data: &[u8]) -> Self {
        Self { origin: self.origin, ..Self::new(self.protocol, data) }
    }

    /// Interface and time at which a real node sent the packet, if one did.
    pub(crate) const fn origin(&self) -> Option<Origin> {
        self.origin
    }

    /// Returns all bytes behind the IP header.
    pub(crate) fn all(&self) -> &[u8] {
        &self.data
    }

    /// Protocol of the bytes behind the IP header.
    pub const fn protocol(&self) -> u8 {
        self.protocol
    }

    pub(crate) const fn flow_label(&self) -> u32 {
        self.flow_label
    }

    /// Returns the part of the body that `packet`, which may be a fragment, carries.
    pub(crate) fn carried(&self, packet: &Packet) -> &[u8] {
        let from = packet.fragment.offset().saturating_sub(self.begins) as usize;
        let length = packet.bytes.saturating_sub(packet.header_bytes()) as usize;
        let from = from.min(self.data.len());
        &self.data[from..(from + length).min(self.data.len())]
    }

    /// Returns the ports, or zeros if the protocol has none or they are not in this fragment.
    fn ports(&self) -> [u16; 2] {
        const WITH_PORTS: [IpNumber; 4] =
            [IpNumber::TCP, IpNumber::UDP, IpNumber::SCTP, IpNumber::DCCP];
        let has_ports = WITH_PORTS.contains(&IpNumber(self.protocol)) && self.begins == 0;
        let port = |at| word(&self.data, at).filter(|_| has_ports).unwrap_or(0);
        [port(0), port(2)]
    }

    /// Flips `bits`, counted from the first bit of the Ethernet header, and returns whether all of
    /// them are in the data. An IP header of `header` bytes precedes the data.
    pub(crate) fn flip_bits(&mut self, bits: &[u64], header: u32) -> bool {
        let data = Arc::make_mut(&mut self.data);
        let mut all = true;
        for bit in bits {
            let at = (bit / 8).checked_sub(u64::from(ETHERNET + header));
            let byte = at.and_then(|at| data.get_mut(usize::try_from(at).ok()?));
            all &= byte.is_some();
            if let Some(byte) = byte {
                *byte ^= 0x80 >> (bit % 8);
            }
        }
        all
    }

    /// Whether the body is an ICMP or ICMPv6 error message, which must not be answered with another
    /// one.
    pub(crate) fn is_error(&self) -> bool {
        match (self.protocol, self.data.first()) {
            (1, Some(kind)) => matches!(kind, 3 | 4 | 5 | 11 | 12),
            (58, Some(kind)) => *kind < 128,
            _ => false,
        }
    }

    /// Returns the body of the reply if this is an echo request between `source` and `destination`.
    fn echo_reply(&self, [source, destination]: [IpAddr; 2]) -> Option<Self> {
        let (request, reply) = match self.protocol {
            1 => (8, 0),
            58 => (128, 129),
            _ => return None,
        };
        let rest: [u8; 4] = *self.data.get(4..)?.first_chunk()?;
        if self.data[0] != request {
            return None;
        }
        let ends = [destination, source];
        Some(Self::new(self.protocol, &bytes::icmp([reply, 0], rest, ends, &self.data[8..])))
    }
}

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
    let body = match IpNumber(raw.protocol) {
        IpNumber::ICMP | IpNumber::IPV6_ICMP => raw.echo_reply(ends),
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
        bytes: header + body.data.len() as u32,
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
    let whole = bytes::whole(packet, book);
    let quoted = (quoted as usize).min(whole.len());
    let protocol = if packet.is_v6() { IpNumber::IPV6_ICMP } else { IpNumber::ICMP };
    RawBody::new(protocol.0, &bytes::error_message(kind, mtu, ends, &whole[..quoted]))
}
