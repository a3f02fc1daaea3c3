//! The counters of a running pipe. Events are counted in the current second. When it is over, its
//! counts are added to the past. So windows cost nothing per frame, and the past is exactly the sum
//! of its seconds.

use std::borrow::Cow;

use netloom_units::{Duration, Time};

use super::background::{BackgroundCounters, BackgroundCounts};
use super::counters::Counters;
use super::histogram::Histogram;
use super::recent::{Past, beyond_reach, second_of, start_of};
use super::{Count, Glance, PipeStatistics, Present, Window};
use crate::queue::Backlog;
use crate::{DropReason, FrameInfo};

/// The statistics of a running pipe.
#[derive(Debug, Clone)]
pub(crate) struct Collector {
    since: Time,
    /// Whether no seconds are kept.
    totals_only: bool,
    /// The current second. Earlier seconds in which nothing happened may be included in it.
    second: u64,
    begins: Time,
    ends: Time,
    counters: Counters,
    delays: Histogram,
    /// Waiting frames, which are counted up to `queue_at`.
    queue: Backlog,
    queue_at: Time,
    /// Part of the line's busy time that is already counted.
    busy_ns: u64,
    /// The seconds that are over. `None` until something was counted in one, so idle pipes stay
    /// small.
    past: Option<Box<Past>>,
    /// The counters of the background. `None` until the pipe has a background.
    background: Option<Box<BackgroundCounters>>,
}

impl Collector {
    pub fn new(since: Time) -> Self {
        let second = second_of(since);
        Self {
            since,
            totals_only: false,
            second,
            begins: since,
            ends: start_of(second + 1),
            counters: Counters::default(),
            delays: Histogram::default(),
            queue: Backlog::default(),
            queue_at: since,
            busy_ns: 0,
            past: None,
            background: None,
        }
    }

    /// Returns a collector that keeps no seconds: windows then reach back to the beginning.
    pub fn totals(since: Time) -> Self {
        Self { totals_only: true, ends: Time::MAX, ..Self::new(since) }
    }

    /// Keeps no seconds from now on. Must be called before anything is counted.
    pub fn keep_totals_only(&mut self) {
        (self.totals_only, self.ends) = (true, Time::MAX);
    }

    /// Whether it keeps no seconds, and nothing but counters of frames.
    pub fn has_totals_only(&self) -> bool {
        self.totals_only && self.past.is_none() && self.background.is_none()
    }

    /// Adds the counts of a plain pipe: `counters`, the backlog since the time up to which its
    /// areas are counted, and delays.
    pub(super) fn add(
        &mut self,
        counters: &Counters,
        (backlog, until): (Backlog, Time),
        delays: impl FnOnce(&mut Histogram),
    ) {
        self.counters.merge(counters);
        (self.queue, self.queue_at) = (backlog, until);
        delays(&mut self.delays);
    }

    /// Time at which the current second ends. Later events must not be counted before
    /// [`turn`](Self::turn) was called.
    #[inline]
    pub fn ends(&self) -> Time {
        self.ends
    }

    /// Counts a frame that was offered and found `waiting` frames in the queue.
    #[inline]
    pub fn offered(&mut self, info: &FrameInfo, waiting: u64) {
        self.counters.offered.add(info);
        let seen = waiting.saturating_mul(info.frames().into());
        self.counters.seen = self.counters.seen.saturating_add(seen);
    }

    pub fn duplicated(&mut self, info: &FrameInfo) {
        self.counters.duplicated.add(info);
    }

    pub fn corrupted(&mut self, info: &FrameInfo) {
        self.counters.corrupted.add(info);
    }

    pub fn marked(&mut self, info: &FrameInfo) {
        self.counters.marked.add(info);
    }

    pub fn dropped(&mut self, reason: DropReason, info: &FrameInfo) {
        self.counters.dropped.count(reason).add(info);
    }

    /// Counts a frame that was released at `release`. It is counted at that time, even if it is
    /// collected later.
    #[inline]
    pub fn delivered(&mut self, info: &FrameInfo, release: Time, delay: Duration) {
        if release < self.begins {
            return self.delivered_late(info, release, delay);
        }
        self.counters.deliver(info, delay);
        self.delays.record(delay.as_nanos(), info.frames().into());
    }

    #[cold]
    fn delivered_late(&mut self, info: &FrameInfo, release: Time, delay: Duration) {
        self.past.get_or_insert_default().deliver(second_of(release), info, delay);
    }

    /// Counts a frame that was delivered at `release` as lost behind the pipe.
    #[cold]
    pub fn lost_unmodelled(&mut self, info: &FrameInfo, release: Time) {
        match &mut self.past {
            Some(past) if release < self.begins => past.lose(second_of(release), info),
            _ => self.counters.lost_unmodelled.add(info),
        }
    }

    /// The counts of the background in the current second.
    #[inline]
    pub fn background(&mut self) -> &mut BackgroundCounts {
        self.background.get_or_insert_default().present()
    }

    /// Records that the queue's length changed at `at` to `backlog`.
    #[inline]
    pub fn queue_changed(&mut self, at: Time, backlog: Backlog) {
        self.queue_until(at);
        self.queue = backlog;
        self.reached(Count::default());
    }

