//! Positions of the headers of a super-frame. All errors that a hostile sender could make are
//! detected here, so that code that works on a [`SuperFrame`] cannot fail. Pure. Not here: cutting
//! (`segment`).

use thiserror::Error;

use crate::frame::TAG_BYTES;
use crate::tag::{C_TAG, S_TAG};
use crate::{Frame, GsoKind};

const ETHERNET: usize = 14;
/// Largest number of tags that are skipped: two of a node, and one that a switch puts in front of
/// them.
const TAGS: usize = 3;
const IPV4_MIN: usize = 20;
pub(crate) const IPV6: usize = 40;
const TCP_MIN: usize = 20;
const UDP: usize = 8;
/// Length of the longest IPv4 packet and of the longest IPv6 payload, in bytes.
const LONGEST: usize = 65_535;

/// The form of a frame on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One wire frame of this many bytes.
    Single(u32),
    /// Several wire frames.
    Super(SuperFrame),
}

/// A well-formed super-frame. Offsets are from the start of the Ethernet frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuperFrame {
    pub(crate) transport: Transport,
    pub(crate) ipv4: bool,
    /// Start of the IP header.
    pub(crate) network: usize,
    /// Start of the TCP or UDP header.
    pub(crate) transport_at: usize,
    /// Start of the payload.
    pub(crate) payload: usize,
    /// End of the payload.
    pub(crate) end: usize,
    /// Length of the payload of each wire frame but the last.
    pub(crate) gso_size: usize,
}

/// The protocol of a super-frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// TCP segments.
    Tcp,
    /// UDP datagrams.
    Udp,
}

/// The reason why a kernel cannot have made a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Malformed {
    /// Shorter than an Ethernet header.
    #[error("the frame is shorter than an Ethernet header")]
    Runt,
    /// A super-frame of a kind this engine does not know.
    #[error("the super-frame is of unknown kind {0}")]
    Kind(u8),
    /// A super-frame whose segment size is missing or impossible.
    #[error("the super-frame's segment size is {0}")]
    SegmentSize(u16),
    /// The virtio-net header does not point at a TCP or UDP checksum.
    #[error("the super-frame's checksum is not where its transport has it")]
    Checksum,
    /// The headers do not match the announced kind, or do not fit into the frame.
    #[error("the super-frame's headers are not those its kind announces")]
    Headers,
}

impl Frame {
    /// The form of the frame on the wire.
    ///
    /// # Errors
    /// Fails if a kernel cannot have made the frame.
    #[inline]
    pub fn shape(&self) -> Result<Shape, Malformed> {
        if self.len() < ETHERNET {
            return Err(Malformed::Runt);
        }
        if !self.is_super() {
            return Ok(Shape::Single(self.len() as u32));
        }
        SuperFrame::parse(self).map(Shape::Super)
    }
}

impl SuperFrame {
    fn parse(frame: &Frame) -> Result<Self, Malformed> {
        let header = frame.header();
        let (transport, checksum_at) = match header.gso {
            Some(GsoKind::TcpV4 | GsoKind::TcpV6) => (Transport::Tcp, 16),
            Some(GsoKind::Udp) => (Transport::Udp, 6),
            Some(GsoKind::Unknown(kind)) => return Err(Malformed::Kind(kind)),
            None => return Err(Malformed::Kind(0)),
        };
        if header.gso_size == 0 {
            return Err(Malformed::SegmentSize(0));
        }
        if !header.needs_checksum || header.checksum_offset != checksum_at {
            return Err(Malformed::Checksum);
        }
        let bytes = frame.start();
        let transport_at = usize::from(header.checksum_start);
        let (network, ethertype) = network_header(bytes).ok_or(Malformed::Headers)?;
        let ipv4 = match (header.gso, ethertype) {
            (Some(GsoKind::TcpV4 | GsoKind::Udp), 0x0800) => true,
            (Some(GsoKind::TcpV6 | GsoKind::Udp), 0x86dd) => false,
            _ => return Err(Malformed::Headers),
        };
        let protocol = if transport == Transport::Tcp { 6 } else { 17 };
        let fits = if ipv4 {
            ipv4_header_ends_at(bytes, network, protocol) == Some(transport_at)
        } else {
            ipv6_header_reaches(bytes, network, transport_at)
        };
        let header_len = transport_header(bytes, transport_at, transport);
        let payload = transport_at + header_len.ok_or(Malformed::Headers)?;
        let uncounted = if ipv4 { network } else { network + IPV6 };
        let too_long = frame.len() > uncounted + LONGEST;
        if !fits || payload > bytes.len() || payload >= frame.len() || too_long {
            return Err(Malformed::Headers);
        }
        let gso_size = usize::from(header.gso_size);
        Ok(Self { transport, ipv4, network, transport_at, payload, end: frame.len(), gso_size })
    }

    /// Number of wire frames.
    pub fn frames(&self) -> u32 {
        (self.end - self.payload).div_ceil(self.gso_size) as u32
    }

    /// Length of each wire frame but the last, in bytes.
    pub fn full(&self) -> u32 {
        (self.payload + self.gso_size.min(self.end - self.payload)) as u32
    }

    /// Length of the last wire frame, in bytes.
    pub fn last(&self) -> u32 {
        let before = (self.frames() as usize - 1) * self.gso_size;
        (self.end - before) as u32
    }
}

/// Start and EtherType of the network header, behind any VLAN tags.
pub(crate) fn network_header(bytes: &[u8]) -> Option<(usize, u16)> {
    let mut at = ETHERNET;
    for _ in 0..=TAGS {
        let ethertype = word(bytes, at - 2)?;
        if !matches!(ethertype, C_TAG | S_TAG) {
            return Some((at, ethertype));
        }
        at += TAG_BYTES;
    }
    None
}

/// End of the IPv4 header at `at`, if it belongs to an unfragmented packet of `protocol`.
fn ipv4_header_ends_at(bytes: &[u8], at: usize, protocol: u8) -> Option<usize> {
    let header = bytes.get(at..at + IPV4_MIN)?;
    let length = usize::from(header[0] & 0x0f) * 4;
    let fragmented = (word(header, 6)? & 0x3fff) != 0;
    let good = header[0] >> 4 == 4 && length >= IPV4_MIN && header[9] == protocol && !fragmented;
    good.then_some(at + length)
}

/// Whether there is an IPv6 header at `at` that fits before `end`. Extension headers may lie
/// between the two.
fn ipv6_header_reaches(bytes: &[u8], at: usize, end: usize) -> bool {
    bytes.get(at).is_some_and(|first| first >> 4 == 6) && at + IPV6 <= end && end <= bytes.len()
}

/// Length of the transport header at `at`, in bytes.
fn transport_header(bytes: &[u8], at: usize, transport: Transport) -> Option<usize> {
    match transport {
        Transport::Udp => Some(UDP),
        Transport::Tcp => {
            let length = usize::from(bytes.get(at + 12)? >> 4) * 4;
            (length >= TCP_MIN).then_some(length)
        }
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]))
}
