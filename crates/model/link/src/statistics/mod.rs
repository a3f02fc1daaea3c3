//! What a pipe counts, since it began and over the last seconds. Not here: lateness and losses of
//! the machine, which are the data plane's.
//!
//! | file | what |
//! |---|---|
//! | `window` | how far back to look |
//! | `collector` | the counters of a running pipe |
//! | `counters` | what is counted in one stretch of time |
//! | `recent` | the stretches of the last minute |
//! | `background` | what is counted of background traffic |
//! | `histogram` | delays, compactly |

mod background;
mod collector;
mod counters;
mod histogram;
mod recent;
mod window;

use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DropReason, FrameInfo};

pub(crate) use background::BackgroundCounts;
pub(crate) use collector::{Collector, Present};
pub use histogram::Histogram;
pub use window::{Window, WindowError};

/// What one pipe has counted from `since` to `at`: from its beginning, or in a [`Window`].
///
/// All counts are of wire frames: a super-frame counts as the frames it stands for. Since the
/// beginning, `offered + duplicated = delivered + dropped + lost_unmodelled + queue.now + in_flight` at
/// any time, in frames and in bytes; in a window, what was in the pipe at `since` comes to the left
/// side. Of a pipe that has had a background, `background.queued` is taken off `queue.now` there:
/// queue, busy time and load hold both kinds of frames, all else those that were offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PipeStatistics {
    /// When what is counted here began, in ns since the experiment's zero.
    pub since: Time,
    /// When this was read, in ns since the experiment's zero.
    pub at: Time,
    /// What the sending interface handed in.
    pub offered: Count,
    /// Mean length of the frames that were offered, in bytes; absent while nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_bytes_mean: Option<f64>,
    /// What left the pipe at its far end.
    pub delivered: Count,
    /// What the model released and the receiving interface did not take: its node has set it down, it
    /// has no room, or it is gone.
    #[serde(default)]
    pub lost_unmodelled: Count,
    /// Copies that the channel made.
    pub duplicated: Count,
    /// What arrived with flipped bits.
    pub corrupted: Count,
    /// What the queue discipline marked instead of dropping (ECN).
    pub marked: Count,
    /// What the model dropped, by reason.
    pub dropped: DropStatistics,
    /// Which share of the frames was lost, in percent: those that were dropped or lost_unmodelled,
    /// of these and the delivered ones. Absent while there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_percent: Option<f64>,
    /// What waits for the line.
    pub queue: QueueStatistics,
    /// What is on the line or propagating.
    pub in_flight: Count,
    /// Time from arrival to release as the model scheduled it, of all that it released; absent while that
    /// is nothing.
    pub delay: Option<DelayStatistics>,
    /// Time the line spent sending, in ns.
    pub busy_ns: u64,
    /// `busy_ns` as a share of the time from `since` to `at`, 0 to 1.
    pub load: f64,
    /// The background traffic; absent of a pipe that has had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<BackgroundStatistics>,
}

/// What one pipe has counted of its background. Since the beginning,
/// `offered = delivered + dropped + queued + on_line` at any time, in frames and in bytes. A fluid
/// counts as the whole frames and bytes that it stands for, and is never `on_line`: what has left
/// the queue is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundStatistics {
    /// What arrived.
    pub offered: Count,
    /// What left the line.
    pub delivered: Count,
    /// What was dropped, for whatever reason.
    pub dropped: Count,
    /// What the queue discipline marked instead of dropping (ECN).
    pub marked: Count,
    /// What of the queue's length is background.
    pub queued: Count,
    /// What is on the line.
    pub on_line: Count,
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
    /// Counts what `info` stands for.
    #[inline]
    pub fn add(&mut self, info: &FrameInfo) {
        self.frames += u64::from(info.frames());
        self.bytes += info.bytes();
    }
}

impl Count {
    /// Takes off what `info` stands for, which was counted.
    #[inline]
    pub(crate) fn remove(&mut self, info: &FrameInfo) {
        self.frames -= u64::from(info.frames());
        self.bytes -= info.bytes();
    }
}

impl std::ops::Sub for Count {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { frames: self.frames - other.frames, bytes: self.bytes - other.bytes }
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
    /// Dropped by a conditioner in front of the queue.
    #[serde(default)]
    pub policed: Count,
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
            DropReason::Policed => self.policed,
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
            DropReason::Policed => &mut self.policed,
        }
    }
}

/// The queue in front of the line; the frame on the line is not in it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct QueueStatistics {
    /// Waiting now.
    pub now: Count,
    /// Most frames and most bytes that waited at any moment (not necessarily at the same one).
    pub maximum: Count,
    /// Frames waiting, averaged over time.
    pub mean_frames: f64,
    /// Frames waiting, averaged over the frames that were offered: what each found, itself and the
    /// frame on the line not counted. All frames of a super-frame find the same. Absent while
    /// nothing was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_mean_frames: Option<f64>,
    /// The mean queue as a share of the limit that holds at `at`: in frames where the limit is in
    /// packets, otherwise in bytes on the line; of the default limit, the smaller share. Absent
    /// where nothing limits the queue, or nothing may wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
}

/// Time in the pipe, from arrival to scheduled release.
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
