//! How busy the CPUs are.

use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// The share of all CPUs' time that was not idle while this thread slept for `lasts`, 0 to 1.
///
/// # Errors
/// If `/proc/stat` cannot be read or parsed.
pub fn busy(lasts: Duration) -> Result<f64> {
    let before = ticks()?;
    thread::sleep(lasts);
    let after = ticks()?;
    let (idle, all) = (after.0.saturating_sub(before.0), after.1.saturating_sub(before.1));
    Ok(if all == 0 { 0.0 } else { 1.0 - idle as f64 / all as f64 })
}

/// Idle time and total time of all CPUs since the start, in ticks of the kernel.
fn ticks() -> Result<(u64, u64)> {
    let text = fs::read_to_string("/proc/stat").context("cannot read /proc/stat")?;
    parse(&text).context("cannot understand /proc/stat")
}

fn parse(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    // The time of guests, which follows, is included in that of their hosts.
    let ticks: Option<Vec<u64>> =
        line.split_whitespace().take(8).map(|tick| tick.parse().ok()).collect();
    let ticks = ticks?;
    Some((ticks.get(3)? + ticks.get(4)?, ticks.iter().sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_with_and_without_disks() {
        assert_eq!(parse("cpu  10 0 20 60 5 0 3 2 9 9\ncpu0 1\n"), Some((65, 100)));
        assert_eq!(parse("cpu0 1 2 3\n"), None);
    }

    #[test]
    fn this_machine_is_busy_in_part() {
        let busy = busy(Duration::from_millis(50)).unwrap();
        assert!((0.0..=1.0).contains(&busy), "{busy}");
    }
}
