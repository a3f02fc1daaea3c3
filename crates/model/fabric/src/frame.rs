//! What a network asks of the frames that it carries, and of the memory that they live in. Not
//! here: any kind of frame; the data plane has bytes of the kernel, a simulation has headers.

use netloom_link::{FrameInfo, Tag};

/// A frame as a segment knows it.
pub trait Frame: netloom_link::Frame {
    /// What the frame is on the wire.
    ///
    /// # Errors
    /// If it is no Ethernet frame, or headers in it contradict each other.
    fn info(&self) -> Result<FrameInfo, Malformed>;

    /// Its first bytes: those of the Ethernet header at least, those of the whole frame if it is a
    /// BPDU. Asked only of frames that are well-formed.
    fn start(&self) -> &[u8];

    /// Its VLAN tag, if it has one.
    fn tag(&self) -> Option<Tag>;
}

/// What is no Ethernet frame, or has headers that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// What makes frames, and takes them back. Memory is bounded: `None` is for want of room, and the
/// frame that was given is gone.
pub trait Memory: std::fmt::Debug + Send {
    /// What it makes.
    type Frame: Frame;

    /// A frame of these bytes.
    fn frame_of(&mut self, bytes: &[u8]) -> Option<Self::Frame>;

    /// Counts a frame that was duplicated as memory in use; `false` if there is no room for it.
    fn admit(&mut self, frame: &mut Self::Frame) -> bool;

    /// Takes a frame back.
    fn recycle(&mut self, frame: Self::Frame);

    /// The frame with one more tag, outside those that it has.
    fn push_tag(&mut self, frame: Self::Frame, tag: Tag) -> Option<Self::Frame>;

    /// The frame with this tag instead of its own, or with none.
    fn set_tag(&mut self, frame: Self::Frame, tag: Option<Tag>) -> Option<Self::Frame>;

    /// A copy of the frame with this tag instead of its own, or with none.
    fn with_tag(&mut self, frame: &Self::Frame, tag: Option<Tag>) -> Option<Self::Frame>;

    /// Cuts a super-frame into pieces of `together` wire frames at most, each of which is appended
    /// to `pieces`, with `None` for a piece that there was no room for.
    fn split(
        &mut self,
        frame: Self::Frame,
        together: u32,
        pieces: &mut Vec<(FrameInfo, Option<Self::Frame>)>,
    );
}
