//! Computes when to send. Time is an argument; the sender sleeps in between.

use std::time::Duration;

/// How often a sender wakes: a compromise between short bursts and few wake-ups.
pub const TICK: Duration = Duration::from_micros(200);
/// How much longer than planned a sender may take: a part of the plan, plus a fixed time.
const GRACE: (f64, Duration) = (0.05, Duration::from_millis(10));

/// A plan: a number of writes, evenly spread over a time.
#[derive(Debug, Clone)]
pub struct Pace {
    per_second: f64,
    planned: u64,
    deadline: Duration,
    /// Most writes in one tick: twice the number that is due in one. So a sender that woke late
    /// catches up, but does not send everything that it missed at once.
    burst: u64,
}

impl Pace {
    /// A plan of `per_second` writes a second for `seconds`; at least one write.
    pub fn new(per_second: f64, seconds: f64) -> Self {
        // Casts saturate.
        let planned = ((per_second * seconds).round() as u64).max(1);
        let burst = ((2.0 * per_second * TICK.as_secs_f64()).ceil() as u64).max(1);
        let deadline = Duration::from_secs_f64(seconds * (1.0 + GRACE.0)) + GRACE.1;
        Self { per_second, planned, deadline, burst }
    }

    /// Number of writes in all.
    pub fn planned(&self) -> u64 {
        self.planned
    }

    /// Number of writes to make at the time `elapsed` after the first one, if `made` have been
    /// made. `None` once all are made or the time is over.
    pub fn due(&self, elapsed: Duration, made: u64) -> Option<u64> {
        if made >= self.planned || elapsed > self.deadline {
            return None;
        }
        // The first write is due at once.
        let due = (elapsed.as_secs_f64() * self.per_second) as u64 + 1;
        Some(due.min(self.planned).saturating_sub(made).min(self.burst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn writes_are_due_evenly() {
        let pace = Pace::new(1000.0, 1.0);
        assert_eq!(pace.planned(), 1000);
        assert_eq!(pace.due(millis(0), 0), Some(1));
        assert_eq!(pace.due(millis(0), 1), Some(0));
        assert_eq!(pace.due(millis(10), 10), Some(1));
        assert_eq!(pace.due(millis(999), 1000), None);
    }

    #[test]
    fn a_late_sender_catches_up_in_bursts_of_two_ticks() {
        let pace = Pace::new(100_000.0, 1.0);
        assert_eq!(pace.due(millis(10), 0), Some(40));
        assert_eq!(pace.due(millis(1000), 99_990), Some(10));
    }

    #[test]
    fn there_is_a_time_to_give_up() {
        let pace = Pace::new(1000.0, 1.0);
        assert_eq!(pace.due(millis(1060), 999), Some(1));
        assert_eq!(pace.due(millis(1061), 999), None);
    }
}
