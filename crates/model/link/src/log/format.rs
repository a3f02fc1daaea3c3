//! The binary form of a frame log, version 1: the part that encoder and decoder share. It is
//! described for users in `docs/results.md`.
//!
//! All integers are varints (LEB128: seven bits a byte, least significant first, with the high bit
//! set on all but the last byte). Signed ones are zigzag-encoded (0, −1, 1, −2 … are 0, 1, 2, 3 …).
//! Differences wrap at 2⁶⁴, so every value can be written.

use netloom_units::Time;

use super::Occurrence;
use crate::DropReason;

/// Version of the format that the encoder writes.
pub const LOG_VERSION: u8 = 1;

/// The first bytes of a frame log.
pub(super) const MAGIC: &[u8; 8] = b"NLFRAMES";

/// The header at the beginning of a frame log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHeader {
    /// Unix time of the experiment's zero, in ns since 1970-01-01 UTC; 0 in virtual time.
    pub zero_unix_ns: u64,
    /// Names of all pipes, `<link>/forward` and `<link>/reverse`. The index of a name is the index
    /// of the pipe.
    pub pipes: Vec<String>,
}

// The first byte of an entry: its kind in the low four bits, and flags.

/// Mask of the kind.
pub(super) const KIND: u8 = 0x0f;
/// Kind of an entry that stands for missing entries.
pub(super) const LOST: u8 = 15;
/// Flag: the entry is of the same pipe as the previous entry.
pub(super) const SAME_PIPE: u8 = 0x10;
/// Flag: frames and bytes are those of the last entry of this pipe.
pub(super) const SAME_SIZE: u8 = 0x20;
/// Flag: the number is one more than that of the last entry of this pipe and kind.
pub(super) const NEXT_NUMBER: u8 = 0x40;

// The byte with the reason of a drop: the index of the reason in `DropReason::ALL` in the low four
// bits, and flags.

/// Mask of the reason.
pub(super) const REASON: u8 = 0x0f;
/// Flag: serialization had begun.
pub(super) const STARTED: u8 = 0x10;
/// Flag: serialization had ended.
pub(super) const SERIALIZED: u8 = 0x20;

/// Number of kinds, without [`LOST`].
pub(super) const KINDS: usize = 9;

/// The state that previous entries leave for encoding and decoding the next one.
#[derive(Debug, Clone)]
pub(super) struct Context {
    /// Time of the last entry.
    pub at: Time,
    /// Pipe of the last entry.
    pub pipe: u32,
    pub pipes: Vec<PipeContext>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PipeContext {
    /// The number for which [`NEXT_NUMBER`] stands, by kind.
    pub next: [u64; KINDS],
    pub frames: u32,
    pub bytes: u64,
}

impl Context {
    pub fn new(pipes: usize) -> Self {
        Self { at: Time::ZERO, pipe: 0, pipes: vec![PipeContext::default(); pipes] }
    }
}

pub(super) fn kind(what: &Occurrence) -> u8 {
    match what {
        Occurrence::Offered => 0,
        Occurrence::Rejected { .. } => 1,
        Occurrence::Delivered { .. } => 2,
        Occurrence::Dropped { .. } => 3,
        Occurrence::Marked => 4,
        Occurrence::Corrupted => 5,
        Occurrence::Duplicated => 6,
        Occurrence::HandedOver => 7,
        Occurrence::Refused => 8,
    }
}

pub(super) fn reason_code(reason: DropReason) -> u8 {
    // The list contains all reasons, and its length fits into a byte.
    DropReason::ALL.iter().position(|known| *known == reason).expect("a known reason") as u8
}

pub(super) const fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    ((signed << 1) ^ (signed >> 63)) as u64
}

pub(super) const fn unzigzag(value: u64) -> u64 {
    (value >> 1) ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_keeps_every_difference() {
        for difference in [0, 1, u64::MAX, 5, 5u64.wrapping_neg(), 1 << 63, (1 << 63) - 1] {
            assert_eq!(unzigzag(zigzag(difference)), difference);
        }
        assert_eq!([zigzag(0), zigzag(u64::MAX), zigzag(1)], [0, 1, 2]);
    }
}
