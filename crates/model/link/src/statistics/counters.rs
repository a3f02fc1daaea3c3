//! The counters of one period, without the distribution of delays.

use netloom_units::{Duration, Time};

use super::histogram::Histogram;
use super::{
    BackgroundCounts, Count, DelayStatistics, DropStatistics, PipeStatistics, Present,
    QueueStatistics,
};
use crate::{DropReason, FrameInfo};

/// A sum that may exceed 64 bits. It is aligned like 64-bit sums, so a second of statistics has no
/// padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, packed(8))]
pub(super) struct Sum(pub u128);

/// Sums and extremes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counters {
    pub offered: Count,
    /// Frames that left the pipe, including those that the receiving interface refused.
    pub delivered: Count,
    pub lost_unmodelled: Count,
    pub duplicated: Count,
    pub corrupted: Count,
    pub marked: Count,
    pub dropped: DropStatistics,
    pub queue_maximum: Count,
    /// Waiting frames integrated over time, in frames × ns.
    pub queue_area: Sum,
    /// Their lengths on the line integrated over time, in bytes × ns.
    pub line_area: Sum,
    pub busy_ns: u64,
    /// Sum, over the offered frames, of the number of waiting frames that each found.
    pub seen: u64,
    delay_min: u64,
    delay_max: u64,
    delay_sum: Sum,
}

impl Default for Counters {
    fn default() -> Self {
        Self {
            offered: Count::default(),
            delivered: Count::default(),
            lost_unmodelled: Count::default(),
            duplicated: Count::default(),
            corrupted: Count::default(),
            marked: Count::default(),
            dropped: DropStatistics::default(),
            queue_maximum: Count::default(),
            queue_area: Sum(0),
            line_area: Sum(0),
            busy_ns: 0,
            seen: 0,
            delay_min: u64::MAX,
            delay_max: 0,
            delay_sum: Sum(0),
        }
    }
}

impl Counters {
    #[inline]
    pub fn deliver(&mut self, info: &FrameInfo, delay: Duration) {
        self.delivered.add(info);
        let nanos = delay.as_nanos();
        self.delay_min = self.delay_min.min(nanos);
        self.delay_max = self.delay_max.max(nanos);
        self.delay_sum.0 += u128::from(nanos) * u128::from(info.frames());
    }

    /// Sets the extremes and the sum of the delays of delivered frames, in ns.
    pub fn set_delays(&mut self, least: u64, most: u64, sum: Sum) {
        (self.delay_min, self.delay_max, self.delay_sum) = (least, most, sum);
    }

    #[inline]
    pub fn queue_reached(&mut self, length: Count) {
        self.queue_maximum.frames = self.queue_maximum.frames.max(length.frames);
        self.queue_maximum.bytes = self.queue_maximum.bytes.max(length.bytes);
    }

    pub fn merge(&mut self, other: &Self) {
        self.offered = self.offered + other.offered;
        self.delivered = self.delivered + other.delivered;
        self.lost_unmodelled = self.lost_unmodelled + other.lost_unmodelled;
        self.duplicated = self.duplicated + other.duplicated;
        self.corrupted = self.corrupted + other.corrupted;
        self.marked = self.marked + other.marked;
        for reason in DropReason::ALL {
            let count = self.dropped.count(reason);
            *count = *count + other.dropped.of(reason);
        }
        self.queue_reached(other.queue_maximum);
        self.queue_area.0 += other.queue_area.0;
        self.line_area.0 += other.line_area.0;
        self.busy_ns += other.busy_ns;
        self.seen = self.seen.saturating_add(other.seen);
        self.delay_min = self.delay_min.min(other.delay_min);
        self.delay_max = self.delay_max.max(other.delay_max);
        self.delay_sum.0 += other.delay_sum.0;
    }

    /// Returns the statistics from `since` to `at`, with the contents of the pipe at `at`, the
    /// waiting frames, and the counts of the background, if there has been one.
    pub fn summary(
        &self,
        (since, at): (Time, Time),
        delays: &Histogram,
        present: &Present,
        (waiting, background): (Count, Option<BackgroundCounts>),
    ) -> PipeStatistics {
        let elapsed = at.since(since).as_nanos();
        PipeStatistics {
            since,
            at,
            offered: self.offered,
            frame_bytes_mean: (self.offered.frames > 0)
                .then(|| self.offered.bytes as f64 / self.offered.frames as f64),
            delivered: self.delivered - self.lost_unmodelled,
            lost_unmodelled: self.lost_unmodelled,
            duplicated: self.duplicated,
            corrupted: self.corrupted,
            marked: self.marked,
            dropped: self.dropped,
            lost_percent: self.lost_percent(),
            queue: self.queue(elapsed, present, waiting, background.unwrap_or_default()),
            in_flight: present.in_flight,
            delay: (self.delivered.frames > 0).then(|| self.delays(delays)),
            busy_ns: self.busy_ns,
            load: share(self.busy_ns as f64, elapsed),
            background: background.map(|counts| counts.summary(present.background)),
            aqm: present.aqm,
        }
    }

    fn queue(
        &self,
        elapsed: u64,
        present: &Present,
        waiting: Count,
        background: BackgroundCounts,
    ) -> QueueStatistics {
        let frames = self.queue_area.0 as f64 + background.queue_area as f64 / 1e6;
        let line_bytes = self.line_area.0 as f64 + background.line_area as f64;
        let mean_frames = share(frames, elapsed);
        QueueStatistics {
            now: waiting + present.fluid,
            maximum: self.queue_maximum,
            mean_frames,
            seen_mean_frames: (self.offered.frames > 0)
                .then(|| self.seen as f64 / self.offered.frames as f64),
            fill: present
                .bound
                .and_then(|bound| bound.share(mean_frames, share(line_bytes, elapsed))),
        }
    }

    /// Percentage of frames that did not reach the far end, among those whose fate is decided.
    fn lost_percent(&self) -> Option<f64> {
        // `delivered` includes the frames that the receiving interface refused.
        let dropped = self.dropped.total().frames;
        let settled = dropped + self.delivered.frames;
        let lost = dropped + self.lost_unmodelled.frames;
        (settled > 0).then(|| 100.0 * lost as f64 / settled as f64)
    }

    fn delays(&self, delays: &Histogram) -> DelayStatistics {
        let frames = self.delivered.frames;
        let quantile = |share| delays.quantile(share, frames).clamp(self.delay_min, self.delay_max);
        DelayStatistics {
            min_ns: self.delay_min,
            mean_ns: self.delay_sum.0 as f64 / frames as f64,
            max_ns: self.delay_max,
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
        }
    }
}

fn share(part: f64, elapsed: u64) -> f64 {
    if elapsed == 0 { 0.0 } else { part / elapsed as f64 }
}
