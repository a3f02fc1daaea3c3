//! What a pipe counts. Not here: lateness and losses of the machine, which are the data plane's.

use hdrhistogram::Histogram;
use netloom_units::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DropReason, FrameInfo};

/// Everything one pipe has counted since it began.
///
/// All counts are of wire frames: a super-frame counts as the frames it stands for. At any time
/// `offered + duplicated = delivered + dropped + queue.now + in_flight`, in frames and in bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PipeStatistics {
    /// When counting began, in ns since the experiment's zero.
    pub since: Time,
    /// When this was read, in ns since the experiment's zero.
    pub at: Time,
    /// What the sending interface handed in.
    pub offered: Count,
    /// What left the pipe at its far end.
    pub delivered: Count,
    /// Copies that the channel made.
    pub duplicated: Count,
    /// What arrived with flipped bits.
    pub corrupted: Count,
    /// What the queue discipline marked instead of dropping (ECN).
    pub marked: Count,
    /// What the model dropped, by reason.
    pub dropped: DropStatistics,
    /// What waits for the line.
    pub queue: QueueStatistics,
    /// What is on the line or propagating.
    pub in_flight: Count,
    /// Time from arrival to release as the model scheduled it; absent while nothing was delivered.
    pub delay: Option<DelayStatistics>,
    /// Time the line spent sending, in ns.
    pub busy_ns: u64,
    /// `busy_ns` as a share of the time since counting began, 0 to 1.
    pub load: f64,
}

/// Frames on the wire and their bytes (Ethernet header included, FCS and framing not).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Count {
    /// Wire frames.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Count {
    pub(crate) fn add(&mut self, info: &FrameInfo) {
        self.frames += u64::from(info.frames());
        self.bytes += info.bytes();
    }
}

impl std::ops::Add for Count {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { frames: self.frames + other.frames, bytes: self.bytes + other.bytes }
    }
}

/// What the model dropped, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DropStatistics {
    /// The pipe was down, or went down with the frame in it.
    pub down: Count,
    /// The packet was longer than the pipe's MTU.
    pub mtu: Count,
    /// The queue was full.
    pub queue_full: Count,
    /// Active queue management.
    pub aqm: Count,
    /// Lost on the channel.
    pub loss: Count,
    /// Bit errors, caught by the frame check sequence.
    pub bit_error: Count,
}

impl DropStatistics {
    /// All reasons together.
    pub fn total(&self) -> Count {
        DropReason::ALL
            .into_iter()
            .map(|reason| self.of(reason))
            .fold(Count::default(), |sum, count| sum + count)
    }

    /// What was dropped for `reason`.
    pub fn of(&self, reason: DropReason) -> Count {
        match reason {
            DropReason::Down => self.down,
            DropReason::Mtu => self.mtu,
            DropReason::QueueFull => self.queue_full,
            DropReason::Aqm => self.aqm,
            DropReason::Loss => self.loss,
            DropReason::BitError => self.bit_error,
        }
    }

    pub(crate) fn count(&mut self, reason: DropReason) -> &mut Count {
        match reason {
            DropReason::Down => &mut self.down,
            DropReason::Mtu => &mut self.mtu,
            DropReason::QueueFull => &mut self.queue_full,
            DropReason::Aqm => &mut self.aqm,
            DropReason::Loss => &mut self.loss,
            DropReason::BitError => &mut self.bit_error,
        }
    }
}

/// The queue in front of the line; the frame on the line is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct QueueStatistics {
    /// Waiting now.
    pub now: Count,
    /// Most frames and most bytes that ever waited (not necessarily at the same time).
    pub maximum: Count,
    /// Frames waiting, averaged over time.
    pub mean_frames: f64,
}

/// Time in the pipe, from arrival to scheduled release, of delivered frames.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DelayStatistics {
    /// Shortest, in ns; exact.
    pub min_ns: u64,
    /// Mean, in ns.
    pub mean_ns: f64,
    /// Longest, in ns; exact.
    pub max_ns: u64,
    /// Median, in ns, within 1 %.
    pub p50_ns: u64,
    /// 99th percentile, in ns, within 1 %.
    pub p99_ns: u64,
    /// 99.9th percentile, in ns, within 1 %.
    pub p999_ns: u64,
}

/// The counters behind [`PipeStatistics`].
#[derive(Debug)]
pub(crate) struct Collector {
    since: Time,
    offered: Count,
    delivered: Count,
    duplicated: Count,
    corrupted: Count,
    marked: Count,
    dropped: DropStatistics,
    queue: QueueLength,
    delay: Option<Box<DelayRecord>>,
}

