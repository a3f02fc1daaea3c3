//! The properties of a frame that a pipe uses: the number of its wire frames, their lengths, and
//! the methods that a pipe calls on it. Not here: the bytes of the frame, which the pipe never
//! reads.

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::{Dscp, Framing, Header};

/// Bytes of an Ethernet header.
pub(crate) const ETHERNET_HEADER: u32 = 14;

/// The methods that a pipe calls on the frames that it carries.
///
/// Nearly always, a frame is a single wire frame. The exception is a super-frame that already waits
/// when a discipline is set: its header may be read and it may be marked, which applies to all of
/// its wire frames.
pub trait Frame: std::fmt::Debug + Send + 'static {
    /// The headers by which queue disciplines classify; `None` if the frame is not an IP packet.
    /// Called only if the discipline uses headers.
    fn header(&self) -> Option<Header>;

    /// Bytes of the VLAN tag behind the Ethernet addresses, which are not part of the packet.
    /// Called only on frames that are longer than an MTU allows without a tag.
    fn tag_bytes(&self) -> u32 {
        0
    }

    /// Marks the packet as having met congestion (ECN, RFC 3168): CE replaces ECT. Called only on
    /// frames whose header is ECN-capable.
    fn mark_congestion(&mut self);

    /// Gives the packet another DSCP (RFC 2474). Its ECN field stays unchanged. Called only on
    /// frames that have a header.
    fn remark(&mut self, dscp: Dscp);

    /// Flips `bits` of a single wire frame. They are counted from the first bit of the Ethernet
    /// header, and all lie within the frame. The receiver must be able to detect the errors by its
    /// checksums.
    fn flip_bits(&mut self, bits: &[u64]);

    /// Returns a copy of the frame.
    #[must_use]
    fn duplicate(&self) -> Self
    where
        Self: Sized;
}

/// Implements [`Frame`] for types without content: numbers and names that stand for frames in tests
/// and simulations.
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

/// The way of a frame through a pipe up to the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// The arrival's number in this pipe, from 0. A duplicate has the number of its original.
    pub number: u64,
    /// Time at which the frame was offered.
    pub offered: Time,
    /// Time at which its serialization began. Before, it waited.
    pub started: Time,
    /// Time at which its last bit left the line.
    pub serialized: Time,
    /// Whether the queue discipline marked it (ECN).
    pub marked: bool,
    /// How much earlier the frame would have left the line if it and the frames before it had been
    /// offered as soon as they came. Zero unless [`Pipe::offer_late`](crate::Pipe::offer_late)
    /// reported that some of them had come earlier.
    pub shift: Duration,
}

/// The wire frames of one frame that is offered to a pipe: a single one, or several in a
/// super-frame.
///
/// All lengths are in bytes, with Ethernet header and without FCS. In a super-frame, all wire
/// frames but the last have the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameInfo {
    frames: u32,
    full: u32,
    last: u32,
}

impl FrameInfo {
    /// Creates the information of one frame of `bytes` bytes.
    pub const fn single(bytes: u32) -> Self {
        Self { frames: 1, full: bytes, last: bytes }
    }

    /// Creates the information of a super-frame of `frames` wire frames. All but the last have
    /// `full` bytes, and the last has `last` bytes. With one frame or none this is a single frame
    /// of `last` bytes.
    pub const fn coalesced(frames: u32, full: u32, last: u32) -> Self {
        if frames <= 1 { Self::single(last) } else { Self { frames, full, last } }
    }

    /// Number of wire frames.
    pub const fn frames(&self) -> u32 {
        self.frames
    }

    /// Length of the longest wire frame, in bytes.
    pub const fn largest(&self) -> u32 {
        if self.last > self.full { self.last } else { self.full }
    }

    /// Returns each wire frame by itself.
    pub(crate) fn each(&self) -> impl Iterator<Item = Self> + use<> {
        let Self { frames, full, last } = *self;
        (1..=frames).map(move |number| Self::single(if number == frames { last } else { full }))
    }

    /// Length of all wire frames together, in bytes.
    pub const fn bytes(&self) -> u64 {
        (self.frames as u64 - 1) * self.full as u64 + self.last as u64
    }

    /// Length of all packets together, without their Ethernet headers, in bytes.
    pub const fn packet_bytes(&self) -> u64 {
        (self.frames as u64 - 1) * self.full.saturating_sub(ETHERNET_HEADER) as u64
            + self.last.saturating_sub(ETHERNET_HEADER) as u64
    }

    /// Length on the line of all wire frames together under `framing`, in bytes.
    pub const fn line_bytes(&self, framing: Framing) -> u64 {
        (self.frames as u64 - 1) * framing.line_bytes(self.full) as u64
            + framing.line_bytes(self.last) as u64
    }
}

/// The reason why the model dropped a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DropReason {
    /// The pipe was down, or went down while the frame was in it.
    Down,
    /// The packet is longer than the pipe's MTU.
    Mtu,
    /// The frame met a full queue, or had to make room for another.
    QueueFull,
    /// Active queue management dropped it.
    Aqm,
    /// The channel lost it, or [`Pipe::lose`](crate::Pipe::lose) requested the loss.
    Loss,
    /// Bit errors, which the frame check sequence caught.
    BitError,
    /// A conditioner dropped it.
    Policed,
    /// It is longer than the interface at the far end takes.
    ReceiverMtu,
}

impl DropReason {
    /// All reasons. The index of a reason is its code in frame logs.
    pub const ALL: [DropReason; 8] = [
        Self::Down,
        Self::Mtu,
        Self::QueueFull,
        Self::Aqm,
        Self::Loss,
        Self::BitError,
        Self::Policed,
        Self::ReceiverMtu,
    ];

    /// Name of the reason, as in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Mtu => "mtu",
            Self::QueueFull => "queue_full",
            Self::Aqm => "aqm",
            Self::Loss => "loss",
            Self::BitError => "bit_error",
            Self::Policed => "policed",
            Self::ReceiverMtu => "receiver_mtu",
        }
    }
}
