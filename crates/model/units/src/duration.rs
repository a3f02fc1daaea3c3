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

/// A point in time: nanoseconds since the experiment's zero, negative before it. The origin is the
/// caller's choice; models only compare and subtract.
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
pub struct Time(i64);

impl Time {
    /// The experiment's zero.
    pub const ZERO: Time = Time(0);
    /// The last time that can be written, 292 years after zero.
    pub const MAX: Time = Time(i64::MAX);
    /// The first time that can be written, 292 years before zero.
    pub const MIN: Time = Time(i64::MIN);

    /// Returns the time `nanos` nanoseconds after zero, or the last one that can be written.
    pub const fn from_nanos(nanos: u64) -> Self {
        if nanos > i64::MAX as u64 { Self::MAX } else { Self(nanos as i64) }
    }

    /// Returns the time `nanos` nanoseconds after zero, or before it if they are negative.
    pub const fn from_signed_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Returns the nanoseconds since zero, none before it.
    pub const fn as_nanos(self) -> u64 {
        if self.0 < 0 { 0 } else { self.0 as u64 }
    }

    /// Returns the nanoseconds since zero, negative before it.
    pub const fn signed_nanos(self) -> i64 {
        self.0
    }

    /// Returns the seconds since zero, negative before it.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Returns the time from `earlier` to `self`, or zero if `earlier` is the later one.
    pub const fn since(self, earlier: Self) -> Duration {
        // The difference of two such times is in the range of a duration.
        Duration(if self.0 <= earlier.0 { 0 } else { self.0.wrapping_sub(earlier.0) as u64 })
    }

    /// Returns the same moment counted from another zero: the moment that is `zero` now.
    #[must_use]
    pub const fn counted_from(self, zero: Self) -> Self {
        Self(self.0.saturating_sub(zero.0))
    }
}

impl Add<Duration> for Time {
    type Output = Self;
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add_unsigned(duration.0))
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
        Self(self.0.saturating_sub_unsigned(duration.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, nanos) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        write!(f, "{sign}{}.{:09}s", nanos / 1_000_000_000, nanos % 1_000_000_000)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_before_zero_have_a_sign() {
        let before = Time::ZERO - Duration::from_millis(2500);
        assert_eq!(before.to_string(), "-2.500000000s");
        assert_eq!((before.signed_nanos(), before.as_nanos()), (-2_500_000_000, 0));
        assert_eq!(serde_json::to_string(&before).unwrap(), "-2500000000");
        assert_eq!(serde_json::from_str::<Time>("-2500000000").unwrap(), before);
    }

    proptest! {
        #[test]
        fn another_zero_moves_all_times_alike(
            a in -(1i64 << 61)..1 << 61,
            b in -(1i64 << 61)..1 << 61,
            zero in -(1i64 << 61)..1 << 61,
        ) {
            let [a, b, zero] = [a, b, zero].map(Time::from_signed_nanos);
            let moved = [a, b].map(|time| time.counted_from(zero));
            prop_assert_eq!(moved[0].since(moved[1]), a.since(b));
            prop_assert_eq!(moved[0].cmp(&moved[1]), a.cmp(&b));
            prop_assert_eq!(zero.counted_from(zero), Time::ZERO);
            prop_assert_eq!(a + b.since(a), a.max(b));
        }

        #[test]
        fn the_distance_of_any_two_times_is_a_duration(a: i64, b: i64) {
            let since = Time::from_signed_nanos(a).since(Time::from_signed_nanos(b));
            let exact = (i128::from(a) - i128::from(b)).max(0);
            prop_assert_eq!(i128::from(since.as_nanos()), exact);
        }
    }
}
