//! How much CPU time the machine has left, so that no more test programs begin than it bears.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// Share of all CPU time that must be idle before another program begins.
const IDLE: f64 = 0.25;

/// How long the machine is watched for that.
const WATCHED: Duration = Duration::from_millis(700);

/// Waits until the machine has room for another program, or `over` says that there is none.
/// Programs that began just now have taken their time before the next look ends.
pub(crate) fn wait_for_room(over: impl Fn() -> bool) {
    loop {
        let before = cpu_time();
        sleep(WATCHED);
        // Without the kernel's account, the number of programs is the only limit.
        let (Some(before), Some(after)) = (before, cpu_time()) else { return };
        if over() || after.idle_since(&before) >= IDLE {
            return;
        }
    }
}

/// CPU time of the machine since it started, in ticks.
struct CpuTime {
    idle: u64,
    all: u64,
}

impl CpuTime {
    /// Parses the first line of `/proc/stat`: user, nice, system, idle, iowait and others.
    fn parse(stat: &str) -> Option<Self> {
        let mut words = stat.lines().next()?.split_whitespace();
        words.next().filter(|word| *word == "cpu")?;
        let ticks: Vec<u64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let idle = ticks.get(3..5)?.iter().sum();
        // The last two are in the first two already.
        Some(Self { idle, all: ticks.iter().take(8).sum() })
    }

    fn idle_since(&self, before: &Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        self.idle.saturating_sub(before.idle) as f64 / all as f64
    }
}

fn cpu_time() -> Option<CpuTime> {
    CpuTime::parse(&fs::read_to_string("/proc/stat").ok()?)
}

#[cfg(test)]
mod tests {
    use super::CpuTime;

    #[test]
    fn idle_and_waiting_for_disks_are_time_that_is_left() {
        let at = |line| CpuTime::parse(line).unwrap();
        let before = at("cpu  100 0 50 1000 10 5 5 0 7 0\ncpu0 1 2 3\n");
        let after = at("cpu  130 10 60 1040 20 5 5 0 9 0\n");
        // 50 of 100 ticks.
        assert_eq!(after.idle_since(&before), 0.5);
        assert_eq!(before.idle_since(&before), 0.0);
    }

    #[test]
    fn another_format_is_no_account() {
        for stat in ["", "cpu", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8", "cpu 1 2 x 4 5 6 7 8"] {
            assert!(CpuTime::parse(stat).is_none(), "{stat}");
        }
    }
}
