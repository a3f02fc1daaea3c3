//! Replaces the addresses of Ethernet and IP in a frame. Updates the checksums that depend on them,
//! and packets that ICMP quotes. Other addresses in the payload stay.

use std::net::IpAddr;

use thiserror::Error;

use super::checksum::{Sum, follow};
use super::input::{LinkType, RecordedFrame};
use super::packet::{Headers, Part, headers, protocol};

/// Bytes of an Ethernet header.
const ETHERNET: usize = 14;
/// EtherTypes.
const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
const TAGGED: [[u8; 2]; 3] = [[0x81, 0x00], [0x88, 0xa8], [0x91, 0x00]];

/// The reason why a frame cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameFault {
    /// The capture lacks a part of the frame.
    #[error("was cut at {captured} of {length} bytes: only as background")]
    Cut {
        /// Number of bytes that the capture has.
        captured: usize,
        /// Length of the frame in bytes.
        length: u32,
    },
    /// The frame has an address for which there is no replacement.
    #[error("has the address {0}, which is not rewritten")]
    NotRewritten(IpAddr),
    /// The frame is not a packet whose addresses can be replaced.
    #[error("cannot be rewritten: {0}")]
    Unfit(&'static str),
    /// The frame is too short for an Ethernet header.
    #[error("has no whole Ethernet header")]
    NoHeader,
}

impl FrameFault {
    /// Returns a hint on how to fix the fault.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Cut { .. } => "capture whole frames: `tcpdump -s 0`",
            Self::NotRewritten(_) => {
                "say in `rewrite` whose address it becomes, or send the frames `as_is: true`"
            }
            Self::Unfit(_) => {
                "leave it out of the capture: `tcpdump -r OLD -w NEW ip or ip6`; or send the \
                 frames `as_is: true`"
            }
            Self::NoHeader => "leave it out of the capture",
        }
    }
}

/// The treatment of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addressed<F> {
    /// Addresses stay.
    AsIs,
    /// Each address is replaced by the result of this function, which must not be `None`.
    Rewritten(F),
}

/// Turns frames of a capture into the frames that are sent.
#[derive(Debug, Clone, Copy)]
pub struct Rewriter<F> {
    addressed: Addressed<F>,
    /// Destination and source Ethernet addresses.
    macs: [[u8; 6]; 2],
}

impl<F: Fn(IpAddr) -> Option<IpAddr>> Rewriter<F> {
    /// Returns a rewriter for frames to the Ethernet address `to`, from `from`. Frames that are
    /// sent as they are keep their own Ethernet addresses, if they have any.
    pub fn new(addressed: Addressed<F>, to: [u8; 6], from: [u8; 6]) -> Self {
        Self { addressed, macs: [to, from] }
    }

    /// Writes the frame to send into `out`, in place of its contents.
    ///
    /// # Errors
    /// If the frame cannot be sent.
    pub fn rewrite(&self, frame: &RecordedFrame<'_>, out: &mut Vec<u8>) -> Result<(), FrameFault> {
        let RecordedFrame { bytes, length, link, .. } = *frame;
        if bytes.len() < length as usize {
            return Err(FrameFault::Cut { captured: bytes.len(), length });
        }
        out.clear();
        match (&self.addressed, link) {
            (Addressed::AsIs, LinkType::Ethernet) if bytes.len() < ETHERNET => {
                Err(FrameFault::NoHeader)
            }
            (Addressed::AsIs, LinkType::Ethernet) => {
                out.extend(bytes);
                Ok(())
            }
            (Addressed::AsIs, LinkType::Ip) => self.begin(bytes, out),
            (Addressed::Rewritten(other), LinkType::Ip) => {
                self.begin(bytes, out)?;
                rewrite(&mut out[ETHERNET..], other)
            }
            (Addressed::Rewritten(other), LinkType::Ethernet) => {
                let (head, packet) =
                    bytes.split_at_checked(ETHERNET).ok_or(FrameFault::NoHeader)?;
                let kind = [head[12], head[13]];
                if TAGGED.contains(&kind) {
                    return Err(FrameFault::Unfit("it has a VLAN tag"));
                }
                let version = packet.first().map(|first| first >> 4);
                if !matches!((kind, version), (IPV4, Some(4)) | (IPV6, Some(6))) {
                    return Err(FrameFault::Unfit("it is no IP packet"));
                }
                self.begin(packet, out)?;
                rewrite(&mut out[ETHERNET..], other)
            }
        }
    }

