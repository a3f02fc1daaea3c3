//! Exact times of bits at a rate.

use netloom_units::{Duration, Rate, Time};

/// A rate in thousandths of a bit per second. A computed rate (such as a load divided by the number
/// of bursts) is thus as exact as one that is written in a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pace(u64);

impl Pace {
    /// The slowest pace, a thousandth of a bit per second.
    pub(crate) const SLOWEST: Pace = Pace(1);

    /// The fastest pace, 10¹⁶ bit/s.
    pub(crate) const FASTEST: Pace = Pace(10_000_000_000_000_000_000);

    /// Returns the pace nearest to `rate` bit/s. `None` if that is zero, or above 10¹⁶ bit/s.
    pub fn from_bits_per_second(rate: f64) -> Option<Self> {
        let thousandths = libm::round(rate * 1e3);
        (1.0..=Self::FASTEST.0 as f64).contains(&thousandths).then_some(Self(thousandths as u64))
    }

    /// Returns the pace in bit/s.
    pub fn bits_per_second(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Returns the pace in thousandths of a bit per second.
    pub const fn thousandths(self) -> u64 {
        self.0
    }

    /// Returns this pace times `count`. `None` if that is zero.
    pub fn times(self, count: u64) -> Option<Self> {
        match self.0.saturating_mul(count) {
            0 => None,
            thousandths => Some(Self(thousandths)),
        }
    }

    /// Returns the whole nanoseconds that `bytes` take, and the rest in units of a nanosecond
    /// divided by the pace.
    fn divided(self, bytes: u32) -> (u64, u64) {
        let scaled = u128::from(bytes) * 8 * 1_000_000_000_000;
        let pace = u128::from(self.0);
        // 2³⁵ bits at a thousandth bit/s take 3.5·10²² ns, which is more than a clock holds.
        (u64::try_from(scaled / pace).unwrap_or(u64::MAX), (scaled % pace) as u64)
    }

    /// Returns the time that `bytes` take, rounded down.
    pub fn time_for(self, bytes: u32) -> Duration {
        Duration::from_nanos(self.divided(bytes).0)
    }
}

impl From<Rate> for Pace {
    fn from(rate: Rate) -> Self {
        Self(rate.bits_per_second() * 1000)
    }
}

/// A clock that bytes move forward. After any number of them it shows the time that they take
/// together, which is rounded down to a nanosecond only once.
#[derive(Debug, Clone)]
pub(crate) struct PaceClock {
    pace: Pace,
    now: u64,
    /// Fraction of a nanosecond that has passed, in units of a nanosecond divided by the pace.
    rest: u64,
    /// The last length and the time that it takes. Most lengths are repeated many times.
    known: (u32, (u64, u64)),
}

impl PaceClock {
    pub fn new(pace: Pace, at: Time) -> Self {
        Self { pace, now: at.as_nanos(), rest: 0, known: (0, (0, 0)) }
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        Time::from_nanos(self.now)
    }

    /// Advances by the time that `bytes` take.
    pub fn advance(&mut self, bytes: u32) {
        if self.known.0 != bytes {
            self.known = (bytes, self.pace.divided(bytes));
        }
        let (nanos, rest) = self.known.1;
        self.now = self.now.saturating_add(nanos);
        // Both numbers are below the pace, which is below 2⁶⁴, but their sum may exceed it.
        let (sum, over) = self.rest.overflowing_add(rest);
        let carried = over || sum >= self.pace.0;
        self.rest = if carried { sum.wrapping_sub(self.pace.0) } else { sum };
        self.now = self.now.saturating_add(u64::from(carried));
    }

    /// Advances by a share of the time that `bytes` take. `part` is from 0 to 1.
    pub fn advance_part(&mut self, bytes: u32, part: f64) {
        let nanos = part * (f64::from(bytes) * 8e12 / self.pace.0 as f64);
        self.now = self.now.saturating_add(nanos as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_lost_over_many_frames() {
        // At 3 bit/s a byte takes 8/3 s.
        let pace = Pace::from_bits_per_second(3.0).unwrap();
        let mut clock = PaceClock::new(pace, Time::from_nanos(5));
        (0..3_000).for_each(|_| clock.advance(1));
        assert_eq!(clock.now(), Time::from_nanos(5 + 8_000_000_000_000));
        clock.advance(2);
        assert_eq!(clock.now(), Time::from_nanos(5 + 8_005_333_333_333));
    }

    #[test]
    fn paces_have_bounds() {
        assert_eq!(Pace::from_bits_per_second(0.0004), None);
        assert_eq!(Pace::from_bits_per_second(f64::NAN), None);
        assert_eq!(Pace::from_bits_per_second(1e17), None);
        let pace = Pace::from_bits_per_second(0.001).unwrap();
        assert_eq!(pace.time_for(1), Duration::from_nanos(8_000_000_000_000));
        assert_eq!(pace.time_for(u32::MAX), Duration::from_nanos(u64::MAX));
        assert_eq!(pace.times(0), None);
    }
}
