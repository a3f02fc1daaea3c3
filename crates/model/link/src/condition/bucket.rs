//! A token bucket without rounding. Not here: the consequences of its fill (`meter`).

use netloom_units::{Duration, Rate, Size};

/// Tokens in a byte. With this unit, rate (bit/s) times time (ns) is a whole number of tokens, so
/// nothing is ever rounded.
const PER_BYTE: u128 = 8_000_000_000;

/// A token bucket. It fills at a rate up to its depth, and is full at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bucket {
    rate: Rate,
    depth: u128,
    tokens: u128,
}

impl Bucket {
    pub fn new(rate: Rate, depth: Size) -> Self {
        let depth = u128::from(depth.bytes()) * PER_BYTE;
        Self { rate, depth, tokens: depth }
    }

    /// Tokens that arrive in `time`.
    #[inline]
    pub fn income(&self, time: Duration) -> u128 {
        u128::from(self.rate.bits_per_second()) * u128::from(time.as_nanos())
    }

    /// Adds `tokens`. Returns those for which there is no room.
    #[inline]
    pub fn fill(&mut self, tokens: u128) -> u128 {
        let room = self.depth - self.tokens;
        let taken = tokens.min(room);
        self.tokens += taken;
        tokens - taken
    }

    /// Whether it holds tokens for `bytes` bytes.
    #[inline]
    pub fn holds(&self, bytes: u64) -> bool {
        self.tokens >= u128::from(bytes) * PER_BYTE
    }

    /// Removes the tokens for `bytes` bytes, which it [`holds`](Self::holds).
    #[inline]
    pub fn take(&mut self, bytes: u64) {
        self.tokens -= u128::from(bytes) * PER_BYTE;
    }
}
