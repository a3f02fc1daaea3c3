//! What the experiment is at this moment.

use std::net::IpAddr;
use std::path::PathBuf;

use netloom_link::{Count, PipeConfig, PipeStatistics, PortVlans, VlanDrops};
use netloom_scenario::{Endpoint, IpPrefix, Limits, MacAddress, NodeKind, Publish};
use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::usage::NodeUsage;

/// The experiment as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperimentStatus {
    /// Its name.
    pub name: String,
    /// The engine's process id.
    pub engine_pid: u32,
    /// The engine's version.
    pub version: String,
    /// Where it stands.
    pub phase: Phase,
    /// The scenario file it was made from.
    pub file: PathBuf,
    /// Nanoseconds since the engine's zero.
    pub now: Time,
    /// When it was started: seconds since 1970-01-01 UTC.
    pub started_unix: u64,
    /// Number of nodes, switches included.
    pub nodes: usize,
    /// Number of links.
    pub links: usize,
    /// Where the results go, if this is a run.
    pub results: Option<PathBuf>,
}

/// Where an experiment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The network is up; what runs from the start is not ready yet.
    Starting,
    /// The network is up; nothing is timed.
    Deployed,
    /// A run is under way.
    Running,
    /// It is being taken down.
    Stopping,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeStatus {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// Whether it is simulated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// The addresses its name stands for, at most one per family.
    pub primary: Vec<IpAddr>,
    /// Its interfaces (for a switch, its ports).
    pub interfaces: Vec<InterfaceStatus>,
    /// The network namespace's name for `ip netns exec`; none for a switch, or a simulated node.
    pub namespace: Option<String>,
    /// What its processes may use; those of its group and of the experiment come on top.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// What they use, and have used; absent where nothing accounts for them, and before the first
    /// process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<NodeUsage>,
    /// Ports of the machine that lead into it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Publish>,
}

/// An interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterfaceStatus {
    /// Its name in the node; a VLAN sub-interface's is like `eth1.10`, and its link that of `eth1`.
    pub name: String,
    /// Ethernet address; none for a switch port.
    pub mac: Option<MacAddress>,
    /// Addresses with their prefix length.
    pub addresses: Vec<IpPrefix>,
    /// The link at it.
    pub link: String,
    /// Whom it reaches.
    pub peer: Endpoint,
    /// For a port of a switch that knows VLANs: what it does with them, and what it has refused.
    #[serde(default)]
    pub vlan: Option<VlanPortStatus>,
    /// For a port of a switch that runs a spanning tree: what it is to the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spanning_tree: Option<TreePortStatus>,
}

/// A port of a switch that runs the Rapid Spanning Tree Protocol (IEEE 802.1D-2004, clause 17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TreePortStatus {
    /// What it is to the tree.
    pub role: PortRole,
    /// What it does with frames.
    pub state: PortState,
    /// What the way through it costs: 20,000 at 1 Gbit/s.
    pub cost: u32,
    /// Which of several ways that cost the same is taken: the lowest.
    pub priority: u8,
    /// Whether no other bridge is believed to be behind it.
    pub edge: bool,
    /// Whether a bridge is behind it that only speaks the protocol's first version.
    pub legacy: bool,
    /// Its switch, as `PRIORITY.ADDRESS`.
    pub bridge: String,
    /// The root of the tree, as far as its switch knows.
    pub root: String,
    /// What the way from its switch to the root costs.
    pub root_cost: u32,
    /// BPDUs that came in and were understood.
    pub received: u64,
    /// BPDUs that came in and were not.
    pub ignored: u64,
    /// BPDUs sent.
    pub sent: u64,
    /// Wire frames that came in and went no further, since the port did not forward. The pipe that
    /// leads here has delivered them.
    pub discarded: u64,
}

/// What a port is to a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortRole {
    /// Its link is down.
    Disabled,
    /// It leads to the root.
    Root,
    /// Through it, what is behind it reaches the root.
    Designated,
    /// Another way to the root.
    Alternate,
    /// Another way to what its switch is designated for.
    Backup,
}

/// What a port of a spanning tree does with frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortState {
    /// It throws them away.
    Discarding,
    /// It learns where they come from and throws them away.
    Learning,
    /// It learns and forwards.
    Forwarding,
}

/// A port of a switch that knows VLANs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VlanPortStatus {
    /// What it does with tags.
    pub vlans: PortVlans,
    /// Wire frames that came in and were refused. The pipe that leads here has delivered them.
    pub dropped: VlanDrops,
}

/// A link with its two pipes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkStatus {
    /// Its name.
    pub name: String,
    /// Its two ends.
    pub endpoints: [Endpoint; 2],
    /// From the first end to the second.
    pub forward: PipeStatus,
    /// From the second end to the first.
    pub reverse: PipeStatus,
}

impl LinkStatus {
    /// The two pipes under names that show where they lead: `a:eth1 → b:eth1`.
    pub fn arrows(&self) -> [(String, &PipeStatus); 2] {
        let [a, b] = &self.endpoints;
        [(format!("{a} → {b}"), &self.forward), (format!("{b} → {a}"), &self.reverse)]
    }
}

/// One direction of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PipeStatus {
    /// Of a link that the engine carries.
    Modelled(Box<ModelledPipe>),
    /// Of a direct link, which the kernel carries.
    Direct(DirectPipe),
}

