//! Counters of each station.

use netloom_link::{Count, FrameInfo, Histogram};
use serde::{Deserialize, Serialize};

use crate::Kind;

/// Why a frame, or one station's reception of it, was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FrameLoss {
    /// The frame found its station's queue full, or had to make room for another.
    QueueFull,
    /// Active queue management dropped it.
    Aqm,
    /// It is longer than the medium carries.
    Mtu,
    /// The station's radio was off, or went off, or the station was removed.
    Down,
    /// The station sent it as often as it may, and no acknowledgement came.
    RetryLimit,
    /// Another signal destroyed it at the receiver.
    Collision,
    /// Too little power reached the receiver, or none.
    Weak,
    /// Bit errors, without another signal.
    Noise,
    /// The receiver was sending, or was receiving something else.
    Busy,
    /// The station has no access point, or is not a station of the access point that had it.
    Unassociated,
}

impl FrameLoss {
    /// All reasons. The index of a reason is its code in air logs.
    pub const ALL: [Self; 10] = [
        Self::QueueFull,
        Self::Aqm,
        Self::Mtu,
        Self::Down,
        Self::RetryLimit,
        Self::Collision,
        Self::Weak,
        Self::Noise,
        Self::Busy,
        Self::Unassociated,
    ];

    /// Returns the name of the reason, as in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::QueueFull => "queue_full",
            Self::Aqm => "aqm",
            Self::Mtu => "mtu",
            Self::Down => "down",
            Self::RetryLimit => "retry_limit",
            Self::Collision => "collision",
            Self::Weak => "weak",
            Self::Noise => "noise",
            Self::Busy => "busy",
            Self::Unassociated => "unassociated",
        }
    }
}

/// Counts by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Losses([Count; FrameLoss::ALL.len()]);

impl Losses {
    pub(crate) fn count(&mut self, reason: FrameLoss, info: FrameInfo) {
        self.0[reason as usize].add(&info);
    }

    /// Creates losses from counts of all reasons, in the order of [`FrameLoss::ALL`].
    pub const fn from_counts(counts: [Count; FrameLoss::ALL.len()]) -> Self {
        Self(counts)
    }

    /// Returns the frames that were lost for `reason`.
    pub fn of(&self, reason: FrameLoss) -> Count {
        self.0[reason as usize]
    }

    /// Returns the frames that were lost for any reason.
    pub fn total(&self) -> Count {
        self.0.iter().fold(Count::default(), |total, count| Count {
            frames: total.frames + count.frames,
            bytes: total.bytes + count.bytes,
        })
    }
}

/// Counters of a station since it was added. The bytes of a frame are those of its Ethernet frame,
/// without FCS.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StationCounters {
    /// Frames that it was offered to send.
    pub offered: Count,
    /// Frames that it has completed: sent, and acknowledged where the MAC requires that.
    pub sent: Count,
    /// Frames that it gave up.
    pub failed: Count,
    /// Frames for it that it received. Duplicates that it only acknowledged again do not count.
    pub received: Count,
    /// Frames that it was offered and that were lost, by reason. With a MAC without
    /// acknowledgements, losses at the receiver count here, too.
    pub drops: Losses,
    /// Frames of others for it that it did not receive, by reason. Each attempt counts.
    pub missed: Losses,
    /// Number of attempts: frames and requests to send.
    pub attempts: u64,
    /// Attempts that were not the first for their frame.
    pub retries: u64,
    /// Requests to send among the attempts.
    pub requests: u64,
    /// Signals of any kind, for any receiver, that it was receiving when another signal destroyed
    /// them.
    pub collisions: u64,
    /// Time during which it was sending, in ns.
    pub airtime: u64,
    /// Time during which it was sending, in ns, by kind of transmission, in the order of
    /// [`Kind::ALL`].
    pub airtime_by_kind: [u64; Kind::ALL.len()],
    /// Time during which it sensed others, in ns.
    pub busy: u64,
    /// Time in ns from when a frame's turn came to when it was sent, and acknowledged where the MAC
    /// requires that.
    pub access_delay: Histogram,
}
