//! A link as it is given to a network and taken back: its two pipes and what they join. Not here:
//! how frames go through it.

use std::convert::Infallible;
use std::sync::Arc;

use netloom_link::{MacKey, Pipe, PortVlans, Vid};
use netloom_medium::{MediumSetup, StationConfig, StationId, Trajectory};
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

/// What a link ends at. `P` is what stands for a port of the network: in the network itself its
/// identity; around it the name of an interface, or the device that is one.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEnd<P = PortId> {
    /// A port of the network.
    Port(P),
    /// Several ports of the network that share the link, as an interface with VLAN sub-interfaces
    /// does. What enters by the port of a VLAN is tagged; what arrives with that tag leaves by it,
    /// without the tag. All other frames use `untagged`.
    Trunk {
        /// The port of the interface itself.
        untagged: P,
        /// The ports of its sub-interfaces; each VLAN once.
        vlans: Vec<(Vid, P)>,
    },
    /// A port of a segment.
    Segment(SegmentPort),
}

/// A port of a segment: which segment it is, of which kind, and what the port is to it. The segment
/// exists as long as a link ends at it.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentPort {
    /// A port of a switch.
    Switch(SwitchPort),
    /// A station on a shared medium.
    Station(Box<StationPort>),
}

impl SegmentPort {
    /// The segment.
    pub fn segment(&self) -> SegmentId {
        match self {
            Self::Switch(port) => port.switch,
            Self::Station(port) => port.medium,
        }
    }

    /// What all ports of the segment have in common.
    pub fn kind(&self) -> SegmentKind {
        match self {
            Self::Switch(port) => SegmentKind::Switch(port.kind()),
            Self::Station(_) => SegmentKind::Medium,
        }
    }
}

impl From<SwitchPort> for SegmentPort {
    fn from(port: SwitchPort) -> Self {
        Self::Switch(port)
    }
}

/// A station on a shared medium.
#[derive(Debug, Clone)]
pub struct StationPort {
    /// The medium. It exists as long as a link ends at it.
    pub medium: SegmentId,
    /// What the medium is; the same at all its stations. The first one decides.
    pub setup: Arc<MediumSetup>,
    /// The station's number on the medium, which no other has.
    pub station: StationId,
    /// The address of its interface. An access point that is a switch has none.
    pub address: Option<MacKey>,
    /// What is particular to it.
    pub config: StationConfig,
    /// How it moves, counted from when a run begins.
    pub moves: Trajectory,
}

/// Two are the same if they are the same station, whatever it does.
impl PartialEq for StationPort {
    fn eq(&self, other: &Self) -> bool {
        let identity = |port: &Self| (port.medium, port.station, port.address);
        identity(self) == identity(other)
    }
}

/// What all ports of a segment have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// They are those of a switch.
    Switch(SwitchKind),
    /// They are stations on a shared medium.
    Medium,
}

/// A port of a switch: the segment and what the port is to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchPort {
    /// The switch. It exists as long as a link ends at it.
    pub switch: SegmentId,
    /// What the port does with VLAN tags, if the switch knows VLANs. All ports of a
    /// switch have this, or none.
    pub vlans: Option<PortVlans>,
    /// The switch's identity in its spanning tree, if it runs one. It is the same for
    /// all ports of a switch.
    pub bridge: Option<BridgeId>,
    /// Cost and priority of the port in that tree.
    pub tree: TreeSettings,
}

/// Cost and priority of a port in a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeSettings {
    /// Its path cost; by default computed from the rate of the pipe that leads out of it.
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

impl<P> LinkEnd<P> {
    /// A port of a switch that knows no VLANs and runs no spanning tree.
    pub fn switch(switch: SegmentId) -> Self {
        let tree = TreeSettings::default();
        Self::Segment(SwitchPort { switch, vlans: None, bridge: None, tree }.into())
    }

    /// A port of a switch that knows VLANs, and what it does with tags.
    pub fn vlan_port(switch: SegmentId, vlans: PortVlans) -> Self {
        let tree = TreeSettings::default();
        Self::Segment(SwitchPort { switch, vlans: Some(vlans), bridge: None, tree }.into())
    }

    /// The port of a segment that it is.
    pub fn segment_port(&self) -> Option<&SegmentPort> {
        match self {
            Self::Port(_) | Self::Trunk { .. } => None,
            Self::Segment(port) => Some(port),
        }
    }

    /// Its ports of the network; those of a trunk in their order, the untagged one first.
    pub fn ports(&self) -> impl Iterator<Item = &P> {
        let (first, vlans) = match self {
            Self::Port(port) => (Some(port), [].as_slice()),
            Self::Trunk { untagged, vlans } => (Some(untagged), vlans.as_slice()),
            Self::Segment(_) => (None, [].as_slice()),
        };
        first.into_iter().chain(vlans.iter().map(|(_, port)| port))
    }

    /// This end with something else for each of its ports, in the order of [`ports`](Self::ports).
    pub fn map<Q>(self, mut other: impl FnMut(P) -> Q) -> LinkEnd<Q> {
        let mapped = self.try_map(|port| Ok::<_, Infallible>(other(port)));
        mapped.unwrap_or_else(|never| match never {})
    }

    /// [`map`](Self::map), which ends with the first error.
    ///
    /// # Errors
    /// That of `other`.
    pub fn try_map<Q, E>(self, mut other: impl FnMut(P) -> Result<Q, E>) -> Result<LinkEnd<Q>, E> {
        Ok(match self {
            Self::Port(port) => LinkEnd::Port(other(port)?),
            Self::Trunk { untagged, vlans } => {
                let untagged = other(untagged)?;
                let vlans = vlans.into_iter().map(|(vlan, port)| Ok((vlan, other(port)?)));
                LinkEnd::Trunk { untagged, vlans: vlans.collect::<Result<_, E>>()? }
            }
            Self::Segment(port) => LinkEnd::Segment(port),
        })
    }
}
