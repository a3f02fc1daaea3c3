//! Signals of the monitor: which signal, on which resource, its value, since when, and who caused
//! it. Not here: when contention holds (`criterion`), and what it means for the run (`verdict`).

use netloom_units::Time;
use serde::{Deserialize, Serialize};

use crate::party::Who;

/// The signals. Each has a criterion of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SignalKind {
    /// Frames left the engine after their scheduled release. Unit: ns.
    Lateness,
    /// Frames were lost outside the model of a link. Unit: wire frames.
    UnmodelledDrop,
    /// Packets found no room in a buffer of a node's socket. Unit: packets.
    Buffers,
    /// A CPU had no idle moment (Maier 2011, Eq. 4.2). Unit: ns.
    Cpu,
    /// Tasks of a node waited for a CPU. Unit: ns.
    RunQueue,
    /// Traffic between nodes of this machine (Maier 2011, Eq. 4.1). Unit: bit/s.
    NetInternal,
    /// Traffic through an uplink (Maier 2011, Eq. 4.1). Unit: bit/s.
    NetExternal,
    /// Pages read in (Maier 2011, Eq. 4.3). Unit: pages/s.
    MemoryIn,
    /// Pages written out (Maier 2011, Eq. 4.3). Unit: pages/s.
    MemoryOut,
    /// A disk had requests pending all the time (Maier 2011, Eq. 4.4). Unit: ns.
    Disk,
    /// The hypervisor took CPU time away. Unit: share of the time, 0 to 1.
    Steal,
    /// Tasks of a node stood still for lack of CPU, memory or disk (PSI). Unit: share of the time,
    /// 0 to 1.
    Pressure,
    /// A value that an application reported, in its own unit.
    Application,
    /// Events of the run's timeline were late, or did not happen. Unit: ns.
    Timeline,
    /// Pipes of a symbiotic run followed their simulation later than a period. Unit: periods.
    Simulation,
    /// Real flows of a symbiotic run differed from their twins. Unit: share of the twin's.
    Divergence,
    /// The clock of another machine was not known as exactly as needed. Unit: ns.
    Clock,
    /// A link between machines is shorter than the way between them. Unit: ns.
    Tunnel,
    /// A change came to a machine after the instant at which all machines were to make it. Unit:
    /// ns.
    ChangeLate,
    /// A machine of the experiment was lost. Unit: machines.
    MachineLost,
}

impl SignalKind {
    /// The signals of one machine.
    pub const ALL: [Self; 16] = [
        Self::Lateness,
        Self::UnmodelledDrop,
        Self::Buffers,
        Self::Cpu,
        Self::RunQueue,
        Self::NetInternal,
        Self::NetExternal,
        Self::MemoryIn,
        Self::MemoryOut,
        Self::Disk,
        Self::Steal,
        Self::Pressure,
        Self::Application,
        Self::Timeline,
        Self::Simulation,
        Self::Divergence,
    ];

    /// Signals that only an experiment on several machines has.
    pub const BETWEEN_MACHINES: [Self; 4] =
        [Self::Clock, Self::Tunnel, Self::ChangeLate, Self::MachineLost];

    /// Name of the signal, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lateness => "lateness",
            Self::UnmodelledDrop => "unmodelled_drop",
            Self::Buffers => "buffers",
            Self::Cpu => "cpu",
            Self::RunQueue => "run_queue",
            Self::NetInternal => "net_internal",
            Self::NetExternal => "net_external",
            Self::MemoryIn => "memory_in",
            Self::MemoryOut => "memory_out",
            Self::Disk => "disk",
            Self::Steal => "steal",
            Self::Pressure => "pressure",
            Self::Application => "application",
            Self::Timeline => "timeline",
            Self::Simulation => "simulation",
            Self::Divergence => "divergence",
            Self::Clock => "clock",
            Self::Tunnel => "tunnel",
            Self::ChangeLate => "change_late",
            Self::MachineLost => "machine_lost",
        }
    }
}

impl std::fmt::Display for SignalKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A resource that is contended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Resource {
    /// The frames of a pipe.
    Pipe {
        /// The link and the direction: `a--b/forward`.
        name: String,
    },
    /// The engine's schedule: the 99th percentile of all frames in a window.
    Frames,
    /// The engine's schedule: the latest frame of all.
    SingleFrame,
    /// The engine as a whole: it did not run.
    Engine,
    /// A place where frames are lost.
    Losses {
        /// The place.
        cause: DropCause,
    },
    /// Buffers of a node's sockets.
    Buffer {
        /// The buffer.
        of: Buffer,
        /// The node.
        who: Who,
    },
    /// A CPU.
    Cpu {
        /// Its number.
        cpu: u32,
    },
    /// The CPUs, for which tasks wait.
    RunQueue {
        /// The party whose tasks wait.
        who: Who,
    },
    /// Forwarding between the nodes of this machine.
    Internal,
    /// An uplink.
    Uplink {
        /// Its name.
        name: String,
    },
    /// Memory: pages swapped.
    Swap,
    /// Memory: major faults and refaults of nodes.
    Faults,
    /// A disk.
    Disk {
        /// Its name.
        name: String,
    },
    /// A resource for which tasks waited.
    Pressure {
        /// The resource.
        of: Pressure,
        /// The party whose tasks waited.
        who: Who,
    },
    /// The events of the timeline that happened.
    Events,
    /// The events of the timeline that had not happened when the run ended.
    MissedEvents,
    /// The periods of a symbiotic run.
    Periods,
    /// Periods of a symbiotic run that pipes followed so late that they followed another network.
    LostPeriods,
    /// The delay of real flows of a symbiotic run.
    FlowDelay,
    /// The throughput of real flows of a symbiotic run.
    FlowThroughput,
    /// A metric of an application.
    Metric {
        /// Its name.
        name: String,
        /// The node that reported it.
        who: Who,
    },
    /// The clock of another machine.
    Clock {
        /// The other machine.
        machine: String,
    },
    /// Changes that several machines make at one instant.
    Changes,
    /// A machine of the experiment.
    Machine {
        /// Its name.
        name: String,
    },
}

