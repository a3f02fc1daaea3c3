//! Values that bridges compare: priority vectors, and the times that go with them (§17.6, §17.18).
//! Not here: the comparisons (`information`, `roles`).

use netloom_units::Duration;

use crate::{BridgeId, PathCost};

/// One second in the unit of [`Times`].
const SECOND: u16 = 256;

/// A priority vector (§17.5, §17.6). Vectors are compared field by field in this order; the lowest
/// is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Vector {
    /// The assumed root.
    pub root: BridgeId,
    /// Cost of the path to the root.
    pub cost: u32,
    /// The bridge that sent this information.
    pub bridge: BridgeId,
    /// The port that sent it: priority in the upper 4 bits, number in the lower 12 (§9.2.7).
    pub port: u16,
}

impl Vector {
    /// Returns the information at the other end of a link with this cost: a root path priority
    /// vector.
    pub(crate) fn plus(self, cost: PathCost) -> Self {
        Self { cost: self.cost.saturating_add(cost.get()), ..self }
    }

    /// Whether both vectors come from the same port of the same bridge (§17.6).
    pub(crate) fn same_source(&self, other: &Self) -> bool {
        (self.bridge.address(), self.port) == (other.bridge.address(), other.port)
    }
}

/// The times that a BPDU carries, each in units of 1/256 s (§9.2.8, §17.18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Age of the information: one second for each bridge that it has passed.
    pub message_age: u16,
    /// Age at which information is dropped.
    pub max_age: u16,
    /// Time between two hellos of the sending bridge.
    pub hello: u16,
    /// Time that a port spends in listening, and then in learning, before it forwards by time
    /// alone.
    pub forward_delay: u16,
}

impl Times {
    /// The times of a bridge that is not configured with others (table 17-1).
    pub(crate) const DEFAULT: Self = Self {
        message_age: 0,
        max_age: 20 * SECOND,
        hello: 2 * SECOND,
        forward_delay: 15 * SECOND,
    };

    /// Returns the times one bridge further from the root: a second older, in whole seconds
    /// (§17.21.25).
    pub(crate) fn aged(self) -> Self {
        let seconds = (u32::from(self.message_age) + u32::from(SECOND / 2)) / u32::from(SECOND) + 1;
        let message_age = u16::try_from(seconds * u32::from(SECOND)).unwrap_or(u16::MAX);
        Self { message_age, ..self }
    }

    /// Returns the times as a port records them: hellos not faster than one per second (§17.21.12).
    pub(crate) fn recorded(self) -> Self {
        Self { hello: self.hello.max(SECOND), ..self }
    }

    pub(crate) fn max_age(self) -> Duration {
        length(self.max_age)
    }

    pub(crate) fn hello(self) -> Duration {
        length(self.hello)
    }

    pub(crate) fn forward_delay(self) -> Duration {
        length(self.forward_delay)
    }
}

fn length(time: u16) -> Duration {
    Duration::from_nanos(u64::from(time) * (1_000_000_000 / u64::from(SECOND)))
}
