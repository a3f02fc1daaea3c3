//! Lines that `netloom deploy`, `run` and `apply` print with `--format json`: how far they are, and
//! how it ended.

use std::path::PathBuf;

use netloom_monitor::Judgement;
use serde::{Deserialize, Serialize};

use crate::event::Event;

/// A line of standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// So many of the nodes exist.
    Nodes(Share),
    /// The network is up, and what runs from the start is still to become ready.
    Up {},
    /// So many of the services are ready.
    Services(Share),
    /// Something the user should know.
    Note(String),
    /// The experiment is ready, and its API answers.
    Ready(Readiness),
    /// Something has happened in an emulated run.
    Event(Box<Event>),
    /// A simulation has come so far.
    Simulated(Simulated),
    /// A run has ended; with `--repeat`, one of several.
    Ended(RunEnd),
    /// The command has failed.
    Failed(Failure),
}

/// Part of a number of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ProgressShare"))]
pub struct Share {
    /// Things that are done.
    pub done: usize,
    /// Things there will be.
    pub total: usize,
}

/// An experiment that is ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Readiness {
    /// Name of the experiment.
    pub experiment: String,
    /// Socket of its API.
    pub socket: PathBuf,
    /// Process id of its engine.
    pub engine_pid: u32,
    /// Wall time from the start to readiness, in seconds.
    pub seconds: f64,
}

/// The progress of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Simulated {
    /// Virtual time that has been simulated, in seconds.
    pub seconds: f64,
    /// Virtual time of the whole run, in seconds, if it is known.
    pub whole_seconds: Option<f64>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunEnd {
    /// Directory of the results.
    pub results: PathBuf,
    /// Whether everything in the run went well.
    pub success: bool,
    /// Whether the run can be trusted. Absent for simulated runs, which no machine disturbs.
    pub judgement: Option<Judgement>,
    /// Exit code of the run.
    pub code: i32,
    /// How it ended, and why if that is a failure: lines for people.
    pub outcome: Vec<String>,
}

/// The reason for which a command failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// Error, for people.
    pub error: String,
    /// Exit code of the command.
    pub code: i32,
}
