//! Current state of the experiment.

use std::net::IpAddr;
use std::path::PathBuf;

use netloom_link::{Count, PipeConfig, PipeStatistics, PortVlans, VlanDrops};
use netloom_scenario::{Endpoint, IpPrefix, Limits, MacAddress, NodeKind, Publish};
use netloom_units::Time;
use serde::{Deserialize, Serialize};

use crate::usage::NodeUsage;

/// The experiment as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExperimentStatus {
    /// Name of the experiment.
    pub name: String,
    /// Process id of the engine.
    pub engine_pid: u32,
    /// Version of the engine.
    pub version: String,
    /// Phase of the experiment.
    pub phase: Phase,
    /// Scenario file that the experiment was made from.
    pub file: PathBuf,
    /// Current time, in nanoseconds since zero, when all that runs from the start was ready. In
    /// phase `starting`, in nanoseconds since the network was up.
    pub now: Time,
    /// Date of the time from which `now` counts, in seconds since 1970-01-01 UTC.
    pub started_unix: u64,
    /// Number of nodes, switches included.
    pub nodes: usize,
    /// Number of links.
    pub links: usize,
    /// Directory of the results, if this is a run.
    pub results: Option<PathBuf>,
    /// Whether it is a simulation in virtual time. Nothing in it can be changed by request, and it
    /// has no nodes in which commands could run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
}

/// Phase of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The network is up; startup commands and services are not ready yet.
    Starting,
    /// All that runs from the start is ready, and no run is in progress.
    Deployed,
    /// A run is in progress.
    Running,
    /// The experiment is being taken down.
    Stopping,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeStatus {
    /// Name of the node.
    pub name: String,
    /// Kind of the node.
    pub kind: NodeKind,
    /// Whether the node is simulated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub simulated: bool,
    /// Addresses that the node's name resolves to, at most one for each family.
    pub primary: Vec<IpAddr>,
    /// Interfaces of the node. For a switch, its ports.
    pub interfaces: Vec<InterfaceStatus>,
    /// Name of the network namespace for `ip netns exec`. Absent for a switch or a simulated node.
    pub namespace: Option<String>,
    /// Limits of the node's processes. Those of its group and of the experiment apply too.
    #[serde(default, skip_serializing_if = "Limits::is_empty")]
    pub limits: Limits,
    /// Current and past use of resources. Absent if nothing measures it, and before the first
    /// process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<NodeUsage>,
    /// Ports of the machine that are forwarded to the node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Publish>,
}

/// An interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterfaceStatus {
    /// Name in the node. That of a VLAN sub-interface is like `eth1.10`, and its link is that of
    /// `eth1`.
    pub name: String,
    /// Ethernet (MAC) address. Absent for a switch port.
    pub mac: Option<MacAddress>,
    /// Addresses with their prefix length: those of the plan, then those that programs in the node
    /// have added since, like leases of DHCP.
    pub addresses: Vec<IpPrefix>,
    /// Name of the link that the interface is at.
    pub link: String,
    /// The other end of the link.
    pub peer: Endpoint,
    /// For ports of switches with VLANs: VLANs of the port, and the frames that it dropped.
    #[serde(default)]
    pub vlan: Option<VlanPortStatus>,
    /// For ports of switches that run a spanning tree: state of the port in the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spanning_tree: Option<TreePortStatus>,
}

/// A port of a switch that runs the Rapid Spanning Tree Protocol (IEEE 802.1D-2004, clause 17).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreePortStatus {
    /// Role of the port in the tree.
    pub role: PortRole,
    /// Treatment of frames.
    pub state: PortState,
    /// Path cost of the port: 20,000 at 1 Gbit/s.
    pub cost: u32,
    /// Port priority. Of several ports with equal costs, the one with the lowest priority is used.
    pub priority: u8,
    /// Whether the port is considered an edge port: no other bridge is behind it.
    pub edge: bool,
    /// Whether a bridge behind the port uses the protocol's first version (STP).
    pub legacy: bool,
    /// Bridge id of the switch, as `PRIORITY.ADDRESS`.
    pub bridge: String,
    /// Bridge id of the tree's root, in the view of the switch.
    pub root: String,
    /// Path cost from the switch to the root.
    pub root_cost: u32,
    /// Valid BPDUs received.
    pub received: u64,
    /// Invalid BPDUs received.
    pub ignored: u64,
    /// BPDUs sent.
    pub sent: u64,
    /// Wire frames that entered the port and were dropped because it does not forward. The pipe
    /// that leads here counts them as delivered.
    pub discarded: u64,
}

/// Role of a port in a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PortRole {
    /// The link of the port is down.
    Disabled,
    /// The port leads to the root.
    Root,
    /// The network behind the port reaches the root through it.
    Designated,
    /// The port is an alternative path to the root.
    Alternate,
    /// The port is an alternative path to a network that the switch is designated for.
    Backup,
}

/// Treatment of frames by a port of a spanning tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PortState {
    /// The port drops frames.
    Discarding,
    /// The port learns the senders of frames and drops the frames.
    Learning,
    /// The port learns and forwards.
    Forwarding,
}

/// A port of a switch with VLANs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VlanPortStatus {
    /// VLANs of the port.
    pub vlans: PortVlans,
    /// Wire frames that entered the port and were dropped. The pipe that leads here counts them as
    /// delivered.
    pub dropped: VlanDrops,
}

/// A link with its two pipes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkStatus {
    /// Name of the link.
    pub name: String,
    /// The two ends.
    pub endpoints: [Endpoint; 2],
    /// Pipe from the first end to the second.
    pub forward: PipeStatus,
    /// Pipe from the second end to the first.
    pub reverse: PipeStatus,
}

