//! A token bucket without rounding. Not here: what tokens decide (`meter`).

use netloom_units::{Duration, Rate, Size};

/// Tokens to a byte: rate [bit/s] times time [ns] are so many, so that nothing is ever rounded.
const PER_BYTE: u128 = 8_000_000_000;

/// Bytes that may pass. It fills at a rate up to its depth, and is full at first.
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

    /// The tokens that come in `time`.
    #[inline]
    pub fn income(&self, time: Duration) -> u128 {
        u128::from(self.rate.bits_per_second()) * u128::from(time.as_nanos())
    }

    /// Puts `tokens` in; those for which there is no room come back.
    #[inline]
    pub fn fill(&mut self, tokens: u128) -> u128 {
        let room = self.depth - self.tokens;
        let taken = tokens.min(room);
        self.tokens += taken;
        tokens - taken
    }

    /// Whether it holds so many bytes.
    #[inline]
    pub fn holds(&self, bytes: u64) -> bool {
        self.tokens >= u128::from(bytes) * PER_BYTE
    }

    /// Takes out `bytes`, which it [`holds`](Self::holds).
    #[inline]
    pub fn take(&mut self, bytes: u64) {
        self.tokens -= u128::from(bytes) * PER_BYTE;
    }
}
