//! A record: a frame that has left the line of a pipe, with what the far end of the pipe needs. Not
//! here: how records become datagrams.

use std::fmt;

use crate::bytes::chunk;

/// Bytes of a record before its frame.
pub const RECORD_HEADER: usize = 54;

/// Length of the longest frame, in bytes: a super-frame of 64 KiB with its headers.
pub const MAX_FRAME: usize = 66 * 1024;

/// The only flag: the frame was marked (ECN).
const MARKED: u16 = 1;

/// A frame that has left the line of a pipe, without its bytes.
///
/// Its bytes are, in this order, all big-endian: length of the frame u32, pipe u32, sequence u64,
/// number u64, release i64, shift u32, cuts u32, frames u16, flags u16, virtio-net header 10 B. The
/// frame follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The pipe: twice the number of its link, and 1 more in the reverse direction.
    pub pipe: u32,
    /// Number of wire frames that left the line of the pipe before it.
    pub sequence: u64,
    /// Number of wire frames in it: more than one in a super-frame, and never none.
    pub frames: u16,
    /// The arrival's number in the pipe, from 0. A duplicate has the number of its original.
    pub number: u64,
    /// Time of its release by the sender's clock, in ns.
    pub release: i64,
    /// How much earlier it could have left the line, in ns (`netloom_link::Passage::shift`).
    /// `u32::MAX` stands for all that is longer.
    pub shift: u32,
    /// Number of cuts of the pipe before the frame left the line.
    pub cuts: u32,
    /// Whether the queue discipline marked it (ECN).
    pub marked: bool,
    /// The virtio-net header of the frame, as a device writes it.
    pub virtio: [u8; 10],
}

/// Error: these bytes are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes are no record of a tunnel")
    }
}

impl std::error::Error for Malformed {}

impl Record {
    /// Returns the bytes in front of a frame of `length` bytes, which is at most [`MAX_FRAME`].
    #[inline]
    pub fn encode(&self, length: usize) -> [u8; RECORD_HEADER] {
        debug_assert!(length <= MAX_FRAME && self.frames > 0);
        let mut bytes = [0; RECORD_HEADER];
        bytes[0..4].copy_from_slice(&(length as u32).to_be_bytes());
        bytes[4..8].copy_from_slice(&self.pipe.to_be_bytes());
        bytes[8..16].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_be_bytes());
        bytes[24..32].copy_from_slice(&self.release.to_be_bytes());
        bytes[32..36].copy_from_slice(&self.shift.to_be_bytes());
        bytes[36..40].copy_from_slice(&self.cuts.to_be_bytes());
        bytes[40..42].copy_from_slice(&self.frames.to_be_bytes());
        bytes[42..44].copy_from_slice(&(if self.marked { MARKED } else { 0 }).to_be_bytes());
        bytes[44..54].copy_from_slice(&self.virtio);
        bytes
    }

    /// Reads the bytes in front of a frame. Returns the length of the frame too, in bytes.
    ///
    /// # Errors
    /// If the frame is longer than [`MAX_FRAME`], has no wire frame, or has an unknown flag, or if
    /// its sequence has no successor.
    #[inline]
    pub fn decode(bytes: &[u8; RECORD_HEADER]) -> Result<(Self, usize), Malformed> {
        let length = u32::from_be_bytes(chunk(bytes, 0)) as usize;
        let flags = u16::from_be_bytes(chunk(bytes, 42));
        let record = Self {
            pipe: u32::from_be_bytes(chunk(bytes, 4)),
            sequence: u64::from_be_bytes(chunk(bytes, 8)),
            number: u64::from_be_bytes(chunk(bytes, 16)),
            release: i64::from_be_bytes(chunk(bytes, 24)),
            shift: u32::from_be_bytes(chunk(bytes, 32)),
            cuts: u32::from_be_bytes(chunk(bytes, 36)),
            frames: u16::from_be_bytes(chunk(bytes, 40)),
            marked: flags == MARKED,
            virtio: chunk(bytes, 44),
        };
        let has_end = record.sequence.checked_add(record.frames.into()).is_some();
        let is_sound = length <= MAX_FRAME && record.frames > 0 && flags <= MARKED && has_end;
        if is_sound { Ok((record, length)) } else { Err(Malformed) }
    }

    /// Number of wire frames that left the line up to and including this one.
    #[inline]
    pub(crate) fn end(&self) -> u64 {
        self.sequence.saturating_add(self.frames.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_these_bytes() {
        let record = Record {
            pipe: 0x0102_0304,
            sequence: 5,
            frames: 6,
            number: 7,
            release: -8,
            shift: 9,
            cuts: 10,
            marked: true,
            virtio: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        };
        let golden = [
            &[0, 0, 5, 220, 1, 2, 3, 4][..],
            &[0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 7],
            &[255, 255, 255, 255, 255, 255, 255, 248, 0, 0, 0, 9, 0, 0, 0, 10, 0, 6, 0, 1],
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        ];
        assert_eq!(record.encode(1500).to_vec(), golden.concat());
        assert_eq!(Record::decode(&record.encode(1500)), Ok((record, 1500)));
    }

    #[test]
    fn what_no_sender_writes_is_refused() {
        let record = Record {
            pipe: 1,
            sequence: u64::MAX - 1,
            frames: 1,
            number: 0,
            release: 0,
            shift: 0,
            cuts: 0,
            marked: false,
            virtio: [0; 10],
        };
        let good = record.encode(MAX_FRAME);
        assert_eq!(Record::decode(&good), Ok((record, MAX_FRAME)));
        for (at, byte) in [(3, 1), (41, 0), (41, 2), (43, 2), (42, 1)] {
            let mut bad = good;
            bad[at] = byte;
            assert_eq!(Record::decode(&bad), Err(Malformed), "byte {at}");
        }
    }
}
