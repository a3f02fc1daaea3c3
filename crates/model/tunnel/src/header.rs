//! The head of a datagram. It is authenticated and never encrypted.

use crate::bytes::chunk;

/// Version of these formats.
const VERSION: u8 = 1;

/// Offset that stands for "no record begins in this datagram".
pub(crate) const NO_RECORD: u16 = u16::MAX;

/// The way of datagrams from one socket to another one. Each has its own sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Path {
    /// A random number of the run and of its pair of machines.
    pub session: u64,
    /// Number of the pair of sockets. No other pair has it in this session and direction.
    pub number: u32,
}

/// What a datagram carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A piece of the stream of records.
    Records,
    /// A question for the time.
    Probe,
    /// The answer to a probe.
    Reply,
    /// How many frames have been sent, by pipe.
    Counts,
    /// The last cut, by pipe.
    Cuts,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Records, Self::Probe, Self::Reply, Self::Counts, Self::Cuts];
}

/// The head of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// What it carries.
    pub kind: Kind,
    /// Offset in the payload at which a record begins, or 0xffff if none does.
    pub first: u16,
    /// The path it came by.
    pub path: Path,
    /// Number of the datagram on its path, from 0. All kinds count together.
    pub sequence: u64,
}

impl Header {
    /// Bytes of a header.
    pub const BYTES: usize = 24;

    /// Reads the head of a datagram. Returns `None` if it is none of this version. Whether it is
    /// authentic is a question for the [`Receiver`](crate::Receiver) of its path.
    #[inline]
    pub fn decode(datagram: &[u8]) -> Option<Self> {
        let bytes = datagram.first_chunk::<{ Self::BYTES }>()?;
        let kind = *Kind::ALL.get(usize::from(bytes[1]))?;
        let header = Self {
            kind,
            first: u16::from_be_bytes(chunk(bytes, 2)),
            path: Path {
                number: u32::from_be_bytes(chunk(bytes, 4)),
                session: u64::from_be_bytes(chunk(bytes, 8)),
            },
            sequence: u64::from_be_bytes(chunk(bytes, 16)),
        };
        (bytes[0] == VERSION && header.sequence < u64::MAX).then_some(header)
    }

    /// Returns the bytes of the header.
    #[inline]
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0] = VERSION;
        bytes[1] = self.kind as u8;
        bytes[2..4].copy_from_slice(&self.first.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.path.number.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.path.session.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.sequence.to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_these_bytes_and_no_others() {
        let path = Path { session: 0x0102_0304_0506_0708, number: 9 };
        let header = Header { kind: Kind::Counts, first: NO_RECORD, path, sequence: 10 };
        let golden =
            [[1, 3, 255, 255, 0, 0, 0, 9], [1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 0, 0, 0, 0, 10]];
        let golden = golden.concat();
        assert_eq!(header.encode().to_vec(), golden);
        assert_eq!(Header::decode(&golden), Some(header));
        assert_eq!(Header::decode(&golden[..23]), None);
        for (at, byte) in [(0, 2), (1, 5)] {
            let mut other = golden.clone();
            other[at] = byte;
            assert_eq!(Header::decode(&other), None);
        }
        assert_eq!(Header::decode(&[golden[..16].to_vec(), vec![255; 8]].concat()), None);
    }
}
