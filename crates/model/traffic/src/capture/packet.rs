//! Finds the headers of an IP packet. Not here: the use of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Protocol numbers.
pub(super) mod protocol {
    pub const ICMP: u8 = 1;
    pub const TCP: u8 = 6;
    pub const UDP: u8 = 17;
    pub const DCCP: u8 = 33;
    pub const AH: u8 = 51;
    pub const ICMPV6: u8 = 58;
    pub const PIM: u8 = 103;
    pub const UDP_LITE: u8 = 136;
}

/// Extension headers of IPv6.
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;

/// The headers of a packet, by places in its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Headers {
    /// Source and destination.
    pub addresses: [IpAddr; 2],
    /// Length of the IPv4 header. `None` for IPv6, whose header has no checksum.
    pub v4_header: Option<usize>,
    /// Protocol of the bytes behind the IP headers.
    pub protocol: u8,
    /// Place of these bytes.
    pub payload: usize,
    /// End of the packet, according to its header.
    pub end: usize,
    /// The kind of fragment, if the packet is one.
    pub fragment: Option<Part>,
}

/// The kind of a fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    First,
    Later,
}

/// Returns the headers of the packet that begins with `bytes`, or the reason why there are none.
/// `may_be_cut` allows the end to be missing, as it may be for a packet in an error message.
pub(super) fn headers(bytes: &[u8], may_be_cut: bool) -> Result<Headers, &'static str> {
    let found = match bytes.first().map(|first| first >> 4) {
        Some(4) => v4(bytes)?,
        Some(6) => v6(bytes)?,
        _ => return Err("it is no IP packet"),
    };
    if found.end > bytes.len() && !may_be_cut {
        return Err("its IP packet is longer than the frame");
    }
    Ok(Headers { end: found.end.min(bytes.len()), ..found })
}

fn v4(bytes: &[u8]) -> Result<Headers, &'static str> {
    const CUT: &str = "its IPv4 header is cut";
    let fixed: &[u8; 20] = bytes.first_chunk().ok_or(CUT)?;
    let header = usize::from(fixed[0] & 15) * 4;
    let end = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
    if end == 0 {
        return Err("its IPv4 header has no length: it was to be cut by the interface (TSO)");
    }
    if header < 20 || end < header || bytes.len() < header {
        return Err(CUT);
    }
    let flags = u16::from_be_bytes([fixed[6], fixed[7]]);
    let fragment = match (flags & 0x1fff, flags >> 13 & 1) {
        (0, 0) => None,
        (0, _) => Some(Part::First),
        _ => Some(Part::Later),
    };
    let address = |at: usize| {
        IpAddr::V4(Ipv4Addr::new(fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]))
    };
    let addresses = [address(12), address(16)];
    let (protocol, v4_header) = (fixed[9], Some(header));
    Ok(Headers { addresses, v4_header, protocol, payload: header, end, fragment })
}

fn v6(bytes: &[u8]) -> Result<Headers, &'static str> {
    const CUT: &str = "its IPv6 headers are cut";
    let fixed: &[u8; 40] = bytes.first_chunk().ok_or(CUT)?;
    let length = usize::from(u16::from_be_bytes([fixed[4], fixed[5]]));
    let address = |at: usize| -> Option<IpAddr> {
        Some(Ipv6Addr::from(*bytes.get(at..)?.first_chunk::<16>()?).into())
    };
    let addresses = [address(8).ok_or(CUT)?, address(24).ok_or(CUT)?];
    let (mut protocol, mut at, mut fragment) = (fixed[6], 40, None);
    // Each pass of the loop moves on by at least 8 bytes.
    while let HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION | MOBILITY = protocol {
        let head: &[u8; 8] = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(CUT)?;
        let mut size = (usize::from(head[1]) + 1) * 8;
        match protocol {
            ROUTING if head[3] > 0 => return Err("its IPv6 routing header names further hops"),
            FRAGMENT => {
                size = 8;
                let flags = u16::from_be_bytes([head[2], head[3]]);
                fragment = match (flags >> 3, flags & 1) {
                    (0, 0) => None,
                    (0, _) => Some(Part::First),
                    _ => Some(Part::Later),
                };
            }
            _ => {}
        }
        protocol = head[0];
        at += size;
        // The bytes of a later fragment are not headers.
        if fragment == Some(Part::Later) {
            break;
        }
    }
    let end = 40 + length;
    if length == 0 && protocol != 59 || at > end || at > bytes.len() {
        return Err(CUT);
    }
    Ok(Headers { addresses, v4_header: None, protocol, payload: at, end, fragment })
}
