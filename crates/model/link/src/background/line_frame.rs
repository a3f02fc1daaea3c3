//! The frames that wait for the line or are on it: offered frames and virtual ones.

use std::net::{IpAddr, Ipv4Addr};

use crate::{Dscp, Ecn, Frame, Header};

/// A frame in a pipe, up to the end of the line.
#[derive(Debug)]
pub(crate) enum LineFrame<F> {
    /// A frame that was offered to the pipe.
    Real {
        frame: F,
        /// The arrival's number in this pipe, from 0.
        number: u64,
    },
    /// A frame of the background.
    Virtual(Virtual),
}

/// A frame without bytes. Its header is derived from its entry and flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Virtual {
    /// Index of the background entry that sends it.
    pub entry: u8,
    /// Index of its 5-tuple among the made-up ones of the entry.
    pub flow: u16,
    pub dscp: u8,
    pub ecn: Ecn,
}

/// The first source port of an entry's 5-tuples.
const FIRST_PORT: u16 = 1024;

/// The discard service (RFC 863).
const DISCARD: u16 = 9;

const UDP: u8 = 17;

impl Virtual {
    /// A frame that was brought from outside, by no entry. Its 5-tuple is that of an entry number
    /// that no entry has.
    pub const BROUGHT: Self = Self { entry: u8::MAX, flow: 0, dscp: 0, ecn: Ecn::NotCapable };

    /// Largest number of 5-tuples of an entry.
    pub const MOST_FLOWS: u16 = u16::MAX - FIRST_PORT;

    /// Returns a UDP header between addresses that are reserved for network benchmarks (RFC 2544).
    fn header(self) -> Header {
        let address = |half| IpAddr::V4(Ipv4Addr::new(198, half, self.entry, 1));
        Header {
            source: address(18),
            destination: address(19),
            protocol: UDP,
            source_port: FIRST_PORT + self.flow,
            destination_port: DISCARD,
            dscp: self.dscp,
            ecn: self.ecn,
        }
    }
}

impl<F> LineFrame<F> {
    /// Number of the arrival; `None` for a virtual frame.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Real { number, .. } => Some(*number),
            Self::Virtual(_) => None,
        }
    }

    /// Whether the frame belongs to the background.
    #[inline]
    pub fn is_virtual(&self) -> bool {
        matches!(self, Self::Virtual(_))
    }
}

impl<F: Frame> Frame for LineFrame<F> {
    fn header(&self) -> Option<Header> {
        match self {
            Self::Real { frame, .. } => frame.header(),
            Self::Virtual(frame) => Some(frame.header()),
        }
    }

    fn tag_bytes(&self) -> u32 {
        match self {
            Self::Real { frame, .. } => frame.tag_bytes(),
            Self::Virtual(_) => 0,
        }
    }

    fn mark_congestion(&mut self) {
        match self {
            Self::Real { frame, .. } => frame.mark_congestion(),
            Self::Virtual(frame) => frame.ecn = Ecn::Congestion,
        }
    }

    fn remark(&mut self, dscp: Dscp) {
        match self {
            Self::Real { frame, .. } => frame.remark(dscp),
            Self::Virtual(frame) => frame.dscp = dscp.value(),
        }
    }

    fn flip_bits(&mut self, bits: &[u64]) {
        match self {
            Self::Real { frame, .. } => frame.flip_bits(bits),
            Self::Virtual(_) => {}
        }
    }

    fn duplicate(&self) -> Self {
        match self {
            Self::Real { frame, number } => {
                Self::Real { frame: frame.duplicate(), number: *number }
            }
            Self::Virtual(frame) => Self::Virtual(*frame),
        }
    }
}