impl LinkStatus {
    /// Returns the status with its times counted from `zero`.
    #[must_use]
    pub fn counted_from(self, zero: Time) -> Self {
        let [forward, reverse] = [self.forward, self.reverse].map(|pipe| pipe.counted_from(zero));
        Self { forward, reverse, ..self }
    }
}

impl LinkStatus {
    /// Returns the two pipes with names that show their directions: `a:eth1 → b:eth1`.
    pub fn arrows(&self) -> [(String, &PipeStatus); 2] {
        let [a, b] = &self.endpoints;
        [(format!("{a} → {b}"), &self.forward), (format!("{b} → {a}"), &self.reverse)]
    }
}

/// One direction of a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PipeStatus {
    /// A pipe of a link that the engine carries.
    Modelled(Box<ModelledPipe>),
    /// One direction of a direct link, which the kernel carries.
    Direct(DirectPipe),
}

impl PipeStatus {
    /// Returns the pipe, if the engine carries it.
    pub fn modelled(&self) -> Option<&ModelledPipe> {
        match self {
            Self::Modelled(pipe) => Some(pipe.as_ref()),
            Self::Direct(_) => None,
        }
    }

    /// Returns the traffic that the sending interface handed over, if known.
    pub fn offered(&self) -> Option<Count> {
        match self {
            Self::Modelled(pipe) => Some(pipe.statistics.offered),
            Self::Direct(pipe) => pipe.statistics.as_ref().map(|counted| counted.offered),
        }
    }

    /// Returns the traffic that arrived at the receiving interface, if known.
    pub fn delivered(&self) -> Option<Count> {
        match self {
            Self::Modelled(pipe) => Some(pipe.statistics.delivered),
            Self::Direct(pipe) => pipe.statistics.as_ref().map(|counted| counted.delivered),
        }
    }

    /// Returns the mean rate of what arrived, background included, over the time in which it was
    /// counted, in bit/s, if known.
    pub fn mean_rate(&self) -> Option<f64> {
        let background = self.modelled().and_then(|pipe| pipe.statistics.background);
        let background = background.map_or(0, |background| background.delivered.bytes);
        self.rate_of(self.delivered()?.bytes + background)
    }

    /// Returns the mean rate of the frames that arrived, without background, in bit/s, if known.
    pub fn mean_goodput(&self) -> Option<f64> {
        self.rate_of(self.delivered()?.bytes)
    }

    fn rate_of(&self, bytes: u64) -> Option<f64> {
        let over = match self {
            Self::Modelled(pipe) => pipe.statistics.at.since(pipe.statistics.since),
            Self::Direct(pipe) => {
                let statistics = pipe.statistics.as_ref()?;
                statistics.at.since(statistics.since)
            }
        };
        Some(bytes as f64 * 8.0 / over.as_secs_f64().max(1e-9))
    }

    fn counted_from(mut self, zero: Time) -> Self {
        let times = match &mut self {
            Self::Modelled(pipe) => Some([&mut pipe.statistics.since, &mut pipe.statistics.at]),
            Self::Direct(pipe) => pipe.statistics.as_mut().map(|of| [&mut of.since, &mut of.at]),
        };
        times.into_iter().flatten().for_each(|time| *time = time.counted_from(zero));
        self
    }

    /// Returns the number of frames that were dropped on the way, if known.
    pub fn dropped_frames(&self) -> Option<u64> {
        match self {
            Self::Modelled(pipe) => Some(pipe.statistics.dropped.total().frames),
            Self::Direct(pipe) => pipe.statistics.as_ref().map(|counted| counted.dropped_frames),
        }
    }
}

/// A pipe of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelledPipe {
    /// Current configuration of the pipe.
    pub config: PipeConfig,
    /// Statistics since the pipe was created, or of the last seconds if the request asked for
    /// these.
    pub statistics: PipeStatistics,
}

/// One direction of a direct link. It has no properties, and only those statistics that the kernel
/// counts at its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DirectPipe {
    /// Statistics since the network was up. Absent if the request asked for the last seconds,
    /// which the kernel does not know, or if one of the interfaces no longer exists.
    pub statistics: Option<DirectStatistics>,
}

/// The kernel's statistics of one direction of a direct link. The kernel counts a super-frame,
/// which represents many frames on a wire, as one frame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DirectStatistics {
    /// Beginning of the count, in ns since zero.
    #[serde(default)]
    pub since: Time,
    /// Time of reading, in ns since zero.
    pub at: Time,
    /// Traffic that the sending interface has sent.
    pub offered: Count,
    /// Traffic that the receiving interface has received.
    pub delivered: Count,
    /// Number of frames that either interface dropped. The kernel does not count their bytes.
    pub dropped_frames: u64,
}

/// A process of the scenario in one node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessStatus {
    /// Name of the process.
    pub process: String,
    /// Name of the node.
    pub node: String,
    /// State of the process.
    pub state: ProcessState,
}

/// State of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProcessState {
    /// Its start condition is not met yet.
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
        /// Reason of the failure.
        reason: String,
    },
    /// The run ended before its start condition was met.
    NeverStarted,
    /// It was still running at the end of the run, which ended it.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServiceStatus {
    /// Name of the service.
    pub service: String,
    /// Name of the node.
    pub node: String,
    /// State of the service.
    pub state: ServiceState,
    /// File with the service's output, on the machine.
    pub log: PathBuf,
}

/// State of a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// It runs but does not work.
    Unhealthy {
        /// Process id in the node.
        pid: u32,
    },
    /// It could not be started, or has ended.
    Failed {
        /// Reason of the failure, or how it ended.
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
