//! The experiment's clock: the machine's `CLOCK_MONOTONIC` from an origin of the caller's choice,
//! dilated. This is where the machine's time becomes the experiment's.

use std::time::Instant;

use netloom_units::{Dilation, Duration, Time};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// What time it is in the experiment.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// `CLOCK_MONOTONIC` at the experiment's zero, in ns.
    origin: u64,
    dilation: Dilation,
}

impl Clock {
    /// A clock that shows zero at `origin`, and passes as the machine's.
    pub fn since(origin: Instant) -> Self {
        Self::dilated(origin, Dilation::NONE)
    }

    /// A clock that shows zero at `origin`, and is slower than the machine's by this factor.
    pub fn dilated(origin: Instant, dilation: Dilation) -> Self {
        let elapsed = origin.elapsed().as_nanos();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        Self { origin: monotonic().saturating_sub(elapsed), dilation }
    }

    /// The time now; zero before the origin.
    #[inline]
    pub fn now(&self) -> Time {
        let passed = Duration::from_nanos(monotonic().saturating_sub(self.origin));
        Time::ZERO + self.dilation.to_experiment(passed)
    }

    /// How much slower it is than the machine's clock.
    #[inline]
    pub fn dilation(&self) -> Dilation {
        self.dilation
    }

    /// What of the machine's time has passed since the origin at `time`.
    pub fn machine_time(&self, time: Time) -> Time {
        Time::ZERO + self.dilation.to_machine(time.since(Time::ZERO))
    }

    /// What time it was here at a time of the machine's clock, in ns since 1970-01-01 UTC, not long ago; now,
    /// if that clock has not come there yet.
    pub(crate) fn at_unix(&self, unix_ns: u64) -> Time {
        let real = nanos(clock_gettime(ClockId::Realtime));
        let ago = Duration::from_nanos(real.saturating_sub(unix_ns));
        self.now() - self.dilation.to_experiment(ago)
    }

    /// The point `time` on `CLOCK_MONOTONIC`, in ns.
    pub fn on_machine(&self, time: Time) -> u64 {
        self.origin.saturating_add(self.machine_time(time).as_nanos())
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

    #[test]
    fn a_dilated_clock_is_slower_or_faster_by_its_factor() {
        let ago = std::time::Duration::from_secs(1000);
        let Some(origin) = Instant::now().checked_sub(ago) else { return };
        for (factor, seconds) in [("10", 100.0), ("0.1", 10_000.0)] {
            let clock = Clock::dilated(origin, factor.parse().unwrap());
            let now = clock.now();
            let passed = now.since(Time::ZERO).as_secs_f64();
            // However busy the machine is, it does not take a minute to get here.
            assert!(passed >= seconds && passed < seconds * 1.06, "{factor}: {passed}");
            assert!(clock.on_machine(now) <= monotonic());
        }
    }
}
