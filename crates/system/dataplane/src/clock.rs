//! The experiment's clock: the machine's `CLOCK_MONOTONIC` since an origin that the caller chooses,
//! dilated. This module converts the machine's time to the experiment's.

use std::time::Instant;

use netloom_ports::monotonic;
use netloom_units::{Dilation, Duration, Time};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Clock of the experiment.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// `CLOCK_MONOTONIC` at the experiment's zero, in ns.
    origin: u64,
    dilation: Dilation,
}

impl Clock {
    /// Creates a clock that shows zero at `origin` and is as fast as the machine's.
    pub fn since(origin: Instant) -> Self {
        Self::dilated(origin, Dilation::NONE)
    }

    /// Creates a clock that shows zero at `origin` and is slower than the machine's by this factor.
    pub fn dilated(origin: Instant, dilation: Dilation) -> Self {
        let elapsed = origin.elapsed().as_nanos();
        let elapsed = u64::try_from(elapsed).unwrap_or(u64::MAX);
        Self { origin: monotonic().saturating_sub(elapsed), dilation }
    }

    /// Returns the current time; zero before the origin.
    #[inline]
    pub fn now(&self) -> Time {
        self.at_machine(monotonic())
    }

    /// Returns how much slower the clock is than the machine's.
    #[inline]
    pub fn dilation(&self) -> Dilation {
        self.dilation
    }

    /// Returns the machine's time from the origin to `time`.
    pub fn machine_time(&self, time: Time) -> Time {
        Time::ZERO + self.dilation.to_machine(time.since(Time::ZERO))
    }

    /// Returns the experiment's time at a recent time of the machine's real-time clock, in ns since
    /// 1970-01-01 UTC; the current time, if that clock has not reached it yet.
    pub(crate) fn at_unix(&self, unix_ns: u64) -> Time {
        let real = nanos(clock_gettime(ClockId::Realtime));
        let ago = Duration::from_nanos(real.saturating_sub(unix_ns));
        self.now() - self.dilation.to_experiment(ago)
    }

    /// Returns the experiment's time at a time on `CLOCK_MONOTONIC`, in ns; zero before the origin.
    #[inline]
    pub fn at_machine(&self, monotonic_ns: u64) -> Time {
        let passed = Duration::from_nanos(monotonic_ns.saturating_sub(self.origin));
        Time::ZERO + self.dilation.to_experiment(passed)
    }

    /// Returns `time` on `CLOCK_MONOTONIC`, in ns.
    pub fn on_machine(&self, time: Time) -> u64 {
        self.origin.saturating_add(self.machine_time(time).as_nanos())
    }
}

#[inline]
fn nanos(time: Timespec) -> u64 {
    // Never negative: clocks count from the start of the machine, or from 1970.
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
        // The two clocks were read at slightly different times.
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
            // However busy the machine is, this code is reached within a minute.
            assert!(passed >= seconds && passed < seconds * 1.06, "{factor}: {passed}");
            assert!(clock.on_machine(now) <= monotonic());
        }
    }
}
