//! The headers that queue disciplines classify by. Not here: reading them from a frame's bytes.

use std::net::IpAddr;

/// What a queue discipline sees of an IP packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Header {
    /// Where it comes from.
    pub source: IpAddr,
    /// Where it goes.
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
    /// 00: the sender does not take part.
    #[default]
    NotCapable,
    /// 01: ECT(1).
    Capable1,
    /// 10: ECT(0).
    Capable0,
    /// 11: congestion was met.
    Congestion,
}

impl Ecn {
    /// From the two low bits of the traffic class.
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
