//! The start of an engine: it reads one JSON line, and writes JSON lines until the network is
//! ready.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use netloom_scenario::Scenario;
use netloom_units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use crate::ApiError;
use crate::member::{Member, Said};
use crate::summary::Summary;

/// The parameters of an engine, which are the first line of its standard input.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Launch {
    /// The resolved scenario.
    pub scenario: Scenario,
    /// The scenario's text as the user wrote it.
    pub source: String,
    /// The scenario's file, absolute.
    pub file: PathBuf,
    /// The scenario's directory, absolute: where processes start.
    pub directory: PathBuf,
    /// Mode in which the engine runs the network.
    pub mode: Mode,
    /// Number of data-plane workers; by default one per core but one, and one more that helps out
    /// in overload.
    pub workers: Option<usize>,
    /// Traffic that this machine can bear.
    pub calibration: Calibration,
    /// Parameters of `netloom shell`, if it owns the network.
    #[serde(default)]
    pub shell: Option<Shell>,
    /// The part of the experiment that this engine carries, if several machines do.
    #[serde(default)]
    pub member: Option<Member>,
}

impl Launch {
    /// Returns the name by which commands find the engine: that of the scenario, and of its
    /// machine if several carry the experiment.
    pub fn name(&self) -> String {
        let name = &self.scenario.name;
        match &self.member {
            None => name.clone(),
            Some(member) => Self::member_name(name, &member.name),
        }
    }

    /// Returns the name of the engine that carries `machine`'s part of an experiment.
    pub fn member_name(experiment: &str, machine: &str) -> String {
        format!("{experiment}-{machine}")
    }
}

/// Parameters for the command of `netloom shell`. The client starts that command in a node's
/// network when the network is ready. A run of such a network does not end by itself. Before the
/// network is removed, the engine notifies all processes in it that their session is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// The node.
    pub node: String,
    /// Address of the machine's side of its link. It resolves names at port 53, by UDP and TCP.
    /// `None` if the command reaches nothing beyond the link.
    pub resolver: Option<Ipv4Addr>,
    /// The machine's side of the link is the engine's own network, as an ordinary user's must be.
    #[serde(default)]
    pub gateway: Option<Gateway>,
}

/// The network of an ordinary user's engine, which replaces that of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gateway {
    /// The addresses of its link to the machine's network, or `None` if there is no link.
    pub uplink: Option<(Ipv4Addr, Ipv6Addr)>,
}

/// Traffic that this machine can bear, as far as it was measured. This is the threshold of
/// scenarios that set none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibration {
    /// It was measured.
    Measured {
        /// The most that nodes may send to each other over all links together, in
        /// [`Calibration::WINDOW`].
        net_internal: Rate,
        /// Time that the machine takes to carry a frame over a link, if that was measured.
        #[serde(default)]
        crossing: Option<Duration>,
        /// Source of the values, in words: `the calibration of …`.
        source: String,
    },
    /// It was not measured, or the measurement cannot be used.
    Missing {
        /// Reason and remedy, in words.
        why: String,
    },
}

impl Calibration {
    /// The length of the windows in which traffic was measured.
    pub const WINDOW: Duration = Duration::from_millis(10);

    /// Returns the time that the machine takes to carry a frame over a link.
    ///
    /// # Errors
    /// The reason for which it is unknown, and the remedy.
    pub fn crossing(&self) -> Result<Duration, String> {
        match self {
            Self::Measured { crossing: Some(crossing), .. } => Ok(*crossing),
            Self::Measured { source, .. } => {
                Err(format!("{source} does not say it; run `netloom calibrate`"))
            }
            Self::Missing { why } => Err(why.clone()),
        }
    }
}

/// The mode in which an engine runs a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Keeps the network up until a request ends it. Standard input is a lease until the network is
    /// ready and the client writes [`STAY`]. If it closes earlier, the client is gone, and the
    /// engine removes the network.
    Deploy,
    /// Runs timeline and processes, writes results, and removes the network. Standard input stays
    /// open as a lease: when it closes, the client is gone, and the engine stops the run.
    Run {
        /// Directory of the results, absolute. It must not exist yet.
        results: PathBuf,
        /// Whether the run ends as soon as something has failed.
        #[serde(default)]
        fail_fast: bool,
    },
}

/// The bytes that the client of [`Mode::Deploy`] writes so that the network stays when it ends.
pub const STAY: &[u8] = b"stay\n";

/// A line of the engine's standard output while it starts, and when it ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartUp {
    /// So many of the nodes exist.
    Nodes {
        /// Nodes that exist.
        done: usize,
        /// Nodes there will be.
        total: usize,
    },
    /// The network is up, and what runs from the start is still to become ready.
    Up,
    /// So many of the services are ready.
    Services {
        /// Services that are ready.
        done: usize,
        /// Services there are.
        total: usize,
    },
    /// Something the user should know.
    Note(String),
    /// All that runs from the start is ready, and the API answers.
    Ready,
    /// It could not be started, or ended with an error; everything it made is gone again.
    Failed(ApiError),
    /// The summary of a run that could not be written; an error follows.
    Unwritten(Box<Summary>),
    /// Something that the lead of several machines is to know.
    Member(Said),
}
