//! What the lead of an experiment and its members, engines on several machines, say to each other
//! beside the API. The lead writes [`Order`]s, JSON lines on a member's standard input, after the
//! launch order. A member answers by [`Said`], in lines of its standard output, so a byte stream
//! each way is all that joins them.
//!
//! The start of an experiment, in this order:
//!
//! | who | says | then |
//! |---|---|---|
//! | each member | [`Said::Doors`]: its network is up, and this is where it takes frames | the lead has the doors of all |
//! | lead | [`Order::Meet`]: the doors of all | members measure each other's clocks |
//! | each member | [`Said::Ready`]: its services are ready and its clocks are known | the lead waits for all |
//! | lead | [`Order::Propose`], to the first member | it picks a zero by its clock, which is that of all |
//! | first member | [`Said::Zero`] | the lead tells it to all |
//! | lead | [`Order::Begin`] | each member begins then, by what it knows of the first one's clock |
//! | each member | [`Said::Begins`] | the run goes |
//!
//! And its end:
//!
//! | who | says | then |
//! |---|---|---|
//! | each member | [`Said::Completed`], unless the run has a duration | the lead waits for all |
//! | lead | [`Order::Complete`] | members end their runs |
//! | each member | [`Said::Over`]: it sends nothing any more | the lead waits for all |
//! | lead | [`Order::Part`] | members tell each other what they have sent, so that what was lost last is counted |
//! | each member | [`Said::Heard`]: it knows what the others have sent | the lead waits for all |
//! | lead | [`Order::Leave`] | members stop telling |
//! | each member | [`Said::Ended`] | its results are written |
//!
//! All the while, both sides say each second that they are there ([`Order::Here`], [`Said::Here`]):
//! a member from which its lead is cut off ends by itself after [`LEASE`], and keeps its results
//! with what is needed to merge them ([`Kept`]).

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration as Patience;

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::state::ProcessState;

/// Time between two signs of life, of a lead and of its members.
pub const PULSE: Patience = Patience::from_secs(1);
/// Silence after which a lead and a member give each other up.
pub const LEASE: Patience = Patience::from_secs(5);

/// The part of an experiment that one machine carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Name of the machine.
    pub name: String,
    /// All machines, this one included. The first one's clock is that of the experiment.
    pub machines: Vec<String>,
    /// The machine of each node.
    pub nodes: HashMap<String, String>,
    /// Address at which this machine takes the frames of others.
    pub frames: IpAddr,
    /// First and last UDP port that its sockets may have. `None`: any.
    pub ports: Option<[u16; 2]>,
    /// Number of the experiment, which its datagrams carry.
    pub session: u64,
    /// 32 random bytes in hexadecimal digits, by which frames between machines are encrypted.
    /// `None`: they are not.
    pub secret: Option<String>,
    /// Links that are known to be shorter than the way between their machines, and by how much.
    pub uncovered: BTreeMap<String, Duration>,
    /// Silence of another machine after which it counts as lost.
    pub lost_after: Duration,
    /// Size of the datagrams between machines, in bytes: what the way between all of them takes.
    pub datagram: usize,
}

impl Member {
    /// Whether this machine carries a node.
    pub fn has(&self, node: &str) -> bool {
        self.nodes.get(node) == Some(&self.name)
    }

    /// Returns the number of a machine. The first one has 0.
    pub fn number(&self, machine: &str) -> Option<usize> {
        self.machines.iter().position(|name| name == machine)
    }

    /// Returns the machine of a node.
    pub fn machine_of(&self, node: &str) -> Option<&str> {
        self.nodes.get(node).map(String::as_str)
    }
}

/// The role of the binary as a member. Its argument is a word of the lead's.
pub const ROLE: &str = "__member";

/// Returns the line with which a member begins to speak. What comes before it belongs to whatever
/// started it: a greeting, or what a shell's files print.
pub fn greeting(word: &str) -> String {
    format!("NETLOOM {word} {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
}

/// Whether a line is the greeting of a member that was given `word`. If it is, the error says why
/// that member cannot be led: it is another version.
pub fn is_greeting(line: &str, word: &str) -> Option<Result<(), String>> {
    let mut words = line.trim().strip_prefix("NETLOOM ")?.split(' ');
    (words.next() == Some(word)).then_some(())?;
    let (own, version) = (env!("CARGO_PKG_VERSION"), words.next().unwrap_or("?"));
    Some(match own == version {
        true => Ok(()),
        false => Err(format!(
            "NetLoom there is version {version}, and here {own}: put the same on all machines"
        )),
    })
}

/// Where a member takes what others send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doors {
    /// Questions about its clock.
    pub clock: SocketAddr,
    /// Frames of each link with an end elsewhere, by its name.
    pub links: BTreeMap<String, SocketAddr>,
}