    /// Updates the maximum of the queue with its present length, plus `fluid` that waits beside the
    /// frames.
    #[inline]
    pub fn reached(&mut self, fluid: Count) {
        self.counters.queue_reached(self.waiting() + fluid);
    }

    /// Frames that wait, without a fluid.
    pub fn waiting(&self) -> Count {
        Count { frames: self.queue.frames, bytes: self.queue.bytes }
    }

    #[inline]
    fn queue_until(&mut self, at: Time) {
        let waited = at.since(self.queue_at).as_nanos();
        self.counters.queue_area.0 += u128::from(self.queue.frames) * u128::from(waited);
        self.counters.line_area.0 += u128::from(self.queue.line_bytes) * u128::from(waited);
        self.queue_at = self.queue_at.max(at);
    }

    /// Closes the current second and those after it, up to `now`. `busy` returns the time that the
    /// line has spent sending up to a moment that is not after the next event.
    #[cold]
    pub fn turn(&mut self, now: Time, busy: impl Fn(Time) -> u64) {
        let present = second_of(now);
        // The last second that a time can represent has no end.
        while self.ends <= now && self.second < present && !self.totals_only {
            self.count_until(self.ends, busy(self.ends));
            if let Some(background) = &mut self.background {
                background.close(self.second);
            }
            if let Some(past) = &mut self.past {
                past.close(self.second, &mut self.counters, &mut self.delays);
            } else if self.counters != Counters::default() {
                let past = self.past.insert(Box::default());
                past.close(self.second, &mut self.counters, &mut self.delays);
            }
            self.begin(present, busy(now) == self.busy_ns);
        }
        if let Some(past) = &mut self.past {
            past.forget(present.saturating_sub(1));
        }
    }

    /// Begins the next second, or `present` at once if there is nothing to count before. A long
    /// time that no window reaches any more is counted as one second.
    fn begin(&mut self, present: u64, idle: bool) {
        self.begins = self.ends;
        self.second = second_of(self.begins);
        self.ends = if idle && self.queue.frames == 0 {
            self.second = present;
            self.begins = start_of(present);
            self.queue_at = self.begins;
            start_of(present + 1)
        } else {
            start_of(beyond_reach(present).max(self.second + 1))
        };
        self.reached(Count::default());
    }

    fn count_until(&mut self, at: Time, busy_ns: u64) {
        self.queue_until(at);
        // The time that a line has spent never decreases.
        self.counters.busy_ns += busy_ns - self.busy_ns;
        self.busy_ns = busy_ns;
    }

    /// Returns the statistics since the beginning, or in `window`. `busy_ns` is the time that the
    /// line has spent sending up to `at`, in ns.
    pub fn snapshot(
        &mut self,
        at: Time,
        window: Option<Window>,
        present: Present,
        busy_ns: u64,
    ) -> PipeStatistics {
        self.count_until(at, busy_ns);
        let window = window.filter(|_| !self.totals_only);
        let first = window.map(|window| second_of(window.back_from(at)));
        let background = self.background.as_ref().map(|counted| counted.since(first));
        let (since, counters, delays) = self.counted(at, window);
        counters.summary((since, at), &delays, &present, (self.waiting(), background))
    }

    /// Adds the counts since the beginning to the state of the pipe. `busy_ns` is the time that the
    /// line has spent sending so far, in ns.
    pub fn glance(&self, state: Glance, busy_ns: u64) -> Glance {
        let background = self.background.as_ref().map(|counted| counted.since(None));
        let of = background.unwrap_or_default();
        let mut glance = Glance {
            offered: of.offered.bytes,
            delivered: of.delivered.bytes,
            background: background.is_some(),
            busy_ns,
            ..state
        };
        for counters in [Some(&self.counters), self.past.as_ref().map(|past| &past.counters)] {
            let Some(counters) = counters else { continue };
            glance.offered += counters.offered.bytes;
            glance.delivered += counters.delivered.bytes - counters.lost_unmodelled.bytes;
            glance.dropped += counters.dropped.total().frames;
            glance.queue_full += counters.dropped.queue_full.frames;
            glance.lost_unmodelled += counters.lost_unmodelled.frames;
        }
        glance
    }

    /// Returns the counts of frames, and the time from which they are counted.
    fn counted(&self, at: Time, window: Option<Window>) -> (Time, Counters, Cow<'_, Histogram>) {
        let (mut counters, mut delays) = (self.counters, Histogram::default());
        let mut since = self.since;
        match (&self.past, window) {
            (None, window) => {
                if let Some(window) = window {
                    since = since.max(start_of(second_of(window.back_from(at))));
                }
                return (since, counters, Cow::Borrowed(&self.delays));
            }
            (Some(past), None) => {
                counters.merge(&past.counters);
                delays.merge(&past.delays);
            }
            (Some(past), Some(window)) => {
                let first = second_of(window.back_from(at));
                since = since.max(start_of(first));
                past.add_since(first, &mut counters, &mut delays);
            }
        }
        delays.merge(&self.delays);
        (since, counters, Cow::Owned(delays))
    }
}
