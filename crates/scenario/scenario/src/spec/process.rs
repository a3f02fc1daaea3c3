//! Processes of a run, their readiness, and expectations about them.

use std::collections::BTreeMap;

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::Start;

/// A command to execute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Command {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program and its arguments, passed without a shell.
    Exec(Vec<String>),
}

impl Command {
    /// Returns the program and its arguments.
    pub fn argv(&self) -> Vec<String> {
        match self {
            Self::Shell(line) => vec!["/bin/sh".into(), "-c".into(), line.clone()],
            Self::Exec(argv) => argv.clone(),
        }
    }
}

/// A process that a run starts in one or several nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Process {
    /// Unique name.
    pub name: String,
    /// Nodes that the process runs in. Each gets an instance of it.
    pub nodes: Vec<String>,
    /// Command to execute. Its working directory is the scenario's directory.
    pub command: Command,
    /// Environment variables, in addition to those of the run itself.
    pub env: BTreeMap<String, String>,
    /// Time at which the process starts.
    pub start: Start,
    /// Condition under which the process counts as ready. Without it, the process is ready when it
    /// has started.
    pub ready: Option<Ready>,
    /// Whether the run ends without waiting for the process.
    pub background: bool,
    /// Paths of files in the node that are kept with the results.
    pub keep: Vec<String>,
}

/// An expectation about a process: at least one of `exit`, `within` and `output`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Expectation {
    /// Name of the process.
    pub process: String,
    /// Nodes whose instances of the process the expectation is about.
    pub nodes: Vec<String>,
    /// How the process ends.
    pub exit: Option<ExpectedExit>,
    /// Longest time from the start of the process to its end.
    pub within: Option<Duration>,
    /// Text that the process' output contains.
    pub output: Option<String>,
}

/// How a process is expected to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExpectedExit {
    /// It ends with this exit code, which is 128 + the signal's number if a signal ends it.
    Code(i32),
    /// It still runs when the run ends.
    Running,
}

impl std::fmt::Display for Expectation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let exit = self.exit.map(|exit| match exit {
            ExpectedExit::Code(code) => format!("exit code {code}"),
            ExpectedExit::Running => "to run until the end".into(),
        });
        let within = self.within.map(|time| format!("an end within {time}"));
        let output = self.output.as_ref().map(|text| format!("the output `{text}`"));
        let parts: Vec<String> = [exit, within, output].into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

/// Condition under which a process is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ready {
    /// A TCP socket listens on this port in the node.
    Port(u16),
    /// This path exists in the node.
    Path(String),
    /// This text has appeared in the process' output.
    Output(String),
    /// This command, tried every 100 ms in the node, has succeeded.
    Command(Command),
}
