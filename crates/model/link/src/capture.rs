//! The record of a frame that a capture shows at an interface. Not here: who captures, and file
//! formats.

use netloom_units::Time;

use crate::DropReason;

/// Direction of a captured frame, from the view of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaptureDirection {
    /// The interface received the frame: it left the link here.
    Inbound,
    /// The interface sent the frame: it entered the link here. The link may have dropped it later.
    Outbound,
}

/// The effect of the link on a captured frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaptureNote {
    /// No effect that this capture shows.
    #[default]
    None,
    /// The link marked the frame (ECN). Recorded only where the frame leaves the link.
    Marked,
    /// The link dropped the frame at this time. An outbound frame was also captured earlier, when
    /// it entered the link.
    Dropped(DropReason),
}

/// A frame as it is on the wire: super-frames are split and checksums are complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedFrame {
    /// Time at which it passed. The frames of one super-frame have the same time.
    pub time: Time,
    /// Direction in which it passed.
    pub direction: CaptureDirection,
    /// Effect of the link on it.
    pub note: CaptureNote,
    /// The Ethernet frame without FCS, or at least its beginning.
    pub bytes: Vec<u8>,
    /// Length on the wire, in bytes.
    pub original_length: u32,
}
