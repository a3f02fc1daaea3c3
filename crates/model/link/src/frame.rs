//! What a pipe knows of a frame: how many frames it is on the wire, and how long they are; and what
//! it may ask of a frame or do to it. Not here: the frame's bytes, which the pipe never sees.

use netloom_units::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Dscp, Framing, Header};

/// Bytes of an Ethernet header.
pub(crate) const ETHERNET_HEADER: u32 = 14;

/// What a pipe asks of the frames that it carries. Nearly always these are single wire frames; a
/// super-frame that already waits when a discipline is set is asked for its header and may be marked,
/// which concerns all wire frames that it stands for.
pub trait Frame: std::fmt::Debug + Send + 'static {
    /// The headers that queue disciplines classify by; `None` where it is not an IP packet. Asked only
    /// if the discipline looks at headers.
    fn header(&self) -> Option<Header>;

    /// Bytes of the VLAN tag behind the Ethernet addresses, which are no part of the packet. Asked only
    /// of frames that are longer than the pipe's MTU allows without one.
    fn tag_bytes(&self) -> u32 {
        0
    }

    /// Marks the packet as having met congestion (ECN, RFC 3168): CE instead of ECT. Called only on
    /// frames whose header says that they take part.
    fn mark_congestion(&mut self);

    /// Gives the packet another DSCP (RFC 2474); its ECN field stays. Called only on frames that
    /// have a header.
    fn remark(&mut self, dscp: Dscp);

    /// Flips `bits` of a single wire frame, counted from the first bit of the Ethernet header; all lie
    /// within the frame. The receiver's checksums must see it.
    fn flip_bits(&mut self, bits: &[u64]);

    /// The frame once more.
    #[must_use]
    fn duplicate(&self) -> Self
    where
        Self: Sized;
}

/// Frames that have no content: numbers and names that stand for frames in tests and simulations.
macro_rules! without_content {
    ($($type:ty),*) => {$(
        impl Frame for $type {
            fn header(&self) -> Option<Header> {
                None
            }
            fn mark_congestion(&mut self) {}
            fn remark(&mut self, _dscp: Dscp) {}
            fn flip_bits(&mut self, _bits: &[u64]) {}
            fn duplicate(&self) -> Self {
                *self
            }
        }
    )*};
}

without_content!((), u32, u64, &'static str);

/// A frame's way through a pipe up to the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// The arrival's number in this pipe, from 0. A duplicate has the number of its original.
    pub number: u64,
    /// When the frame was offered.
    pub offered: Time,
    /// When its serialization began; before, it waited.
    pub started: Time,
    /// When its last bit left the line.
    pub serialized: Time,
    /// Whether the queue discipline marked it (ECN).
    pub marked: bool,
    /// How much earlier the frame would have left the line, had it and those before it been offered as soon
    /// as they came; zero unless [`Pipe::offer_late`](crate::Pipe::offer_late) says that some came earlier.
    pub shift: Duration,
}

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

    /// The wire frames, each by itself.
    pub(crate) fn each(&self) -> impl Iterator<Item = Self> + use<> {
        let Self { frames, full, last } = *self;
        (1..=frames).map(move |number| Self::single(if number == frames { last } else { full }))
    }

    /// Bytes of all wire frames together.
    pub const fn bytes(&self) -> u64 {
        (self.frames as u64 - 1) * self.full as u64 + self.last as u64
    }

    /// Bytes of all packets together, without their Ethernet headers.
    pub const fn packet_bytes(&self) -> u64 {
        (self.frames as u64 - 1) * self.full.saturating_sub(ETHERNET_HEADER) as u64
            + self.last.saturating_sub(ETHERNET_HEADER) as u64
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
    /// The packet is longer than the pipe's MTU.
    Mtu,
    /// The frame found the queue full, or had to make room for another.
    QueueFull,
    /// Active queue management dropped it.
    Aqm,
    /// The channel lost it, or [`Pipe::lose`](crate::Pipe::lose) says so.
    Loss,
    /// Bit errors, caught by the frame check sequence.
    BitError,
    /// A conditioner dropped it.
    Policed,
}

impl DropReason {
    /// All reasons; a reason's place is its code in frame logs.
    pub const ALL: [DropReason; 7] = [
        Self::Down,
        Self::Mtu,
        Self::QueueFull,
        Self::Aqm,
        Self::Loss,
        Self::BitError,
        Self::Policed,
    ];

    /// The reason's name, as in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Mtu => "mtu",
            Self::QueueFull => "queue_full",
            Self::Aqm => "aqm",
            Self::Loss => "loss",
            Self::BitError => "bit_error",
            Self::Policed => "policed",
        }
    }
}
