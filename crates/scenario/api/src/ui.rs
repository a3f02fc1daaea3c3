//! The API of the web UI's server (`netloom ui`), beside the engines' own, which it passes on.
//!
//! | module | what |
//! |---|---|
//! | [`graph`] | the network of a scenario's text, as a drawing needs it |
//! | [`job`] | commands that the server runs: deploy, run, apply, destroy |
//! | [`finished`] | finished runs and their tables |
//!
//! Here: sessions, experiments, files, findings.

pub mod finished;
pub mod graph;
pub mod job;

use std::path::PathBuf;

use netloom_scenario::Diagnostic;
use serde::{Deserialize, Serialize};

use crate::state::ExperimentStatus;

/// A request for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SessionRequest {
    /// The token of the address that `netloom ui` printed.
    pub token: String,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Key for the header `Authorization: Bearer KEY` of all other requests. It is valid until the
    /// server ends.
    pub key: String,
    /// The server.
    pub about: About,
}

/// The server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct About {
    /// Version of NetLoom.
    pub version: String,
    /// The folder whose files the page may read and write.
    pub directory: PathBuf,
    /// Whether the page only looks on.
    pub read_only: bool,
}

/// A request for a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TicketRequest {
    /// The path that the ticket is for, without a query.
    pub path: String,
}

/// A ticket for one GET request, which carries it as the query's `ticket`, within 10 s.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ticket {
    /// The ticket.
    pub ticket: String,
}

/// An experiment of this machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UiExperiment"))]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// Whether its engine lives.
    pub alive: bool,
    /// Process id of its engine, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Whether it is a simulation, in virtual time.
    pub simulated: bool,
    /// Its status; absent if its engine does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ExperimentStatus>,
}

/// What has changed, as the server sends it to those who watch. Each list is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UiNotice"))]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// The experiments.
    Experiments(Vec<Experiment>),
    /// The commands that the server runs or has run.
    Jobs(Vec<job::Job>),
}

/// A folder's contents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Folder {
    /// The folder, relative to the server's; empty for that one.
    pub folder: String,
    /// What is in it, sorted by path.
    pub entries: Vec<Entry>,
    /// Whether there is more than was listed.
    pub truncated: bool,
}

/// One thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FolderEntry"))]
pub struct Entry {
    /// Path, relative to the server's folder.
    pub path: String,
    /// Last part of the path.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Its size, in bytes.
    pub bytes: u64,
    /// When it was last written, in seconds since 1970-01-01 UTC.
    pub modified_unix: u64,
}

/// Kind of a thing in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A file with the name of a scenario: `netloom.yaml` or `*.netloom.yaml`.
    Scenario,
    /// Another file.
    File,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Saved {
    /// Path, relative to the server's folder.
    pub path: String,
    /// SHA-256 of its contents, in hexadecimal digits: the ETag.
    pub digest: String,
    /// Its size, in bytes.
    pub bytes: u64,
}

/// A scenario's text, which need not be in its file yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScenarioText {
    /// The text.
    pub text: String,
    /// Path of its file, relative to the server's folder. Files that the scenario names are
    /// relative to the folder of it.
    #[serde(default)]
    pub file: Option<String>,
}

/// Whether a scenario is valid, and all findings about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Validation {
    /// Whether it can be used.
    pub valid: bool,
    /// Name of the experiment, if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its size in words, if it can be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<String>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}