impl Collector {
    pub fn new(since: Time) -> Self {
        Self {
            since,
            offered: Count::default(),
            delivered: Count::default(),
            duplicated: Count::default(),
            corrupted: Count::default(),
            marked: Count::default(),
            dropped: DropStatistics::default(),
            queue: QueueLength { at: since, ..QueueLength::default() },
            delay: None,
        }
    }

    #[inline]
    pub fn offered(&mut self, info: &FrameInfo) {
        self.offered.add(info);
    }

    pub fn duplicated(&mut self, info: &FrameInfo) {
        self.duplicated.add(info);
    }

    pub fn corrupted(&mut self, info: &FrameInfo) {
        self.corrupted.add(info);
    }

    pub fn marked(&mut self, info: &FrameInfo) {
        self.marked.add(info);
    }

    pub fn dropped(&mut self, reason: DropReason, info: &FrameInfo) {
        self.dropped.count(reason).add(info);
    }

    #[inline]
    pub fn delivered(&mut self, info: &FrameInfo, delay: Duration) {
        self.delivered.add(info);
        self.delay.get_or_insert_with(Box::default).record(delay.as_nanos(), info.frames().into());
    }

    /// The queue's length changed at `at` to `frames` and `bytes`.
    #[inline]
    pub fn queue_changed(&mut self, at: Time, frames: u64, bytes: u64) {
        self.queue.change(at, Count { frames, bytes });
    }

    pub fn snapshot(&self, at: Time, in_flight: Count, busy_ns: u64) -> PipeStatistics {
        let elapsed = at.since(self.since).as_nanos();
        PipeStatistics {
            since: self.since,
            at,
            offered: self.offered,
            delivered: self.delivered,
            duplicated: self.duplicated,
            corrupted: self.corrupted,
            marked: self.marked,
            dropped: self.dropped,
            queue: self.queue.snapshot(at, elapsed),
            in_flight,
            delay: self.delay.as_ref().map(|record| record.summary(self.delivered.frames)),
            busy_ns,
            load: share(busy_ns as f64, elapsed),
        }
    }
}

/// Time-weighted queue length.
#[derive(Debug, Default)]
struct QueueLength {
    now: Count,
    maximum: Count,
    /// Since when the length is what it is.
    at: Time,
    /// Frames × ns up to `at`.
    area: u128,
}

impl QueueLength {
    #[inline]
    fn change(&mut self, at: Time, now: Count) {
        self.area += u128::from(self.now.frames) * u128::from(at.since(self.at).as_nanos());
        self.at = at;
        self.maximum.frames = self.maximum.frames.max(now.frames);
        self.maximum.bytes = self.maximum.bytes.max(now.bytes);
        self.now = now;
    }

    fn snapshot(&self, at: Time, elapsed: u64) -> QueueStatistics {
        let rest = u128::from(self.now.frames) * u128::from(at.since(self.at).as_nanos());
        QueueStatistics {
            now: self.now,
            maximum: self.maximum,
            mean_frames: share((self.area + rest) as f64, elapsed),
        }
    }
}

/// Delays of delivered frames. Allocated with the first delivery, so that idle pipes stay small;
/// the histogram grows with the longest delay, to some 20 KiB at 10 ms.
#[derive(Debug)]
struct DelayRecord {
    min: u64,
    max: u64,
    sum: u128,
    histogram: Histogram<u64>,
}

impl Default for DelayRecord {
    fn default() -> Self {
        // Two digits are within what the histogram supports (0 to 5).
        let histogram = Histogram::new(2).expect("two significant digits are supported");
        Self { min: u64::MAX, max: 0, sum: 0, histogram }
    }
}

impl DelayRecord {
    #[inline]
    fn record(&mut self, nanos: u64, frames: u64) {
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
        self.sum += u128::from(nanos) * u128::from(frames);
        // Cannot fail: the histogram grows to any value.
        let _ = self.histogram.record_n(nanos, frames);
    }

    fn summary(&self, frames: u64) -> DelayStatistics {
        let quantile = |q| self.histogram.value_at_quantile(q).clamp(self.min, self.max);
        DelayStatistics {
            min_ns: self.min,
            mean_ns: self.sum as f64 / frames as f64,
            max_ns: self.max,
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
        }
    }
}

fn share(part: f64, elapsed: u64) -> f64 {
    if elapsed == 0 { 0.0 } else { part / elapsed as f64 }
}
