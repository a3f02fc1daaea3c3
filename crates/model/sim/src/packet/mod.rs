//! Packets as plain values: headers as numbers, no bytes. A packet is moved from place to place and
//! never shared. Only the rare options of a TCP segment are on the heap. Not here: how nodes handle
//! packets.
//!
//! | module | contents |
//! |---|---|
//! | `raw_body` | the bytes of packets of real nodes: [`RawBody`] |

mod raw_body;

use std::net::IpAddr;
use std::num::NonZeroU32;

use netloom_link::{Dscp, Ecn, FrameInfo, Header};
use netloom_tcp::{SackBlocks, Segment, SynOptions, Timestamps};
use netloom_units::Time;

use crate::AddressId;

pub use raw_body::{Origin, RawBody};

/// Bytes of an Ethernet header.
pub(crate) const ETHERNET: u32 = 14;

/// The hop limit of packets that nodes send (Linux's default, `net.ipv4.ip_default_ttl`).
pub(crate) const HOP_LIMIT: u8 = 64;

/// Length of an IPv4 and of an IPv6 header, in bytes.
pub(crate) const IP_HEADERS: [u32; 2] = [20, 40];
/// Length of the header of ICMP echo and of UDP, in bytes.
pub(crate) const UPPER_HEADER: u32 = 8;

/// An IP packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// Source address.
    pub source: AddressId,
    /// Destination address.
    pub destination: AddressId,
    /// Bytes of the whole packet, IP header included.
    pub bytes: u32,
    /// Source port, or 0 if the protocol has none.
    pub source_port: u16,
    /// Destination port, or 0 if the protocol has none.
    pub destination_port: u16,
    /// Number of nodes that may still forward the packet (IPv4: time to live).
    pub hop_limit: u8,
    /// DSCP and ECN, as in the traffic class of IPv6 and the second byte of IPv4.
    pub traffic_class: u8,
    /// Version and flags.
    pub flags: Flags,
    /// The fragment that this packet is, or a whole packet.
    pub fragment: Fragment,
    /// The payload.
    pub body: Body,
}

const _: () = assert!(size_of::<Packet>() <= 56, "a packet is a small value");

/// Version and flags of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u8);

impl Flags {
    /// The packet is IPv6.
    pub const V6: Self = Self(1);
    /// Routers may not fragment the packet: it is IPv6, or IPv4 with the flag DF.
    pub const DONT_FRAGMENT: Self = Self(2);
    /// Bits of the packet were flipped. A checksum fails at the next node.
    pub const DAMAGED: Self = Self(4);
    /// The packet stands for one that a real program sent, or answers such a packet.
    pub const TWIN: Self = Self(8);

    /// Returns the flags as bits.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the flags with these bits, if each of them is a flag that may be encoded.
    pub(crate) const fn from_bits(bits: u8) -> Option<Self> {
        let known = Self::V6.with(Self::DONT_FRAGMENT).with(Self::DAMAGED);
        if known.has(Self(bits)) { Some(Self(bits)) } else { None }
    }

    /// Whether all flags of `other` are set.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns these flags and those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns these flags without those of `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The part of a packet that a fragment carries (RFC 791, RFC 8200 §4.5). The default is a whole
/// packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fragment {
    /// Identification, which all fragments of a packet share.
    pub ident: u16,
    /// Start of the data in units of 8 bytes. The highest bit is set if more fragments follow.
    pub(crate) place: u16,
}

impl Fragment {
    const MORE: u16 = 0x8000;

    /// Returns the part of packet `ident` that begins at `offset` bytes, which must be a multiple
    /// of 8.
    pub const fn new(ident: u16, offset: u32, more: bool) -> Self {
        let more = if more { Self::MORE } else { 0 };
        Self { ident, place: (offset / 8) as u16 | more }
    }

    /// Whether the packet is a fragment.
    #[inline]
    pub const fn is_part(self) -> bool {
        self.place != 0
    }

    /// Start of the data, in bytes.
    pub const fn offset(self) -> u32 {
        (self.place & !Self::MORE) as u32 * 8
    }

