//! Processes, as the user wrote them.

use netloom_document::{Entries, Spanned, is_default};
use serde::{Deserialize, Serialize};

use super::timeline::RawStart;
use super::values::{RawCommand, ScalarText};

/// A process that a run starts in one or several nodes.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Process"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawProcess {
    /// Name of the process.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub name: Option<Spanned<String>>,
    /// Node that the process runs in.
    #[serde(default)]
    pub node: Option<Spanned<String>>,
    /// Nodes that the process runs in. Each gets an instance of it.
    #[serde(default)]
    pub nodes: Option<Spanned<Vec<Spanned<String>>>>,
    /// Group of nodes that the process runs in. Each node gets an instance of it.
    #[serde(default)]
    pub group: Option<Spanned<String>>,
    /// Command to execute. Its working directory is the scenario's directory.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub command: Option<RawCommand>,
    /// Environment variables, in addition to those of the run itself.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub env: Entries<ScalarText>,
    /// Time at which the process starts (default `0s`: as soon as the network is ready).
    #[serde(default)]
    pub start: Option<Spanned<RawStart>>,
    /// Condition under which the process counts as ready. Without it, the process is ready when it
    /// has started.
    #[serde(default)]
    pub ready: Option<Spanned<RawReady>>,
    /// Whether the run ends without waiting for the process (default false).
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub background: bool,
    /// Absolute paths of files in the node that are kept with the results.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<Spanned<String>>,
}

impl RawProcess {
    /// Returns the name of the process, or an empty string if it has none.
    pub fn name(&self) -> &str {
        self.name.as_ref().map_or("", |name| &name.value)
    }
}

/// Condition under which a process is ready: exactly one of these.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Ready"))]
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
