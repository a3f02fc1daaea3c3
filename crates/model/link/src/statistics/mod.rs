//! The statistics of a pipe, since its beginning and over the last seconds. Not here: lateness and
//! losses of the machine, which the data plane counts.
//!
//! | file | what |
//! |---|---|
//! | `window` | the period that statistics cover |
//! | `collector` | the counters of a running pipe |
//! | `present` | what is in the pipe now |
//! | `counters` | the counters of one period |
//! | `recent` | the seconds of the last minute |
//! | `background` | the counters of background traffic |
//! | `aqm` | the state of active queue management |
//! | `delays` | delays of packets |
//! | `glance` | what those need who look often |
//! | `histogram` | a compact store of delays |

mod aqm;
mod background;
mod collector;
mod counters;
mod delays;
mod glance;
mod histogram;
mod plain;
mod present;
mod recent;
mod window;

use netloom_units::Time;
use serde::{Deserialize, Serialize};

use crate::{DropReason, FrameInfo};

pub use aqm::AqmState;
pub(crate) use background::BackgroundCounts;
pub(crate) use collector::Collector;
pub use delays::Delays;
pub use glance::Glance;
pub use histogram::Histogram;
pub(crate) use plain::PlainCounters;
pub(crate) use present::Present;
pub(crate) use recent::second_began;
pub use window::{Window, WindowError};

/// The statistics of one pipe from `since` to `at`: since its beginning, or in a [`Window`].
///
/// All counts are of wire frames: a super-frame counts as its wire frames.
///
/// Since the beginning,
/// `offered + duplicated = delivered + dropped + lost_unmodelled + queue.now + in_flight` holds at
/// any time, in frames and in bytes. In a window, the contents of the pipe at `since` must be added
/// to the left side. If the pipe has had a background, `background.queued` must be subtracted from
/// `queue.now`: queue, busy time and load include both kinds of frames, and all other statistics
/// include only those that were offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PipeStatistics {
    /// Beginning of the period, in ns since the experiment's zero.
    pub since: Time,
    /// End of the period, at which the statistics were read, in ns since the experiment's zero.
    pub at: Time,
    /// Frames that the sending interface offered.
    pub offered: Count,
    /// Mean length of the offered frames, in bytes; absent if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_bytes_mean: Option<f64>,
    /// Frames that left the pipe at its far end.
    pub delivered: Count,
    /// Frames that the model released and the receiving interface refused: its node has set it
    /// down, it has no room, or it no longer exists.
    #[serde(default)]
    pub lost_unmodelled: Count,
    /// Copies that the channel made.
    pub duplicated: Count,
    /// Frames that arrived with flipped bits.
    pub corrupted: Count,
    /// Frames that the queue discipline marked instead of dropping (ECN).
    pub marked: Count,
    /// Frames that the model dropped, by reason.
    pub dropped: DropStatistics,
    /// Share of lost frames, in percent: those that were dropped or lost_unmodelled, among these
    /// and the delivered ones. Absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_percent: Option<f64>,
    /// The queue in front of the line.
    pub queue: QueueStatistics,
    /// Frames on the line or propagating.
    pub in_flight: Count,
    /// Time from arrival to release as the model scheduled it, over all frames that it released;
    /// absent if there are none.
    pub delay: Option<DelayStatistics>,
    /// Time that the line spent sending, in ns.
    pub busy_ns: u64,
    /// `busy_ns` as a share of the time from `since` to `at`, 0 to 1.
    pub load: f64,
    /// The background traffic; absent for a pipe that has had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<BackgroundStatistics>,
    /// The state of the queue discipline at `at`, if it manages the queue actively.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aqm: Option<AqmState>,
}

/// The statistics of one pipe's background. Since the beginning,
/// `offered = delivered + dropped + queued + on_line` holds at any time, in frames and in bytes. A
/// fluid counts as the whole frames and bytes that it stands for. It is never `on_line`: fluid that
/// has left the queue is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BackgroundStatistics {
    /// Frames that arrived.
    pub offered: Count,
    /// Frames that left the line.
    pub delivered: Count,
    /// Frames that were dropped, for any reason.
    pub dropped: Count,
    /// Frames that the queue discipline marked instead of dropping (ECN).
    pub marked: Count,
    /// Part of the queue's length that is background.
    pub queued: Count,
    /// Frames on the line.
    pub on_line: Count,
}

/// Wire frames and their bytes (with Ethernet header, without FCS and framing).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Count {
    /// Number of wire frames.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Count {
    /// Adds the wire frames of `info`.
    #[inline]
    pub fn add(&mut self, info: &FrameInfo) {
        self.frames += u64::from(info.frames());
        self.bytes += info.bytes();
    }
}

impl Count {
    /// Subtracts the wire frames of `info`, which were added before.
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

/// The frames that the model dropped, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DropStatistics {
    /// The pipe was down, or went down with the frame in it.
    pub down: Count,
    /// The packet was longer than the pipe's MTU.
    pub mtu: Count,
    /// The queue was full.
    pub queue_full: Count,
    /// Active queue management dropped the frame.
    pub aqm: Count,
    /// The channel lost the frame.
    pub loss: Count,
    /// Bit errors, which the frame check sequence caught.
    pub bit_error: Count,
    /// A conditioner in front of the queue dropped the frame.
    #[serde(default)]
    pub policed: Count,
    /// The frame was longer than the interface at the far end takes.
    #[serde(default)]
    pub receiver_mtu: Count,
}

impl DropStatistics {
    /// Returns the sum over all reasons.
    pub fn total(&self) -> Count {
        DropReason::ALL
            .into_iter()
            .map(|reason| self.of(reason))
            .fold(Count::default(), |sum, count| sum + count)
    }

    /// Frames that were dropped for `reason`.
    pub fn of(&self, reason: DropReason) -> Count {
        match reason {
            DropReason::Down => self.down,
            DropReason::Mtu => self.mtu,
            DropReason::QueueFull => self.queue_full,
            DropReason::Aqm => self.aqm,
            DropReason::Loss => self.loss,
            DropReason::BitError => self.bit_error,
            DropReason::Policed => self.policed,
            DropReason::ReceiverMtu => self.receiver_mtu,
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
            DropReason::ReceiverMtu => &mut self.receiver_mtu,
        }
    }
}

/// The queue in front of the line, without the frame on the line.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueueStatistics {
    /// Frames that wait now.
    pub now: Count,
    /// Largest numbers of frames and of bytes that waited at any moment (not necessarily at the
    /// same one).
    pub maximum: Count,
    /// Number of waiting frames, averaged over time.
    pub mean_frames: f64,
    /// Number of waiting frames that an offered frame found, averaged over the offered frames; the
    /// frame itself and the frame on the line are not counted. All frames of a super-frame find the
    /// same number. Absent if no frame was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_mean_frames: Option<f64>,
    /// The mean queue as a share of the limit at `at`: in frames if the limit is in packets,
    /// otherwise in bytes on the line; for the default limit, the smaller share. Absent if nothing
    /// limits the queue, or nothing may wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<f64>,
}

/// Time in the pipe, from arrival to scheduled release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DelayStatistics {
    /// Shortest delay, in ns; exact.
    pub min_ns: u64,
    /// Mean delay, in ns.
    pub mean_ns: f64,
    /// Longest delay, in ns; exact.
    pub max_ns: u64,
    /// Median delay, in ns, within 1 %.
    pub p50_ns: u64,
    /// 99th percentile, in ns, within 1 %.
    pub p99_ns: u64,
    /// 99.9th percentile, in ns, within 1 %.
    pub p999_ns: u64,
}
