//! CPU budget of a probe with much to read, which decides how often it may look.

use netloom_units::Duration;
use nix::time::{ClockId, clock_gettime};

/// Cost of a first look that opens files, as a multiple of other looks.
const OPENING: u64 = 3;

/// Costs of a probe's looks. They grow with the number of its files, and with everything that
/// evicts them from the CPU's caches.
#[derive(Debug)]
pub struct Budget {
    /// The probe may use one in this many parts of a CPU.
    parts: u64,
    /// Cost of the first look, as a multiple of the others.
    first: u64,
    began: Duration,
    last: Option<Duration>,
    before: Option<Duration>,
}

impl Default for Budget {
    /// 0.06 % of a CPU.
    fn default() -> Self {
        Self::of_one_part_in(1600)
    }
}

impl Budget {
    /// A budget of one in this many parts of a CPU.
    pub fn of_one_part_in(parts: u64) -> Self {
        Self { parts, first: OPENING, began: Duration::ZERO, last: None, before: None }
    }

    /// A budget for looks that keep nothing open, so that the first costs no more than others.
    pub fn of_equal_looks(parts: u64) -> Self {
        Self { first: 1, ..Self::of_one_part_in(parts) }
    }

    /// Begins a look of the calling thread.
    pub fn begin(&mut self) {
        self.began = thread_time();
    }

    /// Ends the look.
    pub fn end(&mut self) {
        self.count(thread_time().saturating_sub(self.began));
    }

    /// Records that a look took this long.
    pub fn count(&mut self, took: Duration) {
        self.before = self.last.replace(took);
    }

    /// When to look again after the last look: after `least`, or later if the cheaper of the last
    /// two looks was too expensive. A single look may be expensive by chance.
    pub fn period(&self, least: Duration) -> Duration {
        let last = self.last.unwrap_or_default().as_nanos();
        let took = self.before.map_or(last / self.first, |before| before.as_nanos().min(last));
        least.max(Duration::from_nanos(took.saturating_mul(self.parts)))
    }
}

/// CPU time of the calling thread. The call cannot fail for the own thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(std::time::Duration::from);
    Duration::from_nanos(u64::try_from(time.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expensive_looks_are_rare_and_a_single_one_does_not_count() {
        let us = Duration::from_micros;
        let mut budget = Budget::default();
        let mut periods = vec![];
        for took in [5000, 1000, 1000, 9000, 10, 20] {
            budget.count(us(took));
            periods.push(budget.period(us(100_000)).as_nanos() / 1_000_000);
        }
        assert_eq!(periods, [2666, 1600, 1600, 1600, 100, 100]);
    }
}
