//! The longest frame that the interface at the far end of a pipe takes.
//!
//! Drivers of Linux, and its pairs of virtual interfaces, take packets up to the MTU behind an
//! Ethernet header, and have room for one VLAN tag beside it, whether there is one or not. A frame
//! with a tag outside has that room behind the tag.

use crate::frame::ETHERNET_HEADER;
use crate::{Frame, FrameInfo};

/// Bytes of a VLAN tag.
const TAG: u32 = 4;

/// The longest frame of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReceiverLimit {
    /// In bytes, with Ethernet header and without FCS. `u32::MAX`: none.
    bytes: u32,
}

impl ReceiverLimit {
    pub const NONE: Self = Self { bytes: u32::MAX };

    /// The limit of an interface with this MTU in bytes; `None` if frames of any length are taken.
    pub fn of_mtu(mtu: Option<u32>) -> Self {
        let longest = |mtu: u32| mtu.saturating_add(ETHERNET_HEADER + TAG);
        mtu.map_or(Self::NONE, |mtu| Self { bytes: longest(mtu) })
    }

    /// Length of the longest frame that is taken in any case, in bytes.
    pub fn longest(self) -> u32 {
        self.bytes
    }

    /// Whether the receiver takes the longest wire frame of `frame`, which is `info` on the wire.
    #[inline]
    pub fn takes<F: Frame>(self, info: &FrameInfo, frame: &F) -> bool {
        info.largest() <= self.bytes || self.takes_behind_tags(info, frame)
    }

    /// Whether a super-frame may have pieces that are taken beside others that are not.
    #[inline]
    pub fn may_cut(self, info: &FrameInfo) -> bool {
        info.largest() > self.bytes
    }

    #[cold]
    fn takes_behind_tags<F: Frame>(self, info: &FrameInfo, frame: &F) -> bool {
        info.largest().saturating_sub(frame.tag_bytes()) <= self.bytes
    }
}