    /// Appends an Ethernet header and the packet to `out`.
    fn begin(&self, packet: &[u8], out: &mut Vec<u8>) -> Result<(), FrameFault> {
        let kind = match packet.first().map(|first| first >> 4) {
            Some(4) => IPV4,
            Some(6) => IPV6,
            _ => return Err(FrameFault::Unfit("it is no IP packet")),
        };
        out.extend(self.macs.as_flattened());
        out.extend(kind);
        out.extend(packet);
        Ok(())
    }
}

type Others<'f> = &'f dyn Fn(IpAddr) -> Option<IpAddr>;

fn other(others: Others<'_>, address: IpAddr) -> Result<IpAddr, FrameFault> {
    let other = others(address).ok_or(FrameFault::NotRewritten(address))?;
    match other.is_ipv4() == address.is_ipv4() {
        true => Ok(other),
        false => Err(FrameFault::Unfit("an address would become one of the other family")),
    }
}

/// Replaces the addresses of a whole packet.
fn rewrite(packet: &mut [u8], others: Others<'_>) -> Result<(), FrameFault> {
    let found = headers(packet, false).map_err(FrameFault::Unfit)?;
    let new = replace(packet, &found, others)?;
    if let Some(length) = found.v4_header {
        let header = &mut packet[..length];
        header[10..12].fill(0);
        let checksum = Sum::default().with(header).checksum();
        header[10..12].copy_from_slice(&checksum.to_be_bytes());
    }
    let payload = &mut packet[found.payload..found.end];
    match (found.protocol, found.fragment) {
        (protocol::DCCP | protocol::UDP_LITE, _) => {
            Err(FrameFault::Unfit("the checksum of its protocol is not known here"))
        }
        (protocol::AH, _) => Err(FrameFault::Unfit("it proves by its addresses who sent it (AH)")),
        (protocol::PIM, _) if found.v4_header.is_none() => {
            Err(FrameFault::Unfit("the checksum of its protocol is not known here"))
        }
        (_, Some(Part::Later)) => Ok(()),
        (protocol::ICMP, part) => icmp(payload, part.is_some(), others),
        (protocol::ICMPV6, part) => icmpv6(payload, (&found, new, part.is_some()), others),
        (_, Some(Part::First)) => {
            follow_in(payload, &found, new);
            Ok(())
        }
        (protocol::TCP, None) => {
            if payload.len() < 20 {
                return Err(FrameFault::Unfit("its TCP header is cut"));
            }
            sum_up(payload, 16, Sum::pseudo(new, protocol::TCP, payload.len()));
            Ok(())
        }
        (protocol::UDP, None) => udp(payload, &found, new),
        _ => Ok(()),
    }
}

/// Writes a packet's new addresses. Returns them.
fn replace(
    packet: &mut [u8],
    found: &Headers,
    others: Others<'_>,
) -> Result<[IpAddr; 2], FrameFault> {
    let [source, destination] = found.addresses;
    let new = [other(others, source)?, other(others, destination)?];
    // [`headers`] has checked that the header is complete.
    match new {
        [IpAddr::V4(source), IpAddr::V4(destination)] => {
            packet[12..16].copy_from_slice(&source.octets());
            packet[16..20].copy_from_slice(&destination.octets());
        }
        [IpAddr::V6(source), IpAddr::V6(destination)] => {
            packet[8..24].copy_from_slice(&source.octets());
            packet[24..40].copy_from_slice(&destination.octets());
        }
        _ => return Err(FrameFault::Unfit("it would be of two families")),
    }
    Ok(new)
}

