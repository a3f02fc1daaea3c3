//! When which lane is due next. Its cost follows the traffic: a lane with nothing under way is
//! not in it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::Time;

/// A heap of deadlines, at most one valid for each lane. Entries that a sooner deadline has made
/// stale are left where they are and ignored when they come up.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Time, usize)>>,
    /// The valid deadline of each lane.
    scheduled: Vec<Option<Time>>,
}

impl Timers {
    /// From now on there are so many lanes.
    pub fn grow(&mut self, lanes: usize) {
        self.scheduled.resize(lanes, None);
    }

    /// `lane` is due no more.
    pub fn forget(&mut self, lane: usize) {
        self.scheduled[lane] = None;
    }

    /// Makes `lane` due at `deadline`, unless it is due sooner anyway.
    #[inline]
    pub fn schedule(&mut self, lane: usize, deadline: Time) {
        if self.scheduled[lane].is_none_or(|scheduled| deadline < scheduled) {
            self.scheduled[lane] = Some(deadline);
            self.heap.push(Reverse((deadline, lane)));
        }
    }

    /// When something is due next.
    #[inline]
    pub fn next(&mut self) -> Option<Time> {
        while let Some(Reverse((deadline, lane))) = self.heap.peek() {
            if self.scheduled[*lane] == Some(*deadline) {
                return Some(*deadline);
            }
            self.heap.pop();
        }
        None
    }

    /// A lane that is due at `now`, the most overdue first; it is due no more.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<usize> {
        if self.next()? > now {
            return None;
        }
        let Reverse((_, lane)) = self.heap.pop()?;
        self.scheduled[lane] = None;
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn lanes_come_up_in_the_order_of_their_deadlines() {
        let mut timers = Timers::default();
        timers.grow(3);
        timers.schedule(0, at(30));
        timers.schedule(1, at(10));
        timers.schedule(2, at(20));
        assert_eq!(timers.next(), Some(at(10)));
        assert_eq!(timers.pop_due(at(9)), None);
        assert_eq!([timers.pop_due(at(25)), timers.pop_due(at(25))], [Some(1), Some(2)]);
        assert_eq!(timers.pop_due(at(25)), None);
        assert_eq!(timers.next(), Some(at(30)));
    }

    #[test]
    fn the_sooner_deadline_holds_and_comes_up_once() {
        let mut timers = Timers::default();
        timers.grow(1);
        timers.schedule(0, at(30));
        timers.schedule(0, at(10));
        timers.schedule(0, at(20));
        assert_eq!(timers.pop_due(at(100)), Some(0));
        assert_eq!(timers.pop_due(at(100)), None);
        assert_eq!(timers.next(), None);
    }
}
