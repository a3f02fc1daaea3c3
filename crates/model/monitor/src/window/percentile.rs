//! The 99th percentile of the delays in a sliding window, updated with every delay that enters or
//! leaves.

use netloom_units::{Duration, Time};

use super::{Window, buckets};
use crate::party::Party;
use crate::tracker::{Outbox, Tracker};

/// The percentile of fewer than a hundred delays would be their maximum. So a window with fewer
/// counts as filled up with punctual ones.
const LEAST: u64 = 100;

/// A sliding 99th percentile with a tolerance.
///
/// Whether it is above the tolerance is exact: it is if more than 1 % of the delays are. Its value
/// is the upper edge of a bucket, which is at most 1/16 too high. Delays with the same time are
/// judged together, when time moves on.
#[derive(Debug, Clone)]
pub(crate) struct PercentileWindow {
    pub tracker: Tracker,
    tolerance: Duration,
    window: Window<Entry>,
    total: u64,
    late: u64,
    counts: Box<[u64]>,
    /// The bucket of the percentile. The next field counts the delays in buckets above it.
    bucket: usize,
    above: u64,
    judged: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    party: Party,
    bucket: usize,
    late: bool,
    count: u64,
    /// Whether the entry counts in an episode already.
    counted: bool,
}

impl PercentileWindow {
    pub fn new(tracker: Tracker, length: Duration, tolerance: Duration) -> Self {
        Self {
            tracker,
            tolerance,
            window: Window::new(length),
            total: 0,
            late: 0,
            counts: vec![0; buckets::COUNT].into(),
            bucket: 0,
            above: 0,
            judged: true,
        }
    }

    /// Adds `count` equal delays.
    pub fn add(&mut self, at: Time, party: Party, delay: Duration, count: u64, out: &mut Outbox) {
        if self.window.last().is_some_and(|last| last < at) {
            self.judge_pending(out);
            self.slide_before(at, out);
        }
        let (bucket, late) = (buckets::of(delay), delay > self.tolerance);
        self.window.push(at, Duration::ZERO, Entry { party, bucket, late, count, counted: false });
        self.total += count;
        self.late += if late { count } else { 0 };
        self.counts[bucket] += count;
        self.above += if bucket > self.bucket { count } else { 0 };
        self.judged = false;
    }

    /// Judges the delays that have been added, and moves the window to `now`.
    pub fn tick(&mut self, now: Time, out: &mut Outbox) {
        self.judge_pending(out);
        self.slide_before(now + Duration::from_nanos(1), out);
        self.tracker.extend(now);
        self.tracker.lapse(now, out);
    }

    fn judge_pending(&mut self, out: &mut Outbox) {
        if let Some(last) = self.window.last().filter(|_| !self.judged) {
            self.judged = true;
            self.leave(last);
            self.judge(last, out);
        }
    }

    fn slide_before(&mut self, end: Time, out: &mut Outbox) {
        while let Some(at) = self.window.next_leave().filter(|at| *at < end) {
            self.leave(at);
            self.judge(at, out);
        }
    }

    fn leave(&mut self, at: Time) {
        while let Some(entry) = self.window.leave(at) {
            self.remove(&entry);
        }
    }

    fn remove(&mut self, entry: &Entry) {
        self.total -= entry.count;
        self.late -= if entry.late { entry.count } else { 0 };
        self.counts[entry.bucket] -= entry.count;
        self.above -= if entry.bucket > self.bucket { entry.count } else { 0 };
    }

    fn judge(&mut self, at: Time, out: &mut Outbox) {
        self.follow();
        let value = self.value();
        self.tracker.measure(value);
        if is_over_one_percent(self.late, self.total) {
            self.tracker.hold(at, at, value, out);
            let uncounted = self.window.entries.iter_mut().rev();
            for (_, entry) in uncounted.take_while(|(_, entry)| !entry.counted) {
                entry.counted = true;
                self.tracker.add(entry.party, if entry.late { entry.count } else { 0 });
            }
        } else {
            self.tracker.release(at);
        }
    }

    /// Moves the percentile's bucket to its place after a change.
    fn follow(&mut self) {
        while is_over_one_percent(self.above, self.total) {
            self.bucket += 1;
            self.above -= self.counts[self.bucket];
        }
        while self.bucket > 0
            && !is_over_one_percent(self.above + self.counts[self.bucket], self.total)
        {
            self.above += self.counts[self.bucket];
            self.bucket -= 1;
        }
    }

    fn value(&self) -> f64 {
        let empty = self.bucket == 0 && self.counts[0] == 0;
        if empty { 0.0 } else { buckets::upper_edge(self.bucket).as_nanos() as f64 }
    }
}

fn is_over_one_percent(part: u64, total: u64) -> bool {
    u128::from(part) * 100 > u128::from(total.max(LEAST))
}
