//! Lengths of time and points on the experiment's clock, both in whole nanoseconds.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{UnitError, text_quantity};

/// A length of time in whole nanoseconds, up to 584 years.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

const DURATION: Quantity = Quantity {
    name: "duration",
    base: "nanoseconds",
    example: "10ms",
    units: &[
        ("h", 3_600_000_000_000),
        ("min", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1000),
        ("ns", 1),
    ],
    aliases: &[("µs", "us"), ("μs", "us")],
    ambiguous: &[
        ("m", "minutes are `min`, milliseconds `ms`"),
        ("sec", "write `s`"),
        ("secs", "write `s`"),
        ("seconds", "write `s`"),
        ("msec", "write `ms`"),
        ("usec", "write `us`"),
        ("hour", "write `h`"),
    ],
};

impl Duration {
    /// The duration 0.
    pub const ZERO: Duration = Duration(0);

    /// Returns a duration of `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Returns a duration of `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1000)
    }

    /// Returns a duration of `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// Returns a duration of `seconds` seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1_000_000_000)
    }

    /// Returns the duration in nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the duration in seconds as the nearest float, for printing and statistics only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the duration in milliseconds as the nearest float, for printing and statistics only.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns `self - other`, or zero if `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl FromStr for Duration {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        DURATION.parse(text).map(Self)
    }
}

impl From<Duration> for std::time::Duration {
    fn from(duration: Duration) -> Self {
        Self::from_nanos(duration.0)
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Duration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&DURATION.print(self.0))
    }
}

text_quantity!(
    Duration,
    "duration",
    r"^[0-9]+(\.[0-9]+)? *(ns|us|µs|ms|s|min|h)$",
    "A length of time with its unit: ns, us, ms, s, min or h.",
    "10ms"
);

/// A point in time: nanoseconds since the experiment's zero. The origin is the caller's choice;
/// the link model only compares and subtracts.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Time(u64);

impl Time {
    /// The experiment's zero.
    pub const ZERO: Time = Time(0);

    /// Returns the time `nanos` nanoseconds after zero.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Returns the nanoseconds since zero.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Returns the time from `earlier` to `self`, or zero if `earlier` is the later one.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration.0))
    }
}

impl AddAssign<Duration> for Time {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl Sub<Duration> for Time {
    type Output = Self;
    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
    }
}
