//! How an engine is started: one JSON line in, JSON lines out until the network is ready.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

use netloom_scenario::Scenario;
use netloom_units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use crate::ApiError;
use crate::summary::Summary;

/// What an engine needs to know, as the first line of its standard input.
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
    /// What the engine is to do with the network.
    pub mode: Mode,
    /// Number of data-plane workers; by default one per core but one, and one more that helps out
    /// in overload.
    pub workers: Option<usize>,
    /// How much traffic this machine bears.
    pub calibration: Calibration,
    /// The network is that of `netloom shell`.
    #[serde(default)]
    pub shell: Option<Shell>,
}

/// What the engine does for the command of `netloom shell`, which the client starts in a node's
/// network when that is ready. A run of such a network does not end by itself, and before the
/// network is taken down, all processes that are in it are told that their session is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// The node.
    pub node: String,
    /// The address of the machine's side of its link, where names are looked up: port 53, by UDP
    /// and TCP. Nothing if the command reaches nothing beyond the link.
    pub resolver: Option<Ipv4Addr>,
    /// The machine's side of the link is the engine's own network, as an ordinary user's must be.
    #[serde(default)]
    pub gateway: Option<Gateway>,
}

/// The network of an ordinary user's engine in the place of the machine's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gateway {
    /// The addresses by which it is joined to the machine's; nothing if it is not.
    pub uplink: Option<(Ipv4Addr, Ipv6Addr)>,
}

/// How much traffic this machine bears, as far as it was measured: the threshold where the scenario
/// sets none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibration {
    /// It was measured.
    Measured {
        /// The most that nodes may send each other, all links together, in [`Calibration::WINDOW`].
        net_internal: Rate,
        /// How long the machine takes to carry a frame over a link, if that was measured.
        #[serde(default)]
        crossing: Option<Duration>,
        /// What says so, in words: `the calibration of …`.
        source: String,
    },
    /// It was not, or that cannot be used.
    Missing {
        /// Why, and what to do, in words.
        why: String,
    },
}

impl Calibration {
    /// The length of the windows in which traffic was measured.
    pub const WINDOW: Duration = Duration::from_millis(10);

    /// How long the machine takes to carry a frame over a link.
    ///
    /// # Errors
    /// Why that is not known, and what to do.
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

/// What an engine does once the network is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Keeps it up until a request ends it. Standard input is a lease until the client, once the
    /// network is ready, writes [`STAY`]: when it closes before, the client is gone and so is the
    /// network.
    Deploy,
    /// Runs timeline and processes, writes results, and takes it down. Standard input stays open as
    /// a lease: when it closes, the client is gone and the run is stopped.
    Run {
        /// Where the results go: a directory that does not exist yet, absolute.
        results: PathBuf,
    },
}

/// What the client of [`Mode::Deploy`] writes to let the network stay when it ends.
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
    /// So many of the services are ready.
    Services {
        /// Services that are ready.
        done: usize,
        /// Services there are.
        total: usize,
    },
    /// Something the user should know.
    Note(String),
    /// The network is ready and the API answers.
    Ready,
    /// It could not be started, or ended with an error; everything it made is gone again.
    Failed(ApiError),
    /// The summary of a run that could not be written; an error follows.
    Unwritten(Box<Summary>),
}
