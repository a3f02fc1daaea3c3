//! Commands that the server runs on behalf of the page, and how far they are.

use serde::{Deserialize, Serialize};

use crate::apply::ApplyStep;
use crate::progress::Progress;

/// What to bring up, run or change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "JobRequest"))]
#[serde(deny_unknown_fields)]
pub struct Action {
    /// The scenario's file, relative to the server's folder. What the file says counts.
    pub file: String,
    /// Name of the experiment instead of the scenario's own.
    #[serde(default)]
    pub name: Option<String>,
    /// Seed of all random streams instead of the scenario's own.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Time dilation instead of the scenario's own.
    #[serde(default)]
    pub dilation: Option<f64>,
    /// For a deployment: whether it is done only once all hosts reach each other.
    #[serde(default)]
    pub wait: bool,
}

/// The experiment to take down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// Its name.
    pub experiment: String,
}

/// A command that the server runs or has run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Job {
    /// Its number.
    pub id: u64,
    /// What it does.
    pub command: JobCommand,
    /// The scenario's file, relative to the server's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Name of the experiment, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// When it began, in seconds since 1970-01-01 UTC.
    pub started_unix: u64,
    /// How it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<JobEnd>,
}

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobCommand {
    /// `netloom deploy`
    Deploy,
    /// `netloom run`
    Run,
    /// `netloom run --simulate`
    Simulate,
    /// `netloom apply`
    Apply,
    /// `netloom destroy`
    Destroy,
    /// `netloom cleanup`
    Cleanup,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobEnd {
    /// Exit code of the command; 128 + the signal's number if a signal ended it.
    pub code: i32,
}

/// Something that a job says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobEvent {
    /// How far it is.
    Progress(Box<Progress>),
    /// A line for people.
    Text(JobText),
    /// It has ended. Nothing follows.
    Ended(JobEnd),
}

/// A line that a command printed for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobText {
    /// Where.
    pub stream: JobStream,
    /// The line, without its end.
    pub line: String,
}

/// An output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What `apply` would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ApplyPlan"))]
pub struct Plan {
    /// Name of the experiment.
    pub experiment: String,
    /// Whether it runs. If not, it would be brought up.
    pub running: bool,
    /// Size of the scenario's network, in words.
    pub size: String,
    /// Why the engine refuses to apply this scenario, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The steps. Empty if the network need not change.
    pub steps: Vec<ApplyStep>,
    /// Changes that have no effect on a deployed network.
    pub notes: Vec<String>,
}
