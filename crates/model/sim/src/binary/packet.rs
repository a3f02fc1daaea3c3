//! The encoding of packet announcements. Not here: whether a network has the addresses and flows
//! that a packet names (`cell`).

use netloom_tcp::{SackBlock, SackBlocks, SynOptions};

use super::{Binary, DecodeError, Input, fields, places};
use crate::AddressId;
use crate::packet::{
    Body, Error, ErrorKind, Flags, Fragment, Packet, RareOptions, Stamp, TcpHeader,
};
use crate::plant::Announcement;

/// Bytes of the header of ICMP or UDP, and of TCP without options.
const UPPER_HEADERS: [u32; 2] = [8, 20];

fields! {
    Announcement { cell, release, wire, cuts, packet }
    Stamp { flow, number, sent }
    Fragment { ident, place }
    SynOptions { mss, window_scale, sack_permitted }
    SackBlock { start, end }
    Error {
        kind,
        protocol,
        source_port,
        destination_port,
        bytes,
        hop_limit,
        traffic_class,
        flags,
        mtu,
        destination,
        flow,
    }
}

places! {
    ErrorKind, "kind of error message": ErrorKind::ALL;
}

/// The time at which a twin was sent is left out: twins stay in their process.
impl Binary for RareOptions {
    fn encode(&self, out: &mut Vec<u8>) {
        self.syn.encode(out);
        self.sack.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(Self { syn: Binary::decode(input)?, sack: Binary::decode(input)?, sent: None })
    }
}

impl Binary for Packet {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self {
            source,
            destination,
            bytes,
            source_port,
            destination_port,
            hop_limit,
            traffic_class,
            flags,
            fragment,
            body,
        } = self;
        [*source, *destination].iter().for_each(|address| address.encode(out));
        bytes.encode(out);
        [*source_port, *destination_port].iter().for_each(|port| port.encode(out));
        out.extend([*hop_limit, *traffic_class]);
        flags.encode(out);
        fragment.encode(out);
        body.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let packet = Self {
            source: AddressId::decode(input)?,
            destination: AddressId::decode(input)?,
            bytes: u32::decode(input)?,
            source_port: u16::decode(input)?,
            destination_port: u16::decode(input)?,
            hop_limit: u8::decode(input)?,
            traffic_class: u8::decode(input)?,
            flags: Flags::decode(input)?,
            fragment: Fragment::decode(input)?,
            body: Body::decode(input)?,
        };
        let upper = UPPER_HEADERS[usize::from(matches!(packet.body, Body::Segment(_)))];
        let upper = if packet.fragment.is_part() { 0 } else { upper };
        if packet.bytes < packet.header_bytes() + upper {
            return Err(DecodeError::Value("packet that is shorter than its headers"));
        }
        Ok(packet)
    }
}

impl Binary for Body {
    fn encode(&self, out: &mut Vec<u8>) {
        let (kind, stamp) = match self {
            Self::Segment(header) => {
                out.push(0);
                return header.encode(out);
            }
            Self::EchoRequest(stamp) => (1, stamp),
            Self::EchoReply(stamp) => (2, stamp),
            Self::Datagram(stamp) => (3, stamp),
            Self::Error(error) => {
                out.push(4);
                return error.encode(out);
            }
            // Real nodes are joined to a network within one process.
            Self::Raw(_) | Self::Twin(_) => {
                unreachable!("packets of real nodes and their twins stay in their process")
            }
        };
        out.push(kind);
        stamp.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(match u8::decode(input)? {
            0 => Self::Segment(Binary::decode(input)?),
            1 => Self::EchoRequest(Binary::decode(input)?),
            2 => Self::EchoReply(Binary::decode(input)?),
            3 => Self::Datagram(Binary::decode(input)?),
            4 => Self::Error(Binary::decode(input)?),
            _ => return Err(DecodeError::Value("kind of packet")),
        })
    }
}

impl Binary for TcpHeader {
    fn encode(&self, out: &mut Vec<u8>) {
        let Self { seq, ack, timestamps: [value, echo], window, flags, timed, rare } = self;
        [*seq, *ack].iter().for_each(|number| number.encode(out));
        timed.then_some((*value, *echo)).encode(out);
        window.encode(out);
        flags.encode(out);
        rare.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let [seq, ack] = [u32::decode(input)?, u32::decode(input)?];
        let times: Option<(u32, u32)> = Binary::decode(input)?;
        Ok(Self {
            seq,
            ack,
            timestamps: times.map(|(value, echo)| [value, echo]).unwrap_or_default(),
            window: Binary::decode(input)?,
            flags: Binary::decode(input)?,
            timed: times.is_some(),
            rare: Binary::decode(input)?,
        })
    }
}

impl Binary for AddressId {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(Self(u32::decode(input)?))
    }
}

impl Binary for Flags {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.bits());
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Self::from_bits(u8::decode(input)?).ok_or(DecodeError::Value("flag of a packet"))
    }
}

impl Binary for netloom_tcp::Flags {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.bits());
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let bits = u8::decode(input)?;
        let flags = Self::from_bits(bits);
        if flags.bits() == bits { Ok(flags) } else { Err(DecodeError::Value("flag of TCP")) }
    }
}

impl Binary for SackBlocks {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(self.count());
        self.as_slice().iter().for_each(|block| block.encode(out));
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let mut blocks = Self::NONE;
        for _ in 0..u8::decode(input)? {
            if !blocks.push(SackBlock::decode(input)?) {
                return Err(DecodeError::Value("place for so many SACK blocks"));
            }
        }
        Ok(blocks)
    }
}

impl<T: Binary> Binary for Box<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_ref().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        T::decode(input).map(Self::new)
    }
}

impl Binary for std::num::NonZeroU32 {
    fn encode(&self, out: &mut Vec<u8>) {
        self.get().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Self::new(u32::decode(input)?).ok_or(DecodeError::Value("flow of number 0"))
    }
}
