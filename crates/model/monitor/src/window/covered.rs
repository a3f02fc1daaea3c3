//! Times of a sliding window that are covered by intervals, which may overlap.

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

/// Intervals that do not touch, in order. Most added intervals are later than all others.
#[derive(Debug, Clone, Default)]
pub(crate) struct Covered(VecDeque<(Time, Time)>);

impl Covered {
    /// Adds `[from, to)`. Returns how much of it no earlier interval covered.
    pub fn add(&mut self, from: Time, to: Time) -> Duration {
        if to <= from {
            return Duration::ZERO;
        }
        let later = self.0.iter().rev().take_while(|(other, _)| *other > to).count();
        let end = self.0.len() - later;
        let touches = |(_, until): &&(Time, Time)| *until >= from;
        let first = end - self.0.range(..end).rev().take_while(touches).count();
        let (mut all, mut known) = ((from, to), Duration::ZERO);
        for (other, until) in self.0.drain(first..end) {
            known += until.min(to).since(other.max(from));
            all = (all.0.min(other), all.1.max(until));
        }
        self.0.insert(first, all);
        to.since(from).saturating_sub(known)
    }

    /// Forgets intervals that ended before `time`. All that are added later must begin at or after
    /// it.
    pub fn forget_before(&mut self, time: Time) {
        while self.0.front().is_some_and(|(_, until)| *until < time) {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_moment_counts_once(
            intervals in prop::collection::vec((0u64..60, 0u64..20), 0..40),
        ) {
            let mut covered = Covered::default();
            let mut moments = [false; 80];
            for (from, length) in intervals {
                let before = moments.iter().filter(|moment| **moment).count();
                moments[from as usize..(from + length) as usize].fill(true);
                let after = moments.iter().filter(|moment| **moment).count();
                let at = Time::from_nanos(from);
                let added = covered.add(at, at + Duration::from_nanos(length));
                prop_assert_eq!(added.as_nanos() as usize, after - before);
            }
            let next = covered.0.iter().skip(1);
            prop_assert!(covered.0.iter().zip(next).all(|((_, end), (next, _))| end < next));
        }
    }
}
