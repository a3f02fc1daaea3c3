//! The seconds that are over: their sum, and each second of the last minute.

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use super::Window;
use super::counters::Counters;
use super::histogram::{Histogram, Sparse, record_sparse};
use crate::FrameInfo;

/// Number of seconds that are kept beside the current one.
const KEPT: u64 = Window::LONGEST.as_nanos() / 1_000_000_000;

/// The counts before the current second.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    /// Total counts.
    pub counters: Counters,
    pub delays: Histogram,
    /// The seconds of the last minute in which something was counted, oldest first.
    seconds: VecDeque<Second>,
}

#[derive(Debug, Clone, Default)]
struct Second {
    /// Number of the second on the experiment's clock.
    number: u64,
    counters: Counters,
    delays: Vec<Sparse>,
}

impl Past {
    /// Closes second `number` with the contents of `counters` and `delays`, which become empty.
    pub fn close(&mut self, number: u64, counters: &mut Counters, delays: &mut Histogram) {
        self.delays.merge(delays);
        self.counters.merge(counters);
        let mut second = self.evict(number).unwrap_or_default();
        second.number = number;
        second.counters = std::mem::take(counters);
        second.delays.clear();
        delays.drain_into(&mut second.delays);
        self.seconds.push_back(second);
    }

    /// Removes the seconds that no window reaches any more once second `number` is over.
    pub fn forget(&mut self, number: u64) {
        self.evict(number);
    }

    /// Removes the same seconds, and returns one of them if any, to reuse its memory.
    fn evict(&mut self, number: u64) -> Option<Second> {
        let mut free = None;
        while self.seconds.front().is_some_and(|oldest| oldest.number + KEPT <= number) {
            free = self.seconds.pop_front();
        }
        free
    }

    /// Counts a frame that was released in second `number`, which is over, but is collected only
    /// now.
    pub fn deliver(&mut self, number: u64, info: &FrameInfo, delay: Duration) {
        let (nanos, frames) = (delay.as_nanos(), u64::from(info.frames()));
        self.counters.deliver(info, delay);
        self.delays.record(nanos, frames);
        let index = self.seconds.partition_point(|second| second.number < number);
        if self.seconds.get(index).is_none_or(|second| second.number != number) {
            self.seconds.insert(index, Second { number, ..Second::default() });
        }
        let second = &mut self.seconds[index];
        second.counters.deliver(info, delay);
        record_sparse(&mut second.delays, nanos, frames);
    }

    /// Counts a frame that was delivered in second `number` as lost behind the pipe.
    pub fn lose(&mut self, number: u64, info: &FrameInfo) {
        self.counters.lost_unmodelled.add(info);
        let index = self.seconds.partition_point(|second| second.number < number);
        if let Some(second) = self.seconds.get_mut(index).filter(|second| second.number == number) {
            second.counters.lost_unmodelled.add(info);
        }
    }

    /// Adds every second from `first` on to `counters` and `delays`.
    pub fn add_since(&self, first: u64, counters: &mut Counters, delays: &mut Histogram) {
        for second in self.seconds.iter().filter(|second| second.number >= first) {
            counters.merge(&second.counters);
            delays.add_sparse(&second.delays);
        }
    }
}

/// Returns the second of the experiment's clock that contains `at`.
pub(super) fn second_of(at: Time) -> u64 {
    at.as_nanos() / 1_000_000_000
}

/// Returns the time at which the second that `at` is in began.
pub(crate) fn second_began(at: Time) -> Time {
    start_of(second_of(at))
}

/// Returns the time at which second `number` begins.
pub(super) fn start_of(number: u64) -> Time {
    Time::from_nanos(number.saturating_mul(1_000_000_000))
}

/// Returns the last second that may be counted as one with all seconds before it, if the current
/// second is `now`.
pub(super) fn beyond_reach(now: u64) -> u64 {
    now.saturating_sub(KEPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_is_as_small_as_the_documentation_says() {
        assert!(size_of::<Second>() <= 352, "{} bytes", size_of::<Second>());
        assert_eq!(size_of::<Sparse>(), 8);
    }

    #[test]
    fn only_a_minute_is_kept() {
        let mut past = Past::default();
        for number in 0..200 {
            let mut counters = Counters::default();
            counters.offered.frames = 1;
            past.close(number, &mut counters, &mut Histogram::default());
        }
        assert_eq!((past.seconds.len(), past.counters.offered.frames), (KEPT as usize, 200));
        past.forget(500);
        assert!(past.seconds.is_empty());
    }
}
