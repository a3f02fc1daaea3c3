//! Events that are reported to a monitor individually, and the limits for that.

use netloom_fabric::PipeId;
use netloom_units::{Duration, Time};

/// A rare event for a monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anomaly {
    /// Time of the event.
    pub at: Time,
    /// The event.
    pub what: AnomalyKind,
}

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnomalyKind {
    /// Frames left the engine later than the tolerance after their scheduled release.
    Late {
        /// Pipe that they left.
        pipe: PipeId,
        /// Lateness.
        by: Duration,
        /// Number of wire frames.
        frames: u64,
        /// They came from another machine, and not before their release was over.
        by_tunnel: bool,
    },
    /// Frames were lost outside the model.
    Lost {
        /// Pipe that they were about to enter or had left.
        pipe: PipeId,
        /// Cause of the loss.
        loss: Loss,
        /// Number of wire frames.
        frames: u64,
    },
    /// The engine, or one of its workers, did not run for longer than the limit of pauses.
    Pause {
        /// Duration of the pause.
        lasted: Duration,
    },
}

/// Cause of a loss outside the model.
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
    /// The frames in the data plane used all memory that they may have.
    NoMemory,
    /// The frame did not reach the machine with the other end of its link.
    Tunnel,
    /// The frame came from another machine and could not be put into the network: it belongs to no
    /// link that comes from there, or the other machine's clock was not known yet.
    TunnelRefused,
}

impl Loss {
    /// All causes, in the order of their numbers.
    pub(crate) const ALL: [Self; 7] = [
        Self::DeviceFull,
        Self::DeviceGone,
        Self::Rejected,
        Self::Malformed,
        Self::NoMemory,
        Self::Tunnel,
        Self::TunnelRefused,
    ];
}

/// Limits beyond which events are reported individually.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest lateness of a frame that counts as punctual.
    pub tolerance: Duration,
    /// Largest lateness of a frame that the purpose of the run permits.
    pub needed: Duration,
    /// Longest pause of the engine that is not reported.
    pub pause: Duration,
}
