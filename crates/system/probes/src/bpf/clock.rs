//! Conversion of the kernel's monotonic time to the experiment's.

use std::fs;
use std::sync::LazyLock;

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

/// The kernel's time, as `bpf_ktime_get_ns` returns it: without what a time namespace adds.
fn monotonic() -> nix::Result<u64> {
    static ADDED: LazyLock<i64> = LazyLock::new(|| {
        added(&fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default())
    });
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    // Both are positive: the clock counts from the machine's start.
    let now = now.tv_sec().unsigned_abs() * 1_000_000_000 + now.tv_nsec().unsigned_abs();
    Ok(now.saturating_add_signed(-*ADDED))
}

/// Returns what a time namespace adds to the kernel's time, in ns.
fn added(offsets: &str) -> i64 {
    let words = offsets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of = |words: Vec<&str>| match words[..] {
        ["monotonic", seconds, nanos] => {
            Some(seconds.parse::<i64>().ok()? * 1_000_000_000 + nanos.parse::<i64>().ok()?)
        }
        _ => None,
    };
    words.filter_map(of).next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_namespace_adds_to_the_kernels_time() {
        let offsets = "monotonic      100000         5\nboottime            7         0\n";
        assert_eq!(added(offsets), 100_000_000_000_005);
        assert_eq!(added("monotonic -1 0\n"), -1_000_000_000);
        assert_eq!(added(""), 0);
    }
}
