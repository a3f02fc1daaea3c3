//! The events that can happen to a frame.

use netloom_units::Time;

use crate::{DropReason, FrameInfo};

/// An event of one frame of a pipe, or of one super-frame, which counts as one arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameEvent {
    /// The arrival's number in its pipe, from 0. A duplicate has the number of its original.
    pub number: u64,
    /// Time of the event.
    pub at: Time,
    /// Number of wire frames.
    pub frames: u32,
    /// Total length of the wire frames in bytes, with Ethernet header and without FCS.
    pub bytes: u64,
    /// Kind of the event.
    pub what: Occurrence,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The sending interface offered the frame.
    Offered,
    /// The model rejected the frame when it was offered.
    Rejected {
        /// Reason of the rejection.
        reason: DropReason,
    },
    /// The frame was released at the far end: its last bit arrived.
    Delivered {
        /// Time at which it was offered.
        offered: Time,
        /// Time at which its serialization began. Before, it waited.
        started: Time,
        /// Time at which its last bit left the line.
        serialized: Time,
    },
    /// The model had accepted the frame and dropped it later.
    Dropped {
        /// Reason of the drop.
        reason: DropReason,
        /// Time at which it was offered.
        offered: Time,
        /// Time at which its serialization began, if it came so far.
        started: Option<Time>,
        /// Time at which its last bit left the line, if it came so far.
        serialized: Option<Time>,
    },
    /// The queue discipline marked the frame instead of dropping it (ECN).
    Marked,
    /// The channel flipped bits of the frame.
    Corrupted,
    /// The channel duplicated the frame.
    Duplicated,
    /// The receiving interface accepted the frame, at this real time. The model's time for it is
    /// that of [`Delivered`](Self::Delivered). Occurs only where a pipe ends at an interface of a
    /// running network.
    HandedOver,
    /// The receiving interface refused the frame: a loss outside the model.
    Refused,
}

impl Occurrence {
    /// Name of the kind.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Offered => "offered",
            Self::Rejected { .. } => "rejected",
            Self::Delivered { .. } => "delivered",
            Self::Dropped { .. } => "dropped",
            Self::Marked => "marked",
            Self::Corrupted => "corrupted",
            Self::Duplicated => "duplicated",
            Self::HandedOver => "handed_over",
            Self::Refused => "refused",
        }
    }
}

impl FrameEvent {
    /// Creates the event `what` at time `at` of arrival `number`, whose wire frames are `info`.
    pub fn new(number: u64, at: Time, info: &FrameInfo, what: Occurrence) -> Self {
        Self { number, at, frames: info.frames(), bytes: info.bytes(), what }
    }
}

/// One entry of a frame log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEntry {
    /// An event of a frame in the pipe with this index.
    Frame(u32, FrameEvent),
    /// This number of entries is missing here, because they came faster than they could be written.
    Lost(u64),
}