/// An order of the lead to a member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Measure the clocks of the others, and send them frames from now on.
    Meet {
        /// The doors of all members, by their names.
        doors: BTreeMap<String, Doors>,
    },
    /// Pick the zero of the experiment's time.
    Propose {
        /// How far in the future it is to be.
        ahead: Duration,
    },
    /// Begin at this time of the first member's clock.
    Begin {
        /// `CLOCK_MONOTONIC` there, in ns.
        zero: i64,
    },
    /// A process on another machine has reached a state.
    Process {
        /// The process.
        process: String,
        /// Its node.
        node: String,
        /// The state.
        state: ProcessState,
        /// When it did, counted from zero.
        at: Time,
    },
    /// End the run: everything in it has happened, on all machines.
    Complete,
    /// Tell each other what you have sent: nothing is sent any more, on any machine.
    Part,
    /// Tell nothing any more: all have heard it.
    Leave,
    /// End the run: the user wishes so.
    Interrupt,
    /// The lead is there.
    Here,
    /// End the run, since it cannot go on.
    Abandon {
        /// Why, in words.
        why: String,
    },
}

/// What a member says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// Its network is up. It takes frames here.
    Doors(Doors),
    /// All that runs from the start is ready, and the clocks of others are known.
    Ready {
        /// What it knows of the others' clocks, by their names.
        clocks: BTreeMap<String, ClockStatus>,
    },
    /// The zero that it has picked.
    Zero {
        /// Its `CLOCK_MONOTONIC` then, in ns.
        zero: i64,
    },
    /// It begins at zero.
    Begins {
        /// Time that was left until zero when it took the order; negative if zero had passed.
        ahead: i64,
    },
    /// Something has happened on its machine.
    Event(Box<Event>),
    /// A process has reached a state.
    Process {
        /// The process.
        process: String,
        /// Its node.
        node: String,
        /// The state.
        state: ProcessState,
        /// When it did, counted from zero.
        at: Time,
    },
    /// Nothing has come from a machine for longer than is tolerated.
    Silent {
        /// The machine.
        machine: String,
        /// For how long.
        lasted: Duration,
    },
    /// It is there.
    Here,
    /// Everything has happened that was to happen on this machine.
    Completed,
    /// Its run is over, and nothing is sent any more.
    Over,
    /// It knows what the others have sent, or has waited for that long enough.
    Heard,
    /// What it knew of others at the end.
    Ended {
        /// What it knew of the others' clocks, by their names.
        clocks: BTreeMap<String, ClockStatus>,
    },
}

/// What a member keeps beside its results, for whoever merges them if its lead has gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The experiment.
    pub experiment: String,
    /// Number of the run, which all machines share.
    pub session: u64,
    /// The machine.
    pub machine: String,
    /// All machines. The first one's clock is that of the experiment.
    pub machines: Vec<String>,
    /// The machine of each node.
    pub nodes: BTreeMap<String, String>,
    /// What it knew of the others' clocks when the run began. Empty before.
    #[serde(default)]
    pub at_first: BTreeMap<String, ClockStatus>,
    /// What it knew of them at the end. Empty before.
    #[serde(default)]
    pub at_last: BTreeMap<String, ClockStatus>,
}

impl Kept {
    /// The file of a member's results that has it.
    pub const FILE: &str = "member.json";

    /// Returns what a member keeps before its run begins.
    pub fn of(member: &Member, experiment: &str) -> Self {
        let nodes = member.nodes.iter();
        Self {
            experiment: experiment.to_owned(),
            session: member.session,
            machine: member.name.clone(),
            machines: member.machines.clone(),
            nodes: nodes.map(|(node, machine)| (node.clone(), machine.clone())).collect(),
            at_first: BTreeMap::new(),
            at_last: BTreeMap::new(),
        }
    }
}

/// What a machine knows of another one, and what crosses between the two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PeerStatus {
    /// The other machine.
    pub machine: String,
    /// What is known of its clock. Absent until it has answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockStatus>,
    /// Time since it last said anything about its clock. Absent until it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent: Option<Duration>,
    /// Questions about its clock.
    pub probes: u64,
    /// Questions among these that were not answered within a second.
    pub lost_probes: u64,
    /// How often what was known of its clock turned out to be wrong: steps, changes of its rate.
    pub clock_faults: u64,
    /// Datagrams from it, and records in them, that were refused.
    pub refused: u64,
    /// Why datagrams to it were last not sent, if some were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// The pipes between the two.
    pub pipes: Vec<CrossingStatus>,
}

/// A pipe between two machines, as one of them sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CrossingStatus {
    /// The link.
    pub link: String,
    /// `forward` or `reverse`.
    pub direction: String,
    /// Whether it leads to the other machine; otherwise it comes from there.
    pub leads_there: bool,
    /// Wire frames that were sent, as far as this machine knows.
    pub sent: u64,
    /// Wire frames that were lost on the way; of a pipe that leads there, those that the socket had
    /// no room for, which the other machine counts among its lost ones.
    pub lost: u64,
    /// Wire frames that came and could not be put into the network.
    pub refused: u64,
    /// Shortest time that frames ever propagate on it.
    pub least: Duration,
    /// What remains of that beyond half a round trip and the error of the clock, in ns. Frames are
    /// late if it is negative. Absent until the clock is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slack: Option<i64>,
}

/// What a machine knows of another one's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockStatus {
    /// Their `CLOCK_MONOTONIC` minus ours, in ns.
    pub offset: i64,
    /// Largest error of it, in ns.
    pub bound: u64,
    /// How much faster their clock is, in parts of 10⁹.
    pub drift: i64,
    /// Shortest time there and back so far, in ns.
    pub round_trip: u64,
}
