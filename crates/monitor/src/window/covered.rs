//! Which times of a sliding window something has been the case in, by intervals that may overlap.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

/// Intervals that do not overlap, by their beginnings, with their ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Covered(BTreeMap<Time, Time>);

impl Covered {
    /// Adds `[from, to)`: how much of it was in no interval before.
    pub fn add(&mut self, from: Time, to: Time) -> Duration {
        if to <= from {
            return Duration::ZERO;
        }
        let (mut begin, mut end, mut known) = (from, to, Duration::ZERO);
        while let Some((&other, &until)) =
            self.0.range(..=to).next_back().filter(|(_, u)| **u >= from)
        {
            self.0.remove(&other);
            known += until.min(to).since(other.max(from));
            (begin, end) = (begin.min(other), end.max(until));
        }
        self.0.insert(begin, end);
        to.since(from).saturating_sub(known)
    }

    /// Forgets what ended before `time`, from which on all begins that is added later.
    pub fn forget_before(&mut self, time: Time) {
        while let Some(first) = self.0.first_entry().filter(|first| *first.get() < time) {
            first.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_moment_counts_once(intervals in prop::collection::vec((0u64..60, 0u64..20), 0..40)) {
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
            let ends = covered.0.values();
            prop_assert!(covered.0.keys().skip(1).zip(ends).all(|(next, end)| end < next));
        }
    }
}
