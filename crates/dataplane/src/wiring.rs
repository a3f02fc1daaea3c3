//! What is joined to what, and how to run it. Not here: anything that runs.

use std::fmt;
use std::time::Instant;

use netloom_link::{PipeConfig, PortVlans, Vid, VlanDrops};
use netloom_ports::FrameDevice;
use netloom_spanning_tree::{BridgeId, PathCost, PortPriority, PortView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DataplaneError, Scheduling};

/// All links of an experiment on this machine, and the switches that join them.
#[derive(Debug, Default)]
pub struct Wiring {
    /// The links; a link's index is its identity.
    pub links: Vec<LinkWiring>,
    /// How many learning switches there are.
    pub switches: usize,
}

/// One link.
#[derive(Debug)]
pub struct LinkWiring {
    /// The link's name. Its pipes' random streams are called `<name>/forward` and
    /// `<name>/reverse`.
    pub name: String,
    /// What it joins.
    pub ends: [End; 2],
    /// Its pipes: the first carries from the first end to the second, the other one back.
    pub pipes: [PipeConfig; 2],
}

/// What a link ends at.
pub enum End {
    /// An interface.
    Device(Box<dyn FrameDevice>),
    /// An interface and its VLAN sub-interfaces: what a node sends through one of these is tagged, and
    /// what arrives with their tag goes to them, without it. All else is the interface's.
    Interfaces {
        /// The interface.
        untagged: Box<dyn FrameDevice>,
        /// Its sub-interfaces; each VLAN once.
        vlans: Vec<(Vid, Box<dyn FrameDevice>)>,
    },
    /// The next port of a switch.
    Switch(SwitchPort),
}

/// A port of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchPort {
    /// The switch's index.
    pub switch: usize,
    /// Of a switch that knows VLANs: what the port does with tags. All ports of a switch say it, or none.
    pub vlans: Option<PortVlans>,
    /// Of a switch that runs a spanning tree: who it is there. All ports of a switch say the same.
    pub bridge: Option<BridgeId>,
    /// What the way through it is worth to that tree.
    pub worth: TreeWorth,
}

/// What the way through a port is worth to a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeWorth {
    /// Its cost; by default what the rate of the pipe that leads out of it gives.
    pub cost: Option<PathCost>,
    /// Of ways that cost the same.
    pub priority: PortPriority,
}

/// What a port of a switch that runs a spanning tree is to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreePortStatus {
    /// The link's index in the wiring.
    pub link: usize,
    /// The end's index.
    pub end: usize,
    /// What there is to see of it.
    pub port: PortView,
    /// The switch.
    pub bridge: BridgeId,
    /// The root, as far as the switch knows, and what the way there costs.
    pub root: (BridgeId, u32),
    /// Frames that came in and were discarded, since the port did not forward.
    pub discarded: u64,
}

/// What a port of a switch that knows VLANs is told, and what it has refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VlanPortStatus {
    /// The link's index in the wiring.
    pub link: usize,
    /// The end's index.
    pub end: usize,
    /// What it does with tags.
    pub vlans: PortVlans,
    /// What came in and was refused.
    pub dropped: VlanDrops,
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Device(_) => f.write_str("Device"),
            Self::Interfaces { vlans, .. } => {
                let vlans: Vec<_> = vlans.iter().map(|(vlan, _)| vlan).collect();
                f.debug_struct("Interfaces").field("vlans", &vlans).finish_non_exhaustive()
            }
            Self::Switch(port) => f.debug_tuple("Switch").field(port).finish(),
        }
    }
}

/// One direction of a link.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct PipeId {
    /// The link's index in the wiring.
    pub link: usize,
    /// 0 from the first end to the second, 1 back.
    pub direction: usize,
}