impl std::fmt::Display for Resource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pipe { name } => write!(f, "pipe {name}"),
            Self::Frames => f.write_str("the 99th percentile of frames"),
            Self::SingleFrame => f.write_str("a single frame"),
            Self::Engine => f.write_str("the engine"),
            Self::Losses { cause } => write!(f, "{}", cause.name()),
            Self::Buffer { of, who } => write!(f, "{} of {who}", of.in_words()),
            Self::Cpu { cpu } => write!(f, "CPU {cpu}"),
            Self::RunQueue { who } => write!(f, "CPUs for {who}"),
            Self::Internal => f.write_str("forwarding on this machine"),
            Self::Uplink { name } => write!(f, "uplink {name}"),
            Self::Swap => f.write_str("swap"),
            Self::Faults => f.write_str("faults of nodes"),
            Self::Disk { name } => write!(f, "disk {name}"),
            Self::Pressure { of, who } => write!(f, "{} for {who}", of.name()),
            Self::Events => f.write_str("events"),
            Self::MissedEvents => f.write_str("events that never happened"),
            Self::Periods => f.write_str("periods"),
            Self::LostPeriods => f.write_str("periods that pipes did not follow"),
            Self::FlowDelay => f.write_str("the delay of real flows"),
            Self::FlowThroughput => f.write_str("the throughput of real flows"),
            Self::Metric { name, who } => write!(f, "{name} of {who}"),
            Self::Clock { machine } => write!(f, "the clock of machine {machine}"),
            Self::Changes => f.write_str("changes of all machines"),
            Self::Machine { name } => write!(f, "machine {name}"),
        }
    }
}

/// ResourceId or reason of a loss outside the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DropCause {
    /// The engine did not read an interface in time.
    NotReadInTime,
    /// A device had no room.
    DeviceFull,
    /// A device was gone.
    DeviceGone,
    /// A device did not accept the frame.
    Rejected,
    /// A node sent a frame that was not well-formed.
    Malformed,
    /// The engine's memory for frames was used up.
    NoMemory,
    /// The kernel's backlog of a CPU was full (softnet).
    SoftnetBacklog,
    /// The kernel's table of neighbours was full. All network namespaces of a machine share it.
    NeighbourTable,
    /// A device of the machine dropped it.
    MachineDevice,
    /// It was lost on the way between two machines.
    Tunnel,
    /// The socket to another machine had no room.
    TunnelFull,
    /// The socket to another machine did not accept it.
    TunnelRefused,
}

impl DropCause {
    /// Name of the cause, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotReadInTime => "not_read_in_time",
            Self::DeviceFull => "device_full",
            Self::DeviceGone => "device_gone",
            Self::Rejected => "rejected",
            Self::Malformed => "malformed",
            Self::NoMemory => "no_memory",
            Self::SoftnetBacklog => "softnet_backlog",
            Self::NeighbourTable => "neighbour_table",
            Self::MachineDevice => "machine_device",
            Self::Tunnel => "tunnel",
            Self::TunnelFull => "tunnel_full",
            Self::TunnelRefused => "tunnel_refused",
        }
    }
}

/// Buffers of a node's sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Buffer {
    /// Datagrams that arrived (`RcvbufErrors`): their program did not read in time.
    UdpReceive,
    /// Datagrams that were to be sent (`SndbufErrors`).
    UdpSend,
    /// TCP segments that arrived (`RcvPruned`, `TCPRcvQDrop`): their program did not read in time.
    TcpReceive,
    /// Connections that no program has accepted yet (`ListenOverflows`).
    Listen,
}

impl Buffer {
    /// Name of the buffers, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::UdpReceive => "UDP receive buffers",
            Self::UdpSend => "UDP send buffers",
            Self::TcpReceive => "TCP receive buffers",
            Self::Listen => "listen queues",
        }
    }
}

/// A resource for which tasks can wait, as in the kernel's pressure stall information.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pressure {
    /// A CPU.
    Cpu,
    /// Memory.
    Memory,
    /// A disk.
    Io,
}

impl Pressure {
    /// Name of the resource, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Io => "io",
        }
    }
}

/// A party's share of something. The shares add up to the whole exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Share {
    /// The party.
    pub who: Who,
    /// Amount, by signal: late frames, lost frames, packets without room, ns of CPU time, waits,
    /// bits, pages, requests (ns where a disk was polled), ns of steal, ns of standing still,
    /// reports.
    pub amount: u64,
    /// `amount` as a share of the whole, 0 to 1.
    pub share: f64,
}

/// A report that contention began, grew, or ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Signal {
    /// Time of the change. A beginning: when the criterion was met. An end: when the criterion last
    /// held.
    pub at: Time,
    /// Which of the three.
    pub change: Change,
    /// The signal.
    pub signal: SignalKind,
    /// The resource.
    pub on: Resource,
    /// The value, in the signal's unit. An end: the largest value of the episode.
    pub value: f64,
    /// The threshold, in the signal's unit.
    pub threshold: f64,
    /// The parties that caused it so far, the heaviest first: at most [`Signal::PARTIES`], and the
    /// others as one.
    pub shares: Vec<Share>,
}

impl Signal {
    /// Number of parties that are named.
    pub const PARTIES: usize = 5;
}

/// A change of contention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Contention began.
    Began,
    /// The value is at least twice the one that was last reported.
    Grew,
    /// Contention ended.
    Ended,
}
