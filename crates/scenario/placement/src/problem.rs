//! The problem: nodes, links and machines in numbers. Floats hold whole bit/s exactly.

use std::collections::BTreeMap;
use std::fmt;

use netloom_scenario::{Cut, Objective};
use netloom_units::Duration;

/// What is to be placed, on which machines, and how.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Nodes, whose indices the links have.
    pub nodes: Vec<NodeDemand>,
    /// Links between them.
    pub links: Vec<LinkDemand>,
    /// Machines.
    pub machines: Vec<Machine>,
    /// Longest times from machine to machine.
    pub bounds: Bounds,
    /// Number of machines that are used.
    pub objective: Objective,
    /// Share of each capacity that may be used, more than 0, at most 1.
    pub headroom: f64,
    /// Largest number of assignments that the enumeration tries. With 0, there are only moves.
    pub steps: u64,
    /// Seed of the search.
    pub seed: u64,
}

/// What a node needs, and where it may be.
#[derive(Debug, Clone, Default)]
pub struct NodeDemand {
    /// Name.
    pub name: String,
    /// CPU time of its processes, in CPUs.
    pub cpu: f64,
    /// Memory in bytes, the kernel's included.
    pub memory: f64,
    /// Machine that it must be on.
    pub machine: Option<usize>,
    /// Labels of which all nodes are on one machine.
    pub together: Vec<String>,
    /// Label of which all nodes are on different machines.
    pub apart: Option<String>,
}

/// What a link needs, and whether it may be cut.
#[derive(Debug, Clone)]
pub struct LinkDemand {
    /// Name.
    pub name: String,
    /// Nodes at its ends. `None` is outside the network: the link is where its other end is.
    pub ends: [Option<usize>; 2],
    /// Expected traffic from the first end to the second, and back.
    pub flows: [Flow; 2],
    /// Shortest time that frames ever propagate, in each direction, in the machines' time.
    pub least: [Duration; 2],
    /// Whether its ends may be on different machines. [`Cut::Never`] for direct links.
    pub cut: Cut,
}

/// Expected traffic in one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// Mean rate in bit/s of frames without FCS.
    pub bits: f64,
    /// Mean size of a frame without FCS in bytes, not zero where there are any.
    pub frame: f64,
}

/// Bytes that the tunnel adds to each frame: the head of its record.
const RECORD: f64 = 42.0;
/// Bytes of a datagram of 1514 bytes that are records.
const PAYLOAD: f64 = 1436.0;

impl Flow {
    /// Frames per second.
    pub fn frames(self) -> f64 {
        if self.bits > 0.0 { self.bits / (8.0 * self.frame) } else { 0.0 }
    }

    /// Rate in bit/s that the frames take between machines: with the heads of records, datagrams
    /// and packets that carry them.
    pub fn between_machines(self) -> f64 {
        self.frames() * 8.0 * (self.frame + RECORD) * 1514.0 / PAYLOAD
    }
}

impl LinkDemand {
    /// Expected rate of the busier direction, in bit/s: the link's weight in cuts, and its rate in
    /// ANC and MNP, where each link counts once (Zheng 2003, §3.5.2).
    pub fn rate(&self) -> f64 {
        self.flows[0].bits.max(self.flows[1].bits)
    }

    /// The two nodes at its ends, if both are in the network.
    pub fn nodes(&self) -> Option<[usize; 2]> {
        Some([self.ends[0]?, self.ends[1]?])
    }
}

/// What a machine bears.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Name.
    pub name: String,
    /// CPUs for processes of nodes; infinite if unknown.
    pub cpus: f64,
    /// Cost of a frame on a link whose ends are both on this machine.
    pub inside: Cost,
    /// Cost of a frame that leaves this machine, or comes from another. It is at least that of a
    /// frame inside.
    pub across: Cost,
    /// Memory in bytes; infinite if unknown.
    pub memory: f64,
    /// Rate of its connection to the other machines in bit/s, in each direction; infinite if
    /// unknown.
    pub uplink: f64,
    /// The maximum network provision, in place of `cpus`, `inside` and `across`.
    pub mnp: Option<Mnp>,
}

impl Machine {
    /// A machine that bears everything.
    pub fn unlimited(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            cpus: f64::INFINITY,
            inside: Cost::default(),
            across: Cost::default(),
            memory: f64::INFINITY,
            uplink: f64::INFINITY,
            mnp: None,
        }
    }
}

impl Machine {
    /// Whether another machine bears the same.
    pub fn bears_like(&self, other: &Self) -> bool {
        let of = |one: &Self| (one.cpus, one.inside, one.across, one.memory, one.uplink);
        of(self) == of(other) && self.mnp == other.mnp
    }
}

/// Share of a machine that one frame per second takes: `frame + byte × size`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Share for each frame per second.
    pub frame: f64,
    /// Share for each byte per second.
    pub byte: f64,
}

/// Maximum network provision of a machine (Zheng 2003, §3.5.1): the traffic in bit/s that it bears
/// by its number of ports.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mnp(pub BTreeMap<u32, f64>);

impl Mnp {
    /// Traffic that is borne with this many ports. Between two known numbers, it is the smaller of
    /// both values; above the largest known number, nothing is borne.
    pub fn at(&self, ports: u32) -> f64 {
        let Some((above, at_above)) = self.0.range(ports..).next() else { return 0.0 };
        match self.0.range(..ports).next_back() {
            Some((_, at_below)) if *above != ports => at_above.min(*at_below),
            _ => *at_above,
        }
    }
}

/// Longest time that frames need from one machine to another: the measured delay, the bound of the
/// clocks and the guard.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    number: usize,
    of: Vec<Duration>,
}

impl Bounds {
    /// The same bound for all pairs of `number` machines.
    pub fn uniform(number: usize, bound: Duration) -> Self {
        Self { number, of: vec![bound; number * number] }
    }

    /// Sets the bound from one machine to another.
    pub fn set(&mut self, from: usize, to: usize, bound: Duration) {
        self.of[from * self.number + to] = bound;
    }

    /// The bound from one machine to another.
    pub fn between(&self, from: usize, to: usize) -> Duration {
        self.of[from * self.number + to]
    }

    /// All ordered pairs of different machines.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let number = self.number;
        (0..number).flat_map(move |a| (0..number).map(move |b| (a, b))).filter(|(a, b)| a != b)
    }
}

/// A capacity of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Carrying frames, and CPU time of processes.
    Cpu,
    /// Memory.
    Memory,
    /// The connection to other machines, the busier direction.
    Uplink,
    /// The maximum network provision.
    Mnp,
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cpu => "CPU",
            Self::Memory => "memory",
            Self::Uplink => "uplink",
            Self::Mnp => "MNP",
        })
    }
}

/// The machine of each node, by their indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Index of the machine, for each node.
    pub machine_of: Vec<usize>,
}

impl Placement {
    /// Indices of the machines that have a node, in order.
    pub fn used(&self) -> Vec<usize> {
        let mut used = self.machine_of.clone();
        used.sort_unstable();
        used.dedup();
        used
    }
}
