//! Processes of a run, when they are ready, and what is expected of them.

use std::collections::BTreeMap;

use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Start;

/// What to execute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program and its arguments, as they are.
    Exec(Vec<String>),
}

impl Command {
    /// The program and its arguments.
    pub fn argv(&self) -> Vec<String> {
        match self {
            Self::Shell(line) => vec!["/bin/sh".into(), "-c".into(), line.clone()],
            Self::Exec(argv) => argv.clone(),
        }
    }
}

/// A process that a run starts, in one node or several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Process {
    /// Unique name.
    pub name: String,
    /// The nodes it runs in: each gets an instance.
    pub nodes: Vec<String>,
    /// What to execute. Its working directory is the scenario's directory.
    pub command: Command,
    /// Environment variables, over and above the run's own.
    pub env: BTreeMap<String, String>,
    /// When it begins.
    pub start: Start,
    /// How to tell that it is ready; without it, ready is started.
    pub ready: Option<Ready>,
    /// Whether the run ends without waiting for it.
    pub background: bool,
    /// Files inside the node to keep with the results.
    pub keep: Vec<String>,
}

/// What is expected of a process, at least one of the three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expectation {
    /// The process' name.
    pub process: String,
    /// The nodes in which it is expected.
    pub nodes: Vec<String>,
    /// How it ends.
    pub exit: Option<ExpectedExit>,
    /// Within which time of its start it ends.
    pub within: Option<Duration>,
    /// A text that its output has.
    pub output: Option<String>,
}

/// How a process is expected to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedExit {
    /// With this exit code: 128 + the signal's number if a signal ends it.
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

/// How to tell that a process is ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