/// How to run a data plane.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed of the pipes' random streams.
    pub seed: u64,
    /// Worker threads; by default one less than the cores this process may use, but at least one, and one more
    /// that helps out while the others cannot bear their links ([`Dataplane::relieve`](crate::Dataplane::relieve)).
    /// There are never more than there are independent parts of the network, and the one that helps out is there for
    /// eight links or more only.
    pub workers: Option<usize>,
    /// CPUs on which nothing runs but workers, one after the other, at most one each by default. Without any, workers
    /// run wherever this process may. Whoever names them keeps others away.
    pub dedicated_cpus: Vec<usize>,
    /// The experiment's zero of time.
    pub origin: Instant,
    /// Most memory that frames in the data plane may take, in bytes; what would be above is lost
    /// and counted as unmodelled. By default a quarter of what this process can have: of the machine's
    /// available memory, or of what its control groups leave, whichever is less.
    pub frame_memory: Option<usize>,
    /// Most frames (a super-frame counts as one) that wait for the reader of a capture. The capture
    /// misses what comes beyond, and counts it. By default 1024.
    pub capture_backlog: usize,
    /// How urgent the workers are to be to the machine, where it permits that.
    pub scheduling: Scheduling,
}

impl PipeId {
    /// The pipe's index among all pipes of the wiring: the forward and the reverse pipe of the first
    /// link, of the second link, and so on.
    pub fn index(self) -> usize {
        2 * self.link + self.direction
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 0,
            workers: None,
            dedicated_cpus: Vec::new(),
            origin: Instant::now(),
            frame_memory: None,
            capture_backlog: 1024,
            scheduling: Scheduling::RealTime,
        }
    }
}

impl Wiring {
    /// Checks that every switch that is named exists and is of the same kind at all its ports, and that
    /// every pipe has its values.
    pub(crate) fn validate(&self) -> Result<(), DataplaneError> {
        let mut kinds = vec![None; self.switches];
        for (index, link) in self.links.iter().enumerate() {
            if let Some(unread) = link.pipes.iter().find_map(PipeConfig::unread_file) {
                return Err(DataplaneError::unread(index, unread));
            }
            for end in &link.ends {
                let Some(port) = end.switch_port() else { continue };
                let (link, switch, switches) = (link.name.clone(), port.switch, self.switches);
                let Some(known) = kinds.get_mut(switch) else {
                    return Err(DataplaneError::UnknownSwitch { link, switch, switches });
                };
                if *known.get_or_insert(port.kind()) != port.kind() {
                    return Err(DataplaneError::MixedSwitch { link, switch });
                }
            }
        }
        Ok(())
    }
}

/// What all ports of a switch have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SwitchKind {
    pub knows_vlans: bool,
    pub bridge: Option<BridgeId>,
}

impl SwitchPort {
    /// What it has in common with the others of its switch.
    pub(crate) fn kind(&self) -> SwitchKind {
        SwitchKind { knows_vlans: self.vlans.is_some(), bridge: self.bridge }
    }
}

impl End {
    /// The next port of a switch that knows no VLANs and runs no spanning tree, by its index.
    pub fn switch(switch: usize) -> Self {
        Self::Switch(SwitchPort { switch, vlans: None, bridge: None, worth: TreeWorth::default() })
    }

    /// The next port of a switch that knows VLANs, by its index, and what it does with tags.
    pub fn vlan_port(switch: usize, vlans: PortVlans) -> Self {
        let worth = TreeWorth::default();
        Self::Switch(SwitchPort { switch, vlans: Some(vlans), bridge: None, worth })
    }

    /// The port of a switch that it is.
    pub(crate) fn switch_port(&self) -> Option<&SwitchPort> {
        match self {
            Self::Device(_) | Self::Interfaces { .. } => None,
            Self::Switch(port) => Some(port),
        }
    }

    /// Its devices, if it is no port of a switch.
    pub(crate) fn devices(&self) -> Vec<&dyn FrameDevice> {
        match self {
            Self::Device(device) => vec![device.as_ref()],
            Self::Interfaces { untagged, vlans } => {
                let vlans = vlans.iter().map(|(_, device)| device.as_ref());
                [untagged.as_ref()].into_iter().chain(vlans).collect()
            }
            Self::Switch(_) => Vec::new(),
        }
    }
}
