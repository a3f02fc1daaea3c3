//! The experiment's clock: the node's monotonic clock, counted from the experiment's zero.

use nix::sys::time::{TimeSpec, TimeValLike};
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

use super::Timebase;

/// Longest sleep, in ns. After it a sleeper checks whether it has to end.
const LONGEST_SLEEP: u64 = 50_000_000;

/// The experiment's clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Timebase);

impl Clock {
    pub fn new(timebase: Timebase) -> Self {
        Self(timebase)
    }

    /// The time now, in ns since the experiment's zero; 0 before it.
    pub fn now(&self) -> u64 {
        let now = nanos(ClockId::CLOCK_MONOTONIC);
        u64::try_from(i128::from(now) - i128::from(self.0.zero)).unwrap_or(0)
    }

    /// How long a receiver takes what is still under way, in ns.
    pub fn drain(&self) -> u64 {
        self.0.drain.as_nanos()
    }

    /// How long an answer takes over the slowest way without queues, in ns.
    pub fn round_trip(&self) -> u64 {
        self.0.round_trip.as_nanos()
    }

    /// Converts a recent time of the node's calendar clock.
    pub fn at_real(&self, real: u64) -> u64 {
        let ago = nanos(ClockId::CLOCK_REALTIME).saturating_sub(real);
        self.now().saturating_sub(ago)
    }

    /// The number of the interval that `time` is in.
    pub fn interval(&self, time: u64) -> u64 {
        time / self.0.interval.as_nanos().max(1)
    }

    /// When a sender is to begin, in ns since the experiment's zero, if that is set; and how long
    /// that is from now on, 0 if it has passed.
    pub fn begin(&self) -> Option<(u64, u64)> {
        let begin = self.0.begin?.as_nanos();
        let now = i128::from(nanos(ClockId::CLOCK_MONOTONIC)) - i128::from(self.0.zero);
        Some((begin, u64::try_from(i128::from(begin) - now).unwrap_or(0)))
    }

    /// Sleeps until `time`, but not longer than the check for a requested end allows.
    pub fn sleep_until(&self, time: u64) {
        let due = time.min(self.now() + LONGEST_SLEEP).saturating_add_signed(self.0.zero);
        sleep_until(due);
    }

    /// Sleeps for this time in ns, but not longer than the check for a requested end allows.
    pub fn sleep_for(&self, time: u64) {
        sleep_until(nanos(ClockId::CLOCK_MONOTONIC).saturating_add(time.min(LONGEST_SLEEP)));
    }
}

/// Sleeps until a time of the node's monotonic clock, in ns.
fn sleep_until(due: u64) {
    let due = TimeSpec::nanoseconds(i64::try_from(due).unwrap_or(i64::MAX));
    let (clock, flags) = (ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME);
    // A sleep that a signal interrupts is only shorter.
    let _ = clock_nanosleep(clock, flags, &due);
}

/// Reads a clock of the node, in ns. These clocks always exist, and are not before 1970.
fn nanos(clock: ClockId) -> u64 {
    let time = clock_gettime(clock).map_or(0, |time| time.num_nanoseconds());
    u64::try_from(time).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use netloom_units::Duration;

    use super::*;

    fn timebase(zero: i64) -> Timebase {
        let (round_trip, drain) = (Duration::ZERO, Duration::ZERO);
        let interval = Duration::from_millis(10);
        Timebase { zero, interval, round_trip, drain, begin: None }
    }

    #[test]
    fn it_counts_from_a_zero_before_the_clocks_own() {
        let old = Clock::new(timebase(-5_000_000_000));
        let machine = nanos(ClockId::CLOCK_MONOTONIC);
        let now = old.now();
        assert!(now >= machine + 5_000_000_000, "{now} at {machine}");
        old.sleep_until(now + 1_000_000);
        assert!(old.now() >= now + 1_000_000);
        let future = Clock::new(timebase(i64::MAX));
        assert_eq!(future.now(), 0);
    }
}
