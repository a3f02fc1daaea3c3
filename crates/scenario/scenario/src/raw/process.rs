//! Processes as they are written.

use schemars::JsonSchema;
use serde::Deserialize;

use super::timeline::RawStart;
use super::values::{RawCommand, RawText};
use crate::decode::{Entries, Spanned};

/// A process that a run starts, in one node or several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Process")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawProcess {
    /// The process' name.
    #[schemars(required)]
    pub name: Option<Spanned<String>>,
    /// The node it runs in.
    #[serde(default)]
    pub node: Option<Spanned<String>>,
    /// The nodes it runs in: each gets an instance.
    #[serde(default)]
    pub nodes: Option<Spanned<Vec<Spanned<String>>>>,
    /// The group in whose nodes it runs: each gets an instance.
    #[serde(default)]
    pub group: Option<Spanned<String>>,
    /// What to execute, in the scenario's directory.
    #[schemars(required)]
    pub command: Option<RawCommand>,
    /// Environment variables, over and above the run's own.
    #[serde(default)]
    pub env: Entries<RawText>,
    /// When it begins (default `0s`: as soon as the network is ready).
    #[serde(default)]
    pub start: Option<Spanned<RawStart>>,
    /// How to tell that it is ready; without it, it is ready when it is started.
    #[serde(default)]
    pub ready: Option<Spanned<RawReady>>,
    /// Whether the run ends without waiting for it (default false).
    #[serde(default)]
    pub background: bool,
    /// Files inside the node to keep with the results, as absolute paths.
    #[serde(default)]
    pub keep: Vec<Spanned<String>>,
}

impl RawProcess {
    /// Its name, empty if it has none.
    pub fn name(&self) -> &str {
        self.name.as_ref().map_or("", |name| &name.value)
    }
}

/// How to tell that a process is ready: exactly one of these.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Ready")]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawReady {
    /// A TCP socket listens on this port in the node.
    Port(u16),
    /// This absolute path exists in the node.
    Path(String),
    /// This text has appeared in the process' output.
    Output(String),
    /// This command, tried every 100 ms in the node, has succeeded.
    Command(RawCommand),
}