impl PipeStatus {
    /// The pipe, if the engine carries it.
    pub fn modelled(&self) -> Option<&ModelledPipe> {
        match self {
            Self::Modelled(pipe) => Some(pipe.as_ref()),
            Self::Direct(_) => None,
        }
    }

    /// What the sending interface handed in, as far as that is known.
    pub fn offered(&self) -> Option<Count> {
        match self {
            Self::Modelled(pipe) => Some(pipe.statistics.offered),
            Self::Direct(pipe) => pipe.statistics.as_ref().map(|counted| counted.offered),
        }
    }

    /// What arrived at the receiving interface, as far as that is known.
    pub fn delivered(&self) -> Option<Count> {
        match self {
            Self::Modelled(pipe) => Some(pipe.statistics.delivered),
            Self::Direct(pipe) => pipe.statistics.as_ref().map(|counted| counted.delivered),
        }
    }

    /// What arrived, as a mean over the time in which it was counted, in bit/s, as far as that is
    /// known.
    pub fn mean_rate(&self) -> Option<f64> {
        let over = match self {
            Self::Modelled(pipe) => pipe.statistics.at.since(pipe.statistics.since),
            Self::Direct(pipe) => pipe.statistics.as_ref()?.at.since(Time::ZERO),
        };
        Some(self.delivered()?.bytes as f64 * 8.0 / over.as_secs_f64().max(1e-9))
    }

    /// Frames that were dropped on the way, as far as that is known.
    pub fn dropped_frames(&self) -> Option<u64> {
        match self {
            Self::Modelled(pipe) => Some(pipe.statistics.dropped.total().frames),
            Self::Direct(pipe) => pipe.statistics.as_ref().map(|counted| counted.dropped_frames),
        }
    }
}

/// A pipe of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelledPipe {
    /// What it runs on.
    pub config: PipeConfig,
    /// What it has done since it was made, or in the last seconds if they were asked for.
    pub statistics: PipeStatistics,
}

/// One direction of a direct link: no properties, and of what happens to frames what the kernel
/// counts at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectPipe {
    /// What the kernel has counted since the network was ready; absent if the last seconds were
    /// asked for, which it does not know, or if one of the interfaces is gone.
    pub statistics: Option<DirectStatistics>,
}

/// What the kernel has counted of one direction of a direct link. It counts a super-frame, which
/// stands for many frames on a wire, as one frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirectStatistics {
    /// When this was read, in ns since the experiment's zero.
    pub at: Time,
    /// What the sending interface has passed on.
    pub offered: Count,
    /// What the receiving interface has taken in.
    pub delivered: Count,
    /// Frames that either interface dropped. The kernel does not count their bytes.
    pub dropped_frames: u64,
}

/// A process of the scenario in one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessStatus {
    /// The process' name.
    pub process: String,
    /// The node.
    pub node: String,
    /// Where it stands.
    pub state: ProcessState,
}

/// Where a process stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// Its start condition has not come.
    Waiting,
    /// It runs, and its `ready` test has not passed yet.
    Started {
        /// Process id in the node.
        pid: u32,
    },
    /// It runs and is ready.
    Ready {
        /// Process id in the node.
        pid: u32,
    },
    /// It has ended.
    Done {
        /// Exit code; 128 + the signal's number if a signal ended it.
        code: i32,
    },
    /// It could not be started.
    Failed {
        /// Why.
        reason: String,
    },
    /// The run ended before its start condition came.
    NeverStarted,
    /// It was still running at the end of the run and was ended with it.
    Stopped,
}

impl std::fmt::Display for ProcessState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Waiting => f.write_str("waiting"),
            Self::Started { pid } => write!(f, "started, pid {pid}"),
            Self::Ready { pid } => write!(f, "running, pid {pid}"),
            Self::Done { code } => write!(f, "code {code}"),
            Self::Failed { reason } => write!(f, "failed: {reason}"),
            Self::NeverStarted => f.write_str("never started"),
            Self::Stopped => f.write_str("stopped with the run"),
        }
    }
}

/// A service of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceStatus {
    /// Its name.
    pub service: String,
    /// The node.
    pub node: String,
    /// Where it stands.
    pub state: ServiceState,
    /// The file with its output, on the machine.
    pub log: PathBuf,
}

/// Where a service stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServiceState {
    /// It has not been started.
    Waiting,
    /// It runs, and is not ready yet.
    Starting {
        /// Process id in the node.
        pid: u32,
    },
    /// It runs and is ready.
    Ready {
        /// Process id in the node.
        pid: u32,
    },
    /// It runs, and does not do its work.
    Unhealthy {
        /// Process id in the node.
        pid: u32,
    },
    /// It could not be started, or has ended.
    Failed {
        /// Why, or how it ended.
        reason: String,
    },
}

impl std::fmt::Display for ServiceState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Waiting => f.write_str("waiting"),
            Self::Starting { pid } => write!(f, "starting, pid {pid}"),
            Self::Ready { pid } => write!(f, "ready, pid {pid}"),
            Self::Unhealthy { pid } => write!(f, "unhealthy, pid {pid}"),
            Self::Failed { reason } => write!(f, "failed: {reason}"),
        }
    }
}
