//! Measures the cost of the monitor's own thread.

use std::time::Instant;

use netloom_monitor::Work;
use netloom_units::Duration;
use nix::time::{ClockId, clock_gettime};

use super::recorded::RecordedMonitor;

/// Reads the CPU time of the calling thread, which must be the same for all calls.
pub struct Meter {
    read: Duration,
}

impl Meter {
    /// Starts the meter. CPU time that this thread and the others have spent so far counts as
    /// preparation.
    pub fn start(by_others: Duration, monitor: &mut RecordedMonitor) -> Self {
        let read = thread_time();
        monitor.spent(Work::Preparation, read + by_others);
        Self { read }
    }

    /// Charges the time that the thread has spent since the last call to `work`, including the cost
    /// of waking up for it. Returns that time.
    pub fn spent(&mut self, work: Work, monitor: &mut RecordedMonitor) -> Duration {
        let now = thread_time();
        let spent = now.saturating_sub(std::mem::replace(&mut self.read, now));
        monitor.spent(work, spent);
        spent
    }
}

/// Returns the CPU time of the calling thread.
pub fn thread_time() -> Duration {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

/// Returns the CPU time of this process.
pub fn process_time() -> Duration {
    read(ClockId::CLOCK_PROCESS_CPUTIME_ID)
}

fn read(clock: ClockId) -> Duration {
    // Cannot fail for the own process and thread.
    let time = clock_gettime(clock).map(std::time::Duration::from).unwrap_or_default();
    nanos(time)
}

fn nanos(time: std::time::Duration) -> Duration {
    Duration::from_nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// Returns the time since `since`.
pub fn elapsed(since: Instant) -> Duration {
    nanos(since.elapsed())
}
