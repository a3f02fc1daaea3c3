//! Deadlines of several keys. The cost depends on the number of scheduled keys only: an idle key
//! has no entry.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::Time;

/// A heap of deadlines, at most one of which is valid for each key. Entries that an earlier
/// deadline has made stale stay in the heap and are ignored when they come up.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(Time, usize)>>,
    /// Valid deadline of each key.
    scheduled: Vec<Option<Time>>,
}

impl Timers {
    /// Makes room for keys below `keys`.
    pub fn grow(&mut self, keys: usize) {
        self.scheduled.resize(keys, None);
    }

    /// Forgets the deadline of `key`.
    pub fn forget(&mut self, key: usize) {
        self.scheduled[key] = None;
    }

    /// Sets `key` to be due at `deadline`, unless it is due sooner.
    #[inline]
    pub fn schedule(&mut self, key: usize, deadline: Time) {
        if self.scheduled[key].is_none_or(|scheduled| deadline < scheduled) {
            self.scheduled[key] = Some(deadline);
            self.heap.push(Reverse((deadline, key)));
        }
    }

    /// Returns the next deadline. Removes stale entries that come before it.
    #[inline]
    pub fn next(&mut self) -> Option<Time> {
        while let Some(Reverse((deadline, key))) = self.heap.peek() {
            if self.scheduled[*key] == Some(*deadline) {
                return Some(*deadline);
            }
            self.heap.pop();
        }
        None
    }

    /// Removes the key that is most overdue at `now` and returns it with its deadline, if any is
    /// due.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<(Time, usize)> {
        if self.next()? > now {
            return None;
        }
        let Reverse((deadline, key)) = self.heap.pop()?;
        self.scheduled[key] = None;
        Some((deadline, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn keys_come_up_in_the_order_of_their_deadlines() {
        let mut timers = Timers::default();
        timers.grow(3);
        timers.schedule(0, at(30));
        timers.schedule(1, at(10));
        timers.schedule(2, at(20));
        assert_eq!(timers.next(), Some(at(10)));
        assert_eq!(timers.pop_due(at(9)), None);
        let due = [timers.pop_due(at(25)), timers.pop_due(at(25))];
        assert_eq!(due, [Some((at(10), 1)), Some((at(20), 2))]);
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
        assert_eq!(timers.pop_due(at(100)), Some((at(10), 0)));
        assert_eq!(timers.pop_due(at(100)), None);
        assert_eq!(timers.next(), None);
    }
}