/// Writes the checksum at the place `at` of `bytes`, which must be long enough.
fn sum_up(bytes: &mut [u8], at: usize, pseudo: Sum) {
    bytes[at..at + 2].fill(0);
    let checksum = pseudo.with(bytes).checksum();
    bytes[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// Rewrites a UDP datagram. One over IPv4 that has no checksum does not get one.
fn udp(payload: &mut [u8], found: &Headers, new: [IpAddr; 2]) -> Result<(), FrameFault> {
    let Some(header) = payload.first_chunk::<8>() else {
        return Err(FrameFault::Unfit("its UDP header is cut"));
    };
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let has_none = header[6..8] == [0, 0] && found.v4_header.is_some();
    if length < 8 || length > payload.len() {
        return Err(FrameFault::Unfit("its UDP length is wrong"));
    }
    if has_none {
        return Ok(());
    }
    let datagram = &mut payload[..length];
    sum_up(datagram, 6, Sum::pseudo(new, protocol::UDP, length));
    // Zero would mean that there is no checksum.
    if datagram[6..8] == [0, 0] {
        datagram[6..8].fill(0xff);
    }
    Ok(())
}

/// Updates a transport checksum that covers bytes which are not in `payload`.
fn follow_in(payload: &mut [u8], found: &Headers, new: [IpAddr; 2]) {
    let at = match found.protocol {
        protocol::TCP => 16,
        protocol::UDP => 6,
        _ => return,
    };
    let Some(place) = payload.get_mut(at..at + 2) else { return };
    let old = [place[0], place[1]];
    if found.protocol == protocol::UDP && old == [0, 0] {
        return;
    }
    let mut checksum = follow(old, found.addresses, new);
    if found.protocol == protocol::UDP && checksum == [0, 0] {
        checksum = [0xff; 2];
    }
    place.copy_from_slice(&checksum);
}

/// Types of ICMP messages that quote a packet (RFC 792).
const QUOTING: [u8; 5] = [3, 4, 5, 11, 12];
const REDIRECT: u8 = 5;

fn icmp(message: &mut [u8], is_part: bool, others: Others<'_>) -> Result<(), FrameFault> {
    let Some(kind) = message.first_chunk::<8>().map(|head| head[0]) else {
        return Err(FrameFault::Unfit("its ICMP header is cut"));
    };
    if is_part {
        // The checksum of ICMP does not cover addresses.
        return match QUOTING.contains(&kind) {
            true => Err(FrameFault::Unfit("it is a fragment of an error message")),
            false => Ok(()),
        };
    }
    if kind == REDIRECT {
        let gateway = std::net::Ipv4Addr::new(message[4], message[5], message[6], message[7]);
        if let IpAddr::V4(new) = other(others, gateway.into())? {
            message[4..8].copy_from_slice(&new.octets());
        }
    }
    if QUOTING.contains(&kind) {
        quoted(&mut message[8..], others)?;
    }
    sum_up(message, 2, Sum::default());
    Ok(())
}

fn icmpv6(
    message: &mut [u8],
    (found, new, is_part): (&Headers, [IpAddr; 2], bool),
    others: Others<'_>,
) -> Result<(), FrameFault> {
    let Some(kind) = message.first_chunk::<8>().map(|head| head[0]) else {
        return Err(FrameFault::Unfit("its ICMPv6 header is cut"));
    };
    match kind {
        // Neighbour discovery (RFC 4861), multicast listeners (RFC 2710, RFC 3810).
        130..=137 | 143 => {
            return Err(FrameFault::Unfit("it is neighbour discovery, or about multicast"));
        }
        0..128 if is_part => {
            return Err(FrameFault::Unfit("it is a fragment of an error message"));
        }
        _ if is_part => {
            let checksum = follow([message[2], message[3]], found.addresses, new);
            message[2..4].copy_from_slice(&checksum);
            return Ok(());
        }
        0..128 => quoted(&mut message[8..], others)?,
        _ => {}
    }
    sum_up(message, 2, Sum::pseudo(new, protocol::ICMPV6, message.len()));
    Ok(())
}

/// Rewrites the beginning of a packet that an error message quotes. A checksum stays as right or
/// wrong as it was.
fn quoted(packet: &mut [u8], others: Others<'_>) -> Result<(), FrameFault> {
    let found = headers(packet, true);
    let found = found.map_err(|_| FrameFault::Unfit("the packet that it quotes is cut"))?;
    let new = replace(packet, &found, others)?;
    if found.v4_header.is_some() {
        let checksum = follow([packet[10], packet[11]], found.addresses, new);
        packet[10..12].copy_from_slice(&checksum);
    }
    if found.fragment != Some(Part::Later) {
        follow_in(&mut packet[found.payload..found.end], &found, new);
    }
    Ok(())
}
