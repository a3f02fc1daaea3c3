//! What a list of machines says, resolved.

use std::collections::BTreeMap;
use std::net::IpAddr;

use netloom_units::{Duration, Probability, Rate, Size};
use serde::{Deserialize, Serialize};

use crate::problem::{Bounds, Mnp};

/// Machines that run one experiment together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machines {
    /// Command that starts a member: its standard input and output are one stream of bytes.
    /// `{address}` and `{netloom}` stand for those of the machine. Absent for `local`, and for a
    /// Ray cluster until it has been asked for its nodes.
    pub start: Option<String>,
    /// The machines, in the order of the file. The first one's clock is the cluster's.
    pub list: Vec<MemberMachine>,
    /// Tunnels that carry frames between machines.
    pub tunnel: Tunnel,
    /// Time without a sign of life after which a machine counts as lost.
    pub lost_after: Duration,
    /// The network between machines on this one, for `local:N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<Local>,
    /// The Ray cluster whose nodes the machines are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ray: Option<Ray>,
}

/// A Ray cluster whose nodes are the machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ray {
    /// Where Ray finds it, like `10.0.0.1:6379`, or `auto`.
    pub address: String,
    /// CPUs that are reserved on each machine.
    pub cpus: u32,
    /// Whether a list names the machines. If it names none, they are all nodes of the cluster.
    pub is_listed: bool,
}

/// One machine of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberMachine {
    /// Name: that of the key `machine` of nodes.
    pub name: String,
    /// Address for the start command, like `ann@10.0.0.1`.
    #[serde(default)]
    pub address: Option<String>,
    /// Address that frames are sent to (default: that of `address`).
    #[serde(default)]
    pub frames: Option<IpAddr>,
    /// Command in place of `{netloom}`; `{netloom}` in it is the binary.
    #[serde(default)]
    pub netloom: Option<String>,
    /// File of the machine's profile, relative to the list's folder.
    #[serde(default)]
    pub profile: Option<String>,
    /// Capacities that are left to others.
    #[serde(default)]
    pub reserve: Reserve,
    /// Rate of the connection to the other machines, in each direction.
    #[serde(default)]
    pub uplink: Option<Rate>,
    /// Maximum network provision by number of ports, in place of the profile.
    #[serde(default)]
    pub mnp: Option<BTreeMap<u32, Rate>>,
}

impl MemberMachine {
    /// A machine of which nothing is known but its name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            address: None,
            frames: None,
            netloom: None,
            profile: None,
            reserve: Reserve::default(),
            uplink: None,
            mnp: None,
        }
    }

    /// Returns the maximum network provision, if the list has it.
    pub fn provision(&self) -> Option<Mnp> {
        let of = |(ports, rate): (&u32, &Rate)| (*ports, rate.bits_per_second() as f64);
        self.mnp.as_ref().map(|mnp| Mnp(mnp.iter().map(of).collect()))
    }
}

/// Capacities that are left to others.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Reserve {
    /// Number of CPUs.
    pub cpu: f64,
    /// Memory.
    pub memory: Size,
}

/// Tunnels that carry frames between machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tunnel {
    /// Whether datagrams are encrypted.
    pub encryption: bool,
    /// Size of the largest packet between machines in bytes; absent: found by probes.
    pub mtu: Option<u16>,
    /// First and last UDP port that may be used; absent: any.
    pub ports: Option<[u16; 2]>,
    /// Time that is added to measured delays before links are cut.
    pub guard: Duration,
}

impl Default for Tunnel {
    fn default() -> Self {
        Self { encryption: true, mtu: None, ports: None, guard: Duration::from_micros(100) }
    }
}

/// The start command of machines that have none.
pub const START: &str = "ssh -oBatchMode=yes {address} {netloom} __member";

/// Largest number of machines.
pub(super) const MOST: usize = 1000;

/// Longest silence of a machine that does not count as lost, by default.
pub(super) const LOST_AFTER: Duration = Duration::from_secs(2);

/// Time that frames are assumed to need from machine to machine before it is measured.
const ASSUMED: Duration = Duration::from_micros(200);

/// The network between machines on this one.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Local {
    /// Delay from each machine to each other one, in addition to that of the kernel.
    #[serde(default)]
    pub delay: Duration,
    /// Rate of each machine's connection, in each direction. Absent: not limited.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Probability that a packet between machines is lost.
    #[serde(default)]
    pub loss: Probability,
}

impl Machines {
    /// Returns `count` machines `m1`, `m2` … that are like each other and have no more than a name.
    pub fn alike(count: usize) -> Self {
        Self {
            start: None,
            list: (1..=count).map(|number| MemberMachine::named(format!("m{number}"))).collect(),
            tunnel: Tunnel { encryption: false, ..Tunnel::default() },
            lost_after: LOST_AFTER,
            local: None,
            ray: None,
        }
    }

    /// Whether the user has asked for a number of machines, not for certain ones: who asks for so
    /// many wants to see so many.
    pub fn is_counted(&self) -> bool {
        self.local.is_some() || self.ray.as_ref().is_some_and(|ray| !ray.is_listed)
    }

    /// Returns the longest times from machine to machine that are assumed before they are measured:
    /// 200 µs, the delay of the network between machines on this one, and the guard.
    pub fn assumed_bounds(&self) -> Bounds {
        let delay = self.local.map_or(Duration::ZERO, |local| local.delay);
        Bounds::uniform(self.list.len(), ASSUMED + delay + self.tunnel.guard)
    }

    /// Leaves all machines out but one.
    ///
    /// # Errors
    /// If there is no such machine.
    pub fn keep(&mut self, name: &str) -> Result<(), String> {
        if !self.list.iter().any(|machine| machine.name == name) {
            let names = self.names().join("`, `");
            return Err(format!("there is no machine `{name}`; there are `{names}`"));
        }
        self.list.retain(|machine| machine.name == name);
        Ok(())
    }

    /// Returns the names of the machines, in order.
    pub fn names(&self) -> Vec<&str> {
        self.list.iter().map(|machine| machine.name.as_str()).collect()
    }
}
