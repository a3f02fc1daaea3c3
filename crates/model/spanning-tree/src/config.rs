//! The configuration of a bridge: its identifier, and the times that it gives its tree while it is
//! the root.

use netloom_units::Duration;

use crate::{BridgeId, Times};

/// A bridge's identifier and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BridgeConfig {
    /// The identifier.
    pub id: BridgeId,
    /// Times of the whole tree while this bridge is the root; its own hellos always have this
    /// period.
    pub times: BridgeTimes,
}

impl From<BridgeId> for BridgeConfig {
    /// A bridge with the standard's recommended times.
    fn from(id: BridgeId) -> Self {
        Self { id, times: BridgeTimes::default() }
    }
}

/// Times of a bridge, in whole seconds (table 17-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BridgeTimes {
    max_age: u8,
    forward_delay: u8,
    hello: u8,
}

impl Default for BridgeTimes {
    fn default() -> Self {
        Self { max_age: 20, forward_delay: 15, hello: 2 }
    }
}

/// Why a bridge cannot have these times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BridgeTimesError {
    /// A time is out of its range.
    #[error("`{0}` is from {1} to {2} s, not {3} s")]
    Range(&'static str, u8, u8, u8),
    /// Information would be too old before a port that waits for it may forward.
    #[error("`max_age` ({0} s) is at most twice `forward_delay` less 1 s, {1} s")]
    ForwardDelay(u8, u8),
    /// Information would be too old as soon as a hello is lost.
    #[error("`max_age` ({0} s) is at least twice `hello` and 1 s, {1} s")]
    Hello(u8, u8),
}

impl BridgeTimes {
    /// Checks times in whole seconds. Information about the root passes as many bridges as
    /// `max_age` has seconds.
    ///
    /// # Errors
    /// The times are out of range, or do not fit each other (17.14; a hello of up to 10 s is that
    /// of IEEE 802.1D-1998).
    ///
    /// ```
    /// use netloom_spanning_tree::BridgeTimes;
    ///
    /// assert!(BridgeTimes::new(40, 21, 2).is_ok());
    /// assert_eq!(
    ///     BridgeTimes::new(40, 15, 2).unwrap_err().to_string(),
    ///     "`max_age` (40 s) is at most twice `forward_delay` less 1 s, 28 s"
    /// );
    /// ```
    pub fn new(max_age: u8, forward_delay: u8, hello: u8) -> Result<Self, BridgeTimesError> {
        let ranges = [
            ("max_age", 6, 40, max_age),
            ("forward_delay", 4, 30, forward_delay),
            ("hello", 1, 10, hello),
        ];
        for (name, least, most, time) in ranges {
            if !(least..=most).contains(&time) {
                return Err(BridgeTimesError::Range(name, least, most, time));
            }
        }
        let (most, least) = (2 * (forward_delay - 1), 2 * (hello + 1));
        if max_age > most {
            return Err(BridgeTimesError::ForwardDelay(max_age, most));
        }
        if max_age < least {
            return Err(BridgeTimesError::Hello(max_age, least));
        }
        Ok(Self { max_age, forward_delay, hello })
    }

    /// Most bridges, beside the root, that information about the root passes.
    pub fn most_hops(self) -> u32 {
        self.max_age.into()
    }

    pub(crate) fn hello(self) -> Duration {
        Duration::from_secs(self.hello.into())
    }

    /// The times as BPDUs of the root carry them.
    pub(crate) fn of_root(self) -> Times {
        let [max_age, hello, forward_delay] =
            [self.max_age, self.hello, self.forward_delay].map(|time| u16::from(time) * 256);
        Times { message_age: 0, max_age, hello, forward_delay }
    }
}
