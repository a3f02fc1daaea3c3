//! What can happen to a frame.

use netloom_units::Time;

use crate::{DropReason, FrameInfo};

/// Something that happened to one frame of a pipe (or to a super-frame, which is one arrival).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameEvent {
    /// The arrival's number in its pipe, from 0. A duplicate has the number of its original.
    pub number: u64,
    /// When.
    pub at: Time,
    /// Frames on the wire that it stands for.
    pub frames: u32,
    /// Their bytes, Ethernet header included, FCS not.
    pub bytes: u64,
    /// What.
    pub what: Occurrence,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The sending interface handed it in.
    Offered,
    /// The model did not take it in.
    Rejected {
        /// Why.
        reason: DropReason,
    },
    /// Its last bit arrived: it was released at the far end.
    Delivered {
        /// When it was offered.
        offered: Time,
        /// When its serialization began; before, it waited.
        started: Time,
        /// When its last bit left the line.
        serialized: Time,
    },
    /// The model had taken it in and dropped it.
    Dropped {
        /// Why.
        reason: DropReason,
        /// When it was offered.
        offered: Time,
        /// When its serialization began, if it came so far.
        started: Option<Time>,
        /// When its last bit left the line, if it came so far.
        serialized: Option<Time>,
    },
    /// The queue discipline marked it instead of dropping it (ECN).
    Marked,
    /// The channel flipped bits of it.
    Corrupted,
    /// The channel made a copy of it.
    Duplicated,
    /// The receiving interface took it: the real time of what the model calls delivered. Only where
    /// a pipe ends at an interface of a running network.
    HandedOver,
    /// The receiving interface did not take it: a loss outside the model.
    Refused,
}

impl Occurrence {
    /// What happened, in a word.
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
    /// `what` happened at `at` to arrival `number`, which is `info` on the wire.
    pub fn new(number: u64, at: Time, info: &FrameInfo, what: Occurrence) -> Self {
        Self { number, at, frames: info.frames(), bytes: info.bytes(), what }
    }
}

/// One entry of a frame log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogEntry {
    /// Something happened to a frame of the pipe with this index.
    Frame(u32, FrameEvent),
    /// So many entries are missing here: they came faster than they could be written.
    Lost(u64),
}
