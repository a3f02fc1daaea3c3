//! The experiment's clock: the machine's `CLOCK_MONOTONIC` from an origin of the caller's choice.

use std::time::Instant;

use netloom_units::Time;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// What time it is in the experiment.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// `CLOCK_MONOTONIC` at the experiment's zero, in ns.
    origin: u64,
}

impl Clock {
    /// A clock that shows zero at `origin`.
    pub fn since(origin: Instant) -> Self {
        let elapsed = origin.elapsed().as_nanos();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        Self { origin: monotonic().saturating_sub(elapsed) }
    }

    /// The time now; zero before the origin.
    #[inline]
    pub fn now(&self) -> Time {
        Time::from_nanos(monotonic().saturating_sub(self.origin))
    }

    /// What time it was here at a time of the machine's clock, in ns since 1970-01-01 UTC, not long ago; now,
    /// if that clock has not come there yet.
    pub(crate) fn at_unix(&self, unix_ns: u64) -> Time {
        let real = nanos(clock_gettime(ClockId::Realtime));
        let ago = real.saturating_sub(unix_ns);
        Time::from_nanos(self.now().as_nanos().saturating_sub(ago))
    }

    /// The point `time` on `CLOCK_MONOTONIC`, in ns.
    pub(crate) fn on_machine(&self, time: Time) -> u64 {
        self.origin.saturating_add(time.as_nanos())
    }
}

#[inline]
fn monotonic() -> u64 {
    nanos(clock_gettime(ClockId::Monotonic))
}

#[inline]
fn nanos(time: Timespec) -> u64 {
    // Never negative: clocks count from when the machine started, or from 1970.
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_counts_from_its_origin() {
        let origin = Instant::now();
        let clock = Clock::since(origin);
        let (first, elapsed, second) = (clock.now(), origin.elapsed(), clock.now());
        let elapsed = elapsed.as_nanos() as u64;
        // The two clocks were read at slightly different moments when they were set.
        let slack = Duration::from_millis(100).as_nanos() as u64;
        assert!(first.as_nanos() <= elapsed + slack && elapsed <= second.as_nanos() + slack);
        assert!(first <= second);
    }
}
