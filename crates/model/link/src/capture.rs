//! What a capture shows of a frame at an interface. Not here: who captures, and file formats.

use netloom_units::Time;

use crate::DropReason;

/// Which way a captured frame went, as the interface sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CaptureDirection {
    /// The interface received it: it left the link here.
    Inbound,
    /// The interface sent it: it entered the link here, whatever the link then did to it.
    Outbound,
}

/// What the link did to a frame that is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaptureNote {
    /// Nothing that this capture shows.
    #[default]
    None,
    /// It marked the frame (ECN); only where the frame leaves the link.
    Marked,
    /// It dropped the frame, now. An outbound frame was captured before, when it entered.
    Dropped(DropReason),
}

/// A frame as it is on the wire: super-frames cut, checksums complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapturedFrame {
    /// When it passed. Frames of one super-frame have the same time.
    pub time: Time,
    /// Which way.
    pub direction: CaptureDirection,
    /// What the link did to it.
    pub note: CaptureNote,
    /// The Ethernet frame, FCS excluded; its beginning at least.
    pub bytes: Vec<u8>,
    /// How long it was on the wire, in bytes.
    pub original_length: u32,
}
