//! What the pipes of a network are attached to.

use netloom_link::Vid;

use crate::{Memory, PortId, Segment, SegmentId, SegmentPort};

/// The place at which a pipe begins or ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Attachment {
    /// A port of the network.
    Port(PortId),
    /// A trunk, by its index.
    Trunk(usize),
    /// A port of a segment, by its index.
    Segment { segment: usize, port: usize },
    /// In another network.
    Away { is_segment: bool },
}

impl Attachment {
    /// Whether the place is in another network.
    #[inline]
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Away { .. })
    }
}

/// The ports of an interface with sub-interfaces.
#[derive(Debug, Clone)]
pub(super) struct TrunkPorts {
    pub untagged: PortId,
    pub vlans: Vec<(Vid, PortId)>,
}

/// A segment, and the links at its ports.
#[derive(Debug)]
pub(super) struct Home<M: Memory> {
    pub id: SegmentId,
    pub segment: Box<dyn Segment<M>>,
    /// Slot of the pipe that leads out of each port; `None` without a link.
    pub ways: Vec<Option<usize>>,
    /// Settings of each port.
    pub settings: Vec<Option<SegmentPort>>,
}