    /// Whether more fragments follow.
    pub const fn more(self) -> bool {
        self.place & Self::MORE != 0
    }
}

/// The payload of a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A TCP segment.
    Segment(TcpHeader),
    /// An ICMP or ICMPv6 echo request.
    EchoRequest(Stamp),
    /// An echo reply, with what the request carried.
    EchoReply(Stamp),
    /// A UDP datagram of a flow.
    Datagram(Stamp),
    /// An ICMP or ICMPv6 error message.
    Error(Error),
    /// The bytes of a packet that a real node sends or receives.
    Raw(Box<RawBody>),
    /// The twin of a packet that a real program sent outside the simulation. No node answers it.
    Twin(Twin),
}

/// A stamp that traffic writes into its packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The flow.
    pub flow: u32,
    /// The packet's number in its flow, from 0.
    pub number: u32,
    /// Time at which the packet was sent.
    pub sent: Time,
}

/// A record of a packet that a real program sent outside the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twin {
    /// IP protocol of the packet. For IPv6, the first next header.
    pub protocol: u8,
    /// Time at which it was sent.
    pub sent: Time,
}

/// An error message, and the packet that it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error {
    /// The error.
    pub kind: ErrorKind,
    /// The protocol of the packet that it is about.
    pub protocol: u8,
    /// Source port of that packet.
    pub source_port: u16,
    /// Destination port of that packet.
    pub destination_port: u16,
    /// Length of that packet in bytes.
    pub bytes: u16,
    /// Hop limit of that packet on arrival.
    pub hop_limit: u8,
    /// Traffic class of that packet.
    pub traffic_class: u8,
    /// Version and flags of that packet.
    pub flags: Flags,
    /// The MTU that the packet was too long for.
    pub mtu: u32,
    /// Destination of that packet.
    pub destination: AddressId,
    /// Flow of that packet, if it has one.
    pub flow: Option<NonZeroU32>,
}

/// The error that a message reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The hop limit ran out.
    TimeExceeded,
    /// There is no route to the destination.
    NoRoute,
    /// No host on the last network has the address.
    NoHost,
    /// No socket is open on the port.
    NoPort,
    /// The packet is longer than the next link's MTU and may not be fragmented.
    TooBig,
}

impl ErrorKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 5] =
        [Self::TimeExceeded, Self::NoRoute, Self::NoHost, Self::NoPort, Self::TooBig];
}

/// Returns the mark that identifies a flow in error messages.
pub(crate) fn mark_of(flow: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(flow.wrapping_add(1))
}

/// Returns the flow that an error message is about.
pub(crate) fn flow_of(mark: NonZeroU32) -> u32 {
    mark.get().wrapping_sub(1)
}

/// The header of a TCP segment. Fields that few segments have are stored apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcpHeader {
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    /// Value and echo, if `timed`.
    pub(crate) timestamps: [u32; 2],
    pub(crate) window: u16,
    pub(crate) flags: netloom_tcp::Flags,
    pub(crate) timed: bool,
    pub(crate) rare: Option<Box<RareOptions>>,
}

/// Options of a SYN, and SACK blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RareOptions {
    pub syn: Option<SynOptions>,
    pub sack: SackBlocks,
    /// Time at which a twin was sent. It is not an option, and never on a wire.
    pub sent: Option<Time>,
}

impl TcpHeader {
    /// Returns the header of `segment`.
    pub fn new(segment: &Segment, sack: &SackBlocks) -> Self {
        let has_rare = segment.syn.is_some() || segment.sack_blocks > 0;
        let times = segment.timestamps.map(|times| [times.value, times.echo]);
        Self {
            seq: segment.seq,
            ack: segment.ack,
            timestamps: times.unwrap_or_default(),
            window: segment.window,
            flags: segment.flags,
            timed: times.is_some(),
            rare: has_rare
                .then(|| Box::new(RareOptions { syn: segment.syn, sack: *sack, sent: None })),
        }
    }

    /// Records the time at which the segment is sent.
    pub(crate) fn note_sent(&mut self, now: Time) {
        let none = || Box::new(RareOptions { syn: None, sack: SackBlocks::NONE, sent: None });
        self.rare.get_or_insert_with(none).sent = Some(now);
    }

