//! The four stamps of a probe and its reply.

use thiserror::Error;

/// The four stamps of a probe and its reply, in ns.
///
/// Stamps may err to one side without harm: `t1` and `t3` may be early, `t2` and `t4` late. So
/// stamps that a program takes before it sends and after it has received are safe, and stamps of
/// the kernel are only narrower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// When we sent the probe, by our clock.
    pub t1: i64,
    /// When it was received there, by their clock.
    pub t2: i64,
    /// When the reply was sent there, by their clock.
    pub t3: i64,
    /// When we received the reply, by our clock.
    pub t4: i64,
}

/// Why an exchange is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ExchangeError {
    /// A reply cannot have been received before the probe was sent.
    #[error("the reply came at {t4} ns, before the probe was sent at {t1} ns; check both stamps")]
    OursBackwards {
        /// When the probe was sent.
        t1: i64,
        /// When the reply was received.
        t4: i64,
    },
    /// A reply cannot have been sent before the probe was received.
    #[error(
        "the other machine replied at {t3} ns, before it had the probe at {t2} ns; check its stamps"
    )]
    TheirsBackwards {
        /// When the probe was received.
        t2: i64,
        /// When the reply was sent.
        t3: i64,
    },
    /// A monotonic clock shows the time since its machine's start: 36 years at most.
    #[error("{stamp} ns is no time of a monotonic clock; it is outside of ±2^60 ns")]
    OutOfRange {
        /// The stamp.
        stamp: i64,
    },
}

/// Greatest distance of a stamp from zero. Differences of differences fit into an `i64`.
const GREATEST: u64 = 1 << 60;

/// Stamps are whole ns: each of two is wrong by less than half of this.
pub(crate) const RESOLUTION: i64 = 2;

impl Exchange {
    /// Time there and back without the time that the other machine held the probe, in ns. It is
    /// negative if the clocks differ in rate and the probe was held for long.
    pub const fn round_trip(&self) -> i64 {
        (self.t4 - self.t1) - (self.t3 - self.t2)
    }

    /// Checks that the stamps are possible.
    ///
    /// # Errors
    /// Returns the first contradiction found.
    pub fn check(&self) -> Result<(), ExchangeError> {
        let Self { t1, t2, t3, t4 } = *self;
        if let Some(stamp) = [t1, t2, t3, t4].into_iter().find(|t| t.unsigned_abs() > GREATEST) {
            return Err(ExchangeError::OutOfRange { stamp });
        }
        if t4 < t1 {
            return Err(ExchangeError::OursBackwards { t1, t4 });
        }
        if t3 < t2 {
            return Err(ExchangeError::TheirsBackwards { t2, t3 });
        }
        Ok(())
    }

    /// Least offset at our time `t4`: the reply was sent at `t3` and took no negative time.
    pub(crate) const fn least(&self) -> i64 {
        self.t3 - self.t4 - RESOLUTION
    }

    /// Greatest offset at our time `t1`: the probe was received at `t2` and took no negative time.
    pub(crate) const fn greatest(&self) -> i64 {
        self.t2 - self.t1 + RESOLUTION
    }
}
