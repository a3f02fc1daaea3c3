//! The counters of a plain pipe: small, and without seconds. Not here: the statistics that are made
//! of them (`collector`).

use netloom_units::{Duration, Time};

use super::Count;
use super::collector::Collector;
use super::counters::{Counters, Sum};
use super::histogram::{Histogram, bucket};
use crate::FrameInfo;
use crate::queue::Backlog;

/// What a plain pipe has counted since it was last anything else.
#[derive(Debug, Clone)]
#[repr(C)]
pub(crate) struct PlainCounters {
    delivered: Count,
    delay_min: u64,
    delay_max: u64,
    delay_sum: Sum,
    /// Sum, over the offered frames, of the number of waiting frames that each found.
    seen: u64,
    /// The bucket of the last delays, most of which are alike, and how many they are.
    bucket: u16,
    times: u32,
    /// `None` until a delay was in another bucket.
    delays: Option<Box<Histogram>>,
    /// `None` until a frame waited or was rejected.
    queue: Option<Box<QueueCounters>>,
}

/// What is counted of the queue.
#[derive(Debug, Clone)]
struct QueueCounters {
    /// Time up to which the areas are counted.
    until: Time,
    backlog: Backlog,
    maximum: Count,
    area: Sum,
    line_area: Sum,
    full: Count,
}

impl Default for PlainCounters {
    fn default() -> Self {
        Self {
            delivered: Count::default(),
            delay_min: u64::MAX,
            delay_max: 0,
            delay_sum: Sum(0),
            seen: 0,
            bucket: 0,
            times: 0,
            delays: None,
            queue: None,
        }
    }
}

impl PlainCounters {
    /// Counts what a frame that was offered found in the queue.
    pub fn found_waiting(&mut self) {
        self.seen += self.backlog().frames;
    }

    /// Counts a single frame that was delivered after `delay`.
    #[inline]
    pub fn delivered(&mut self, info: &FrameInfo, delay: Duration) {
        self.delivered.add(info);
        let nanos = delay.as_nanos();
        self.delay_min = self.delay_min.min(nanos);
        self.delay_max = self.delay_max.max(nanos);
        self.delay_sum.0 += u128::from(nanos);
        // There are fewer buckets than 16 bits can number.
        let bucket = bucket(nanos) as u16;
        if bucket == self.bucket && self.times < u32::MAX {
            self.times += 1;
        } else {
            self.other_delay(bucket);
        }
    }

    /// Begins to count delays in another bucket.
    fn other_delay(&mut self, bucket: u16) {
        if self.times > 0 {
            let delays = self.delays.get_or_insert_default();
            delays.record_in(self.bucket, self.times.into());
        }
        (self.bucket, self.times) = (bucket, 1);
    }

    /// Frames in the queue.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.queue.as_ref().map(|queue| queue.backlog).unwrap_or_default()
    }

    /// Counts a frame that joins the queue at `at`.
    pub fn joins(&mut self, at: Time, info: &FrameInfo, line_bytes: u64) {
        let queue = self.queue(at);
        queue.count_until(at);
        queue.backlog.frames += 1;
        queue.backlog.bytes += info.bytes();
        queue.backlog.line_bytes += line_bytes;
        queue.maximum.frames = queue.maximum.frames.max(queue.backlog.frames);
        queue.maximum.bytes = queue.maximum.bytes.max(queue.backlog.bytes);
    }

    /// Counts a frame that leaves the queue at `at`.
    pub fn leaves(&mut self, at: Time, info: &FrameInfo, line_bytes: u64) {
        let queue = self.queue(at);
        queue.count_until(at);
        queue.backlog.frames -= 1;
        queue.backlog.bytes -= info.bytes();
        queue.backlog.line_bytes -= line_bytes;
    }

    /// Counts a frame that found the queue full at `at`.
    pub fn rejected(&mut self, at: Time, info: &FrameInfo) {
        self.queue(at).full.add(info);
    }

    fn queue(&mut self, at: Time) -> &mut QueueCounters {
        self.queue.get_or_insert_with(|| {
            Box::new(QueueCounters {
                until: at,
                backlog: Backlog::default(),
                maximum: Count::default(),
                area: Sum(0),
                line_area: Sum(0),
                full: Count::default(),
            })
        })
    }

    /// Returns a collector of totals with these counts and `offered`, up to `now`, added to those
    /// of `earlier`. The pipe's statistics begin at `since`.
    pub fn collected(
        &self,
        offered: Count,
        now: Time,
        since: Time,
        earlier: Option<&Collector>,
    ) -> Collector {
        let mut counters = Counters::default();
        (counters.offered, counters.delivered) = (offered, self.delivered);
        counters.seen = self.seen;
        counters.set_delays(self.delay_min, self.delay_max, self.delay_sum);
        let (mut backlog, mut until) = (Backlog::default(), now);
        if let Some(queue) = &self.queue {
            counters.queue_maximum = queue.maximum;
            counters.queue_area = queue.area;
            counters.line_area = queue.line_area;
            counters.dropped.queue_full = queue.full;
            (backlog, until) = (queue.backlog, queue.until);
        }
        let mut collector = earlier.cloned().unwrap_or_else(|| Collector::totals(since));
        collector.add(&counters, (backlog, until), |delays| {
            if let Some(earlier) = &self.delays {
                delays.merge(earlier);
            }
            if self.times > 0 {
                delays.record_in(self.bucket, self.times.into());
            }
        });
        collector
    }
}

impl QueueCounters {
    fn count_until(&mut self, at: Time) {
        let waited = u128::from(at.since(self.until).as_nanos());
        self.area.0 += u128::from(self.backlog.frames) * waited;
        self.line_area.0 += u128::from(self.backlog.line_bytes) * waited;
        self.until = self.until.max(at);
    }
}