    /// Time at which the segment was sent, if it was recorded.
    pub(crate) fn sent(&self) -> Option<Time> {
        self.rare.as_ref()?.sent
    }

    /// Returns the segment, without its payload.
    pub fn segment(&self) -> (Segment, SackBlocks) {
        let [value, echo] = self.timestamps;
        let rare = self.rare.as_deref();
        let sack = rare.map_or(SackBlocks::NONE, |rare| rare.sack);
        let segment = Segment {
            seq: self.seq,
            ack: self.ack,
            timestamps: self.timed.then_some(Timestamps { value, echo }),
            window: self.window,
            syn: rare.and_then(|rare| rare.syn),
            flags: self.flags,
            sack_blocks: sack.count(),
            ..Segment::EMPTY
        };
        (segment, sack)
    }
}

impl Packet {
    /// Whether this is an IPv6 packet.
    #[inline]
    pub const fn is_v6(&self) -> bool {
        self.flags.has(Flags::V6)
    }

    /// Upper-layer protocol number.
    pub fn protocol(&self) -> u8 {
        match &self.body {
            Body::Segment(_) => 6,
            Body::Datagram(_) => 17,
            Body::Raw(raw) => raw.protocol(),
            Body::Twin(twin) => twin.protocol,
            _ if self.is_v6() => 58,
            _ => 1,
        }
    }

    /// Length of the IP header in bytes, including the fragment header of IPv6.
    pub const fn header_bytes(&self) -> u32 {
        match (self.is_v6(), self.fragment.is_part()) {
            (false, _) => 20,
            (true, false) => 40,
            (true, true) => 48,
        }
    }

    /// Returns the bytes that the packet, which may be a fragment, carries of `body`.
    pub(crate) fn carried<'a>(&self, body: &'a RawBody) -> &'a [u8] {
        let length = self.bytes.saturating_sub(self.header_bytes());
        body.part(self.fragment.offset(), length)
    }

    /// Returns the stamp of the traffic, if the packet has one.
    pub fn stamp(&self) -> Option<Stamp> {
        match self.body {
            Body::EchoRequest(stamp) | Body::EchoReply(stamp) | Body::Datagram(stamp) => {
                Some(stamp)
            }
            Body::Segment(_) | Body::Error(_) | Body::Raw(_) | Body::Twin(_) => None,
        }
    }

    /// Whether the packet stands for one that a real program sent, or answers such a packet.
    #[inline]
    pub const fn is_twin(&self) -> bool {
        self.flags.has(Flags::TWIN)
    }

    /// Returns the frame that carries the packet on Ethernet, without a VLAN tag.
    #[inline]
    pub const fn info(&self) -> FrameInfo {
        FrameInfo::single(self.bytes + ETHERNET)
    }

    /// Returns the headers that queue disciplines classify by. `ends` are the packet's addresses.
    pub fn header_between(&self, [source, destination]: [IpAddr; 2]) -> Header {
        let port = |port| if self.fragment.is_part() { 0 } else { port };
        Header {
            source,
            destination,
            protocol: self.protocol(),
            source_port: port(self.source_port),
            destination_port: port(self.destination_port),
            dscp: self.traffic_class >> 2,
            ecn: Ecn::from_bits(self.traffic_class),
        }
    }
}

/// The packet as a bare frame, on links whose queues do not examine headers.
impl netloom_link::Frame for Packet {
    fn header(&self) -> Option<Header> {
        None
    }

    fn mark_congestion(&mut self) {
        self.traffic_class |= 3;
    }

    fn remark(&mut self, dscp: Dscp) {
        self.traffic_class = dscp.value() << 2 | self.traffic_class & 3;
    }

    fn flip_bits(&mut self, bits: &[u64]) {
        let header = self.header_bytes();
        // A receiver of bytes detects flipped data by its checksum. Wrong headers are not examined:
        // the packet is marked as damaged.
        if let Body::Raw(raw) = &mut self.body
            && raw.flip_bits(bits, ETHERNET + header)
        {
            return;
        }
        self.flags = self.flags.with(Flags::DAMAGED);
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}
