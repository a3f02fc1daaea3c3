//! The requirements of a network on its frames and on the memory that holds them. The data plane
//! implements them with bytes of the kernel, and a simulation with headers.

use std::fmt;

use netloom_link::{FrameInfo, Tag};

/// A frame as a segment uses it.
pub trait Frame: netloom_link::Frame {
    /// Returns size and kind of the frame on the wire.
    ///
    /// # Errors
    /// The frame is not an Ethernet frame, or its headers contradict each other.
    fn info(&self) -> Result<FrameInfo, Malformed>;

    /// Returns its first bytes: at least the Ethernet header, and the whole frame if it is a BPDU.
    /// Called only for well-formed frames.
    fn start(&self) -> &[u8];

    /// Returns its VLAN tag, if it has one.
    fn tag(&self) -> Option<Tag>;
}

/// Error: not an Ethernet frame, or one whose headers contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Error: a frame was announced that no pipe here can deliver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misdirected;

impl fmt::Display for Misdirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a frame was announced that cannot come here")
    }
}

impl std::error::Error for Misdirected {}

/// Creates frames and takes them back. Memory is bounded: methods return `None` if there is no
/// room, and the frame that was passed is gone.
pub trait Memory: std::fmt::Debug + Send {
    /// The type of its frames.
    type Frame: Frame;

    /// Creates a frame of these bytes.
    fn frame_of(&mut self, bytes: &[u8]) -> Option<Self::Frame>;

    /// Counts a duplicated frame as memory in use. Returns `false` if there is no room for it.
    fn admit(&mut self, frame: &mut Self::Frame) -> bool;

    /// Takes a frame back.
    fn recycle(&mut self, frame: Self::Frame);

    /// Adds a tag to the frame, outside those that it has.
    fn push_tag(&mut self, frame: Self::Frame, tag: Tag) -> Option<Self::Frame>;

    /// Replaces the tag of the frame, or removes it.
    fn set_tag(&mut self, frame: Self::Frame, tag: Option<Tag>) -> Option<Self::Frame>;

    /// Copies the frame with this tag instead of its own, or with none.
    fn with_tag(&mut self, frame: &Self::Frame, tag: Option<Tag>) -> Option<Self::Frame>;

    /// Cuts a super-frame into pieces of at most `together` wire frames and appends them to
    /// `pieces`. A piece for which there was no room is `None`.
    fn split(
        &mut self,
        frame: Self::Frame,
        together: u32,
        pieces: &mut Vec<(FrameInfo, Option<Self::Frame>)>,
    );
}
