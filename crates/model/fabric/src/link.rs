//! A link as it is inserted into a network and removed: its two pipes and its two ends. `network`
//! moves frames through it.

use std::convert::Infallible;
use std::sync::Arc;

use netloom_link::{MacKey, Pipe, PortVlans, Vid};
use netloom_medium::{MediumSetup, StationConfig, StationId, Trajectory};
use netloom_spanning_tree::{BridgeConfig, PathCost, PortPriority};

use crate::{PortId, SegmentId};

/// A link.
#[derive(Debug)]
pub struct Link<F> {
    /// The two ends that it joins.
    pub ends: [LinkEnd; 2],
    /// Its pipes, in the order of [`Direction::BOTH`](netloom_link::Direction::BOTH).
    pub pipes: [Pipe<F>; 2],
}

/// Returns the MTU that limits the frames of each pipe of a link, from the MTUs at its ends: that
/// of the interface at the far end. A port of a segment also sends nothing longer than it takes,
/// and reports nothing, unlike the stack of a node.
pub fn receiver_mtus(are_segments: [bool; 2], mtus: [Option<u32>; 2]) -> [Option<u32>; 2] {
    [0, 1].map(|near| {
        let sent = mtus[near].filter(|_| are_segments[near]);
        mtus[1 - near].into_iter().chain(sent).min()
    })
}

/// The end of a link. `P` stands for a port of the network: its identity within the network, and
/// the name of an interface or its device outside.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEnd<P = PortId> {
    /// A port of the network.
    Port(P),
    /// Several ports of the network that share the link, as an interface with VLAN sub-interfaces
    /// does. A frame that enters by the port of a VLAN is tagged. A frame that arrives with that
    /// tag leaves by that port, without the tag. All other frames use `untagged`.
    Trunk {
        /// The port of the interface itself.
        untagged: P,
        /// The ports of its sub-interfaces; each VLAN once.
        vlans: Vec<(Vid, P)>,
    },
    /// A port of a segment.
    Segment(SegmentPort),
    /// An end in another network, which may be on another machine. That network announces the
    /// frames that come from there. At least one end of a link is here.
    Away {
        /// Whether the end there is a port of a segment.
        is_segment: bool,
    },
}

/// A port of a segment: the segment, its kind, and the settings of the port. The segment exists as
/// long as a link ends at it.
#[derive(Debug, Clone, PartialEq)]
pub enum SegmentPort {
    /// A port of a switch.
    Switch(SwitchPort),
    /// A station on a shared medium.
    Station(Box<StationPort>),
}

impl SegmentPort {
    /// Returns the segment.
    pub fn segment(&self) -> SegmentId {
        match self {
            Self::Switch(port) => port.switch,
            Self::Station(port) => port.medium,
        }
    }

    /// Returns the properties that all ports of the segment share.
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
    /// Description of the medium, which is equal at all its stations. That of the first station is
    /// used.
    pub setup: Arc<MediumSetup>,
    /// Number of the station on the medium, which no other station has.
    pub station: StationId,
    /// Address of its interface. An access point that is a switch has none.
    pub address: Option<MacKey>,
    /// Configuration of the station.
    pub config: StationConfig,
    /// Movement of the station, counted from the beginning of a run.
    pub moves: Trajectory,
}

/// Two ports are equal if they are the same station, whatever their configurations.
impl PartialEq for StationPort {
    fn eq(&self, other: &Self) -> bool {
        let identity = |port: &Self| (port.medium, port.station, port.address);
        identity(self) == identity(other)
    }
}

/// Properties that all ports of a segment share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// The ports of a switch.
    Switch(SwitchKind),
    /// The stations on a shared medium.
    Medium,
}

/// A port of a switch: the segment, and the settings of the port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchPort {
    /// The switch. It exists as long as a link ends at it.
    pub switch: SegmentId,
    /// VLAN configuration of the port, if the switch is VLAN-aware. Either all ports of a switch
    /// have one, or none.
    pub vlans: Option<PortVlans>,
    /// Identity and times of the switch in its spanning tree, if it runs one. They are equal for
    /// all ports of a switch.
    pub bridge: Option<BridgeConfig>,
    /// Cost and priority of the port in that tree.
    pub tree: TreeSettings,
}

/// Cost and priority of a port in a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeSettings {
    /// Path cost. By default it follows from the rate of the pipe that leads out of the port.
    pub cost: Option<PathCost>,
    /// Priority among several ports with the same cost.
    pub priority: PortPriority,
}

/// Properties that all ports of a switch share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwitchKind {
    /// Whether it is VLAN-aware.
    pub knows_vlans: bool,
    /// Identity and times in its spanning tree, if it runs one.
    pub bridge: Option<BridgeConfig>,
}

impl SwitchPort {
    /// Returns the properties that it shares with the other ports of its switch.
    pub fn kind(&self) -> SwitchKind {
        SwitchKind { knows_vlans: self.vlans.is_some(), bridge: self.bridge }
    }
}

impl<P> LinkEnd<P> {
    /// Returns a port of a switch that is not VLAN-aware and runs no spanning tree.
    pub fn switch(switch: SegmentId) -> Self {
        let tree = TreeSettings::default();
        Self::Segment(SwitchPort { switch, vlans: None, bridge: None, tree }.into())
    }

    /// Returns a port of a VLAN-aware switch with this VLAN configuration.
    pub fn vlan_port(switch: SegmentId, vlans: PortVlans) -> Self {
        let tree = TreeSettings::default();
        Self::Segment(SwitchPort { switch, vlans: Some(vlans), bridge: None, tree }.into())
    }

    /// Returns the port of a segment, if this end is one.
    pub fn segment_port(&self) -> Option<&SegmentPort> {
        match self {
            Self::Port(_) | Self::Trunk { .. } | Self::Away { .. } => None,
            Self::Segment(port) => Some(port),
        }
    }

    /// Returns the ports of the network at this end; those of a trunk in their order, the untagged
    /// one first.
    pub fn ports(&self) -> impl Iterator<Item = &P> {
        let (first, vlans) = match self {
            Self::Port(port) => (Some(port), [].as_slice()),
            Self::Trunk { untagged, vlans } => (Some(untagged), vlans.as_slice()),
            Self::Segment(_) | Self::Away { .. } => (None, [].as_slice()),
        };
        first.into_iter().chain(vlans.iter().map(|(_, port)| port))
    }

    /// Replaces each of its ports with the result of `other`, in the order of
    /// [`ports`](Self::ports).
    pub fn map<Q>(self, mut other: impl FnMut(P) -> Q) -> LinkEnd<Q> {
        let mapped = self.try_map(|port| Ok::<_, Infallible>(other(port)));
        mapped.unwrap_or_else(|never| match never {})
    }

    /// Replaces each of its ports as [`map`](Self::map) does, up to the first error.
    ///
    /// # Errors
    /// The error of `other`.
    pub fn try_map<Q, E>(self, mut other: impl FnMut(P) -> Result<Q, E>) -> Result<LinkEnd<Q>, E> {
        Ok(match self {
            Self::Port(port) => LinkEnd::Port(other(port)?),
            Self::Trunk { untagged, vlans } => {
                let untagged = other(untagged)?;
                let vlans = vlans.into_iter().map(|(vlan, port)| Ok((vlan, other(port)?)));
                LinkEnd::Trunk { untagged, vlans: vlans.collect::<Result<_, E>>()? }
            }
            Self::Segment(port) => LinkEnd::Segment(port),
            Self::Away { is_segment } => LinkEnd::Away { is_segment },
        })
    }
}
