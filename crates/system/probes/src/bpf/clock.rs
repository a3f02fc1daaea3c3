//! Conversion of the kernel's monotonic time to the experiment's.

use netloom_units::{Duration, Time};
use nix::time::{ClockId, clock_gettime};

/// The offset between the two clocks, which run at the same rate. It is most exact at the look with
/// the least time between the two readings.
#[derive(Debug, Default)]
pub struct Clock {
    /// The experiment's time minus the kernel's, in ns.
    offset: Option<i128>,
}

impl Clock {
    /// Takes a reading `at` of the experiment's clock; the kernel's clock is read a little later.
    /// Returns the kernel's time of `at`. Whatever is read from now on includes everything until
    /// then.
    pub fn look(&mut self, at: Time) -> nix::Result<u64> {
        let at = i128::from(at.as_nanos());
        let offset = at - i128::from(monotonic()?);
        let best = self.offset.map_or(offset, |best| best.max(offset));
        self.offset = Some(best);
        Ok(u64::try_from(at - best).unwrap_or(0))
    }

    /// How long before `at` the kernel's time `monotonic` was; zero if it was later.
    pub fn ago(&self, at: Time, monotonic: u64) -> Duration {
        let then = i128::from(monotonic) + self.offset.unwrap_or(0);
        let ago = i128::from(at.as_nanos()) - then;
        Duration::from_nanos(u64::try_from(ago.max(0)).unwrap_or(u64::MAX))
    }
}

/// The kernel's time, as `bpf_ktime_get_ns` returns it.
fn monotonic() -> nix::Result<u64> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    // Both are positive: the clock counts from the machine's start.
    Ok(now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs())
}
