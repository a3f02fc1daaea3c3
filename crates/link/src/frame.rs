//! What a pipe knows of a frame: how many frames it is on the wire, and how long they are.
//! Not here: the frame's contents, which the pipe never sees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Framing;

/// The wire view of what is offered to a pipe: one frame, or a super-frame that stands for
/// several.
///
/// All lengths are in bytes, Ethernet header included, FCS not. In a super-frame all wire frames
/// but the last have the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameInfo {
    frames: u32,
    full: u32,
    last: u32,
}

impl FrameInfo {
    /// One frame of `bytes`.
    pub const fn single(bytes: u32) -> Self {
        Self { frames: 1, full: bytes, last: bytes }
    }

    /// A super-frame of `frames` wire frames: all but the last of `full` bytes, the last of `last`
    /// bytes. With one frame or none this is a single frame of `last` bytes.
    pub const fn coalesced(frames: u32, full: u32, last: u32) -> Self {
        if frames <= 1 { Self::single(last) } else { Self { frames, full, last } }
    }

    /// Frames on the wire.
    pub const fn frames(&self) -> u32 {
        self.frames
    }

    /// Bytes of the longest wire frame.
    pub const fn largest(&self) -> u32 {
        if self.last > self.full { self.last } else { self.full }
    }

    /// Bytes of all wire frames together.
    pub const fn bytes(&self) -> u64 {
        (self.frames as u64 - 1) * self.full as u64 + self.last as u64
    }

    /// Bytes of line time that all wire frames take together under `framing`.
    pub const fn line_bytes(&self, framing: Framing) -> u64 {
        (self.frames as u64 - 1) * framing.line_bytes(self.full) as u64
            + framing.line_bytes(self.last) as u64
    }
}

/// Why the model dropped a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// The pipe was down, or went down while the frame was in it.
    Down,
    /// The frame found the queue full.
    QueueFull,
    /// The channel lost it.
    Loss,
}
