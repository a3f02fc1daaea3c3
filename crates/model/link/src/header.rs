//! The headers by which queue disciplines classify. Not here: parsing them from the bytes of a
//! frame.

use std::net::IpAddr;

/// The header fields of an IP packet that queue disciplines use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// The upper-layer protocol: 6 for TCP, 17 for UDP.
    pub protocol: u8,
    /// Source port of TCP, UDP or SCTP; 0 for others and for fragments.
    pub source_port: u16,
    /// Destination port of TCP, UDP or SCTP; 0 for others and for fragments.
    pub destination_port: u16,
    /// Differentiated services code point (RFC 2474), 0 to 63.
    pub dscp: u8,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Ecn,
}

/// The ECN field of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ecn {
    /// 00: the sender does not support ECN.
    #[default]
    NotCapable,
    /// 01: ECT(1).
    Capable1,
    /// 10: ECT(0).
    Capable0,
    /// 11: the packet has met congestion.
    Congestion,
}

impl Ecn {
    /// Parses the field from the two low bits of the traffic class.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::NotCapable,
            1 => Self::Capable1,
            2 => Self::Capable0,
            _ => Self::Congestion,
        }
    }

    /// Whether a mark may replace a drop.
    pub const fn takes_part(self) -> bool {
        !matches!(self, Self::NotCapable)
    }
}
