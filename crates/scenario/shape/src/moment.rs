//! Times of the day, for people.

use std::cmp::Ordering;
use std::fmt;

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

/// A point in time with the offset of the local time from UTC.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Moment {
    /// Milliseconds since 1970, UTC.
    pub unix_ms: u64,
    /// Seconds by which the local time is ahead of UTC.
    pub offset: i32,
}

impl Moment {
    /// Returns the moment that is later by `time`, with the same offset.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        let ms = time.as_nanos() / 1_000_000;
        Self { unix_ms: self.unix_ms.saturating_add(ms), ..self }
    }

    /// Returns the time since `earlier`, or 0 if that is in the future.
    pub fn since(self, earlier: Self) -> Duration {
        let ms = self.unix_ms.saturating_sub(earlier.unix_ms);
        Duration::from_nanos(ms.saturating_mul(1_000_000))
    }
}

impl PartialEq for Moment {
    fn eq(&self, other: &Self) -> bool {
        self.unix_ms == other.unix_ms
    }
}

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> Ordering {
        self.unix_ms.cmp(&other.unix_ms)
    }
}

/// Formats the local time of the day: `14:32`.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: i64 = 24 * 60;
        let minutes = i64::try_from(self.unix_ms / 60_000).unwrap_or_default();
        let local = (minutes + i64::from(self.offset) / 60).rem_euclid(DAY);
        write!(f, "{:02}:{:02}", local / 60, local % 60)
    }
}
