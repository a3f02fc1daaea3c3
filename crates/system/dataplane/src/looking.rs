//! How often a worker looks at devices that do not know when their frames arrived. Not here: those
//! that know, whose workers sleep until a frame comes.
//!
//! A frame that ends a sleep may have come at any moment of it, because the machine may have kept
//! the worker from running. So the sleep bounds by how much the frame may be late, and the worker
//! sleeps no longer than half of what the run permits, as long as there is traffic.

use netloom_units::{Duration, Time};

/// Longest sleep while there is traffic.
const LONGEST: Duration = Duration::from_micros(500);
/// Shortest one. A worker must not look all the time.
const SHORTEST: Duration = Duration::from_micros(100);
/// Time after the last frame for which there is traffic: requests each second are traffic.
const ATTENTIVE: Duration = Duration::from_secs(3);
/// Longest sleep without traffic. The first frame after it is uncertain by this.
const LONGEST_WITHOUT: Duration = Duration::from_millis(10);

/// Decides how long a worker may sleep.
#[derive(Debug, Default)]
pub struct Looking {
    /// Lateness that the purpose of the run permits, if somebody watches.
    needed: Option<Duration>,
    last_frame: Time,
}

impl Looking {
    /// Decides for a run that permits this lateness.
    pub fn for_need(needed: Duration) -> Self {
        Self { needed: Some(needed), last_frame: Time::ZERO }
    }

    /// Observes that a monitor watches, for a run that permits this lateness.
    pub fn watched(&mut self, needed: Duration) {
        self.needed = Some(needed);
    }

    /// Whether anybody wants to know how late frames may be.
    #[inline]
    pub fn matters(&self) -> bool {
        self.needed.is_some()
    }

    /// Observes that frames came at `now`.
    #[inline]
    pub fn came(&mut self, now: Time) {
        self.last_frame = now;
    }

    /// Returns how long to sleep at most, or `None` for any time.
    pub fn longest_sleep(&self, now: Time) -> Option<Duration> {
        let needed = self.needed?;
        if now.since(self.last_frame) > ATTENTIVE {
            return Some(LONGEST_WITHOUT);
        }
        let half = Duration::from_nanos(needed.as_nanos() / 2);
        Some(half.max(SHORTEST).min(LONGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn what_is_needed_bounds_sleeps_while_there_is_traffic() {
        let mut looking = Looking::default();
        assert_eq!((looking.longest_sleep(at(1)), looking.matters()), (None, false));
        for (needed, sleep) in [(1000, 500), (600, 300), (10, 100), (1_000_000, 500)] {
            looking.watched(Duration::from_micros(needed));
            assert_eq!(looking.longest_sleep(at(1)), Some(Duration::from_micros(sleep)));
        }
        assert_eq!(looking.longest_sleep(at(9)), Some(LONGEST_WITHOUT));
        looking.came(at(7));
        assert_eq!(looking.longest_sleep(at(9)), Some(LONGEST));
    }
}
