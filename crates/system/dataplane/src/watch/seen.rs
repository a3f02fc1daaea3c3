//! What is reported to a monitor one by one, and from when on.

use netloom_fabric::PipeId;
use netloom_units::{Duration, Time};

/// Something rare that a monitor is to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// When it was seen.
    pub at: Time,
    /// What.
    pub what: Seen,
}

/// What was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Frames left the engine later than the tolerance after their scheduled release.
    Late {
        /// The pipe that they left.
        pipe: PipeId,
        /// How late.
        by: Duration,
        /// How many wire frames.
        frames: u64,
    },
    /// Frames were lost outside the model.
    Lost {
        /// The pipe that they were about to enter or had left.
        pipe: PipeId,
        /// Where.
        loss: Loss,
        /// How many wire frames.
        frames: u64,
    },
    /// The engine, or one of its workers, did not run for longer than a pause may be.
    Pause {
        /// How long.
        lasted: Duration,
    },
}

/// Where a frame was lost outside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loss {
    /// The device had no room.
    DeviceFull,
    /// The device was gone.
    DeviceGone,
    /// The device did not accept the frame.
    Rejected,
    /// The frame that a node sent was not well-formed.
    Malformed,
    /// The frames in the data plane took all the memory they may.
    NoMemory,
}

impl Loss {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Self; 5] =
        [Self::DeviceFull, Self::DeviceGone, Self::Rejected, Self::Malformed, Self::NoMemory];
}

/// From when on something is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How late a frame may leave and still count as punctual.
    pub tolerance: Duration,
    /// How late a frame may be for what the run is needed for.
    pub needed: Duration,
    /// How long the engine may not run.
    pub pause: Duration,
}
