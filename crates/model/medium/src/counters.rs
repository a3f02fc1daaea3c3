//! What is counted of each station.

use netloom_link::{Count, FrameInfo, Histogram};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Kind;

/// Why a frame, or one station's reception of it, was lost.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
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
    /// All reasons; a reason's place is its code in air logs.
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

    /// The reason's name, as in statistics.
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

    /// Counts of all reasons, in the order of [`FrameLoss::ALL`].
    pub const fn from_counts(counts: [Count; FrameLoss::ALL.len()]) -> Self {
        Self(counts)
    }

    /// What was lost for `reason`.
    pub fn of(&self, reason: FrameLoss) -> Count {
        self.0[reason as usize]
    }

    /// What was lost for any reason.
    pub fn total(&self) -> Count {
        self.0.iter().fold(Count::default(), |total, count| Count {
            frames: total.frames + count.frames,
            bytes: total.bytes + count.bytes,
        })
    }
}

/// What a station has done and met since it was added. Frames are counted with the bytes of their
/// Ethernet frames, without FCS.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StationCounters {
    /// Frames that it was given to send.
    pub offered: Count,
    /// Frames that it is done with: sent, and acknowledged where that is asked for.
    pub sent: Count,
    /// Frames that it gave up.
    pub failed: Count,
    /// Frames that it received and that were for it; copies that were acknowledged only do not
    /// count.
    pub received: Count,
    /// Frames that it was given, by why they were lost. With a MAC that does not wait for
    /// acknowledgements, what was lost at the receiver counts here, too.
    pub drops: Losses,
    /// Frames of others that were for it and that it did not receive, by why: each try counts.
    pub missed: Losses,
    /// How often it sent a frame, or asked to, or tried.
    pub attempts: u64,
    /// Attempts that were not the first for their frame.
    pub retries: u64,
    /// Requests to send among the attempts.
    pub requests: u64,
    /// Signals of any kind, for anyone, that it was receiving when another destroyed them.
    pub collisions: u64,
    /// Nanoseconds that it was sending.
    pub airtime: u64,
    /// The same by what it sent, in the order of [`Kind::ALL`].
    pub airtime_by_kind: [u64; Kind::ALL.len()],
    /// Nanoseconds that it sensed others.
    pub busy: u64,
    /// Nanoseconds from when a frame's turn came to when it was sent, and acknowledged where that
    /// is asked for.
    pub access_delay: Histogram,
}
