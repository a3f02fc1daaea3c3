//! The kernel's monotonic time into the experiment's.

use netloom_units::{Duration, Time};
use nix::time::{ClockId, clock_gettime};

/// Both run at the same rate. How far they are apart is known best from the look at which the least
/// time passed between the two readings.
#[derive(Debug, Default)]
pub struct Clock {
    /// The experiment's time minus the kernel's, in ns.
    offset: Option<i128>,
}

impl Clock {
    /// It was `at`, and is a little later by the kernel. Gives the kernel's time of `at`: whatever
    /// is read from now on includes all that was until then.
    pub fn look(&mut self, at: Time) -> nix::Result<u64> {
        let at = i128::from(at.as_nanos());
        let offset = at - i128::from(monotonic()?);
        let best = self.offset.map_or(offset, |best| best.max(offset));
        self.offset = Some(best);
        Ok(u64::try_from(at - best).unwrap_or(0))
    }

    /// How long before `at` something was, by the kernel's time; zero for what came after.
    pub fn ago(&self, at: Time, monotonic: u64) -> Duration {
        let then = i128::from(monotonic) + self.offset.unwrap_or(0);
        let ago = i128::from(at.as_nanos()) - then;
        Duration::from_nanos(u64::try_from(ago.max(0)).unwrap_or(u64::MAX))
    }
}

/// The kernel's time, as `bpf_ktime_get_ns` has it.
fn monotonic() -> nix::Result<u64> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    // Both are positive: the clock counts from the machine's start.
    Ok(now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs())
}
