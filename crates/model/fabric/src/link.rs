//! A link as it is given to a network and taken back: its two pipes and what they join. Not here:
//! how frames go through it.

use netloom_link::{Pipe, PortVlans, Vid};
use netloom_spanning_tree::{BridgeId, PathCost, PortPriority};

use crate::{PortId, SegmentId};

/// A link.
#[derive(Debug)]
pub struct Link<F> {
    /// What it joins.
    pub ends: [LinkEnd; 2],
    /// Its pipes, in the order of [`Direction::BOTH`](netloom_link::Direction::BOTH).
    pub pipes: [Pipe<F>; 2],
}

/// What a link ends at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkEnd {
    /// A port of the network.
    Port(PortId),
    /// Several ports of the network that share the link, as an interface with VLAN sub-interfaces
    /// does. What enters by the port of a VLAN is tagged; what arrives with that tag leaves by it,
    /// without the tag. All else is the first port's.
    Trunk {
        /// The port of the interface itself.
        untagged: PortId,
        /// The ports of its sub-interfaces; each VLAN once.
        vlans: Vec<(Vid, PortId)>,
    },
    /// A port of a segment.
    Segment(SwitchPort),
}

/// A port of a switch: the segment and what the port is to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchPort {
    /// The switch. It exists as long as a link ends at it.
    pub switch: SegmentId,
    /// What the port does with VLAN tags, if the switch knows VLANs. Either all ports of a switch
    /// say it or none.
    pub vlans: Option<PortVlans>,
    /// The switch's identity in its spanning tree, if it runs one. All ports of a switch say the
    /// same.
    pub bridge: Option<BridgeId>,
    /// Cost and priority of the port in that tree.
    pub tree: TreeSettings,
}

/// Cost and priority of a port in a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeSettings {
    /// Its path cost; by default what the rate of the pipe that leads out of it gives.
    pub cost: Option<PathCost>,
    /// Which of several ports with the same cost is preferred.
    pub priority: PortPriority,
}

/// What all ports of a switch have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchKind {
    /// Whether it knows VLANs.
    pub knows_vlans: bool,
    /// Its identity in its spanning tree.
    pub bridge: Option<BridgeId>,
}

impl SwitchPort {
    /// What it has in common with the other ports of its switch.
    pub fn kind(&self) -> SwitchKind {
        SwitchKind { knows_vlans: self.vlans.is_some(), bridge: self.bridge }
    }
}

impl LinkEnd {
    /// A port of a switch that knows no VLANs and runs no spanning tree.
    pub fn switch(switch: SegmentId) -> Self {
        let tree = TreeSettings::default();
        Self::Segment(SwitchPort { switch, vlans: None, bridge: None, tree })
    }
}
