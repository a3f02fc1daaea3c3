//! Commands and terminals in nodes, over one WebSocket each.
//!
//! The client opens `GET /v1/exec` as a WebSocket and sends an [`ExecRequest`] as text. Then:
//!
//! | from | frame | meaning |
//! |---|---|---|
//! | client | binary | standard input; an empty one closes it |
//! | client | text | an [`ExecControl`] |
//! | engine | binary | one byte [`STDOUT`] or [`STDERR`], then output |
//! | engine | text | an [`ExecNotice`] |
//!
//! After `exited` or `failed` the engine closes. A client that goes away ends the command.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ApiError;

/// First byte of a binary frame: standard output (or the terminal).
pub const STDOUT: u8 = 1;
/// First byte of a binary frame: standard error.
pub const STDERR: u8 = 2;

/// What to run where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecRequest {
    /// The node.
    pub node: String,
    /// The program and its arguments; empty for the user's shell.
    pub command: Vec<String>,
    /// Environment variables, over and above the node's own.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Run it on a terminal of this size.
    #[serde(default)]
    pub terminal: Option<TerminalSize>,
}

/// A terminal's size in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TerminalSize {
    /// Height.
    pub rows: u16,
    /// Width.
    pub columns: u16,
}

/// What the client tells a running command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecControl {
    /// The terminal has a new size.
    Resize(TerminalSize),
    /// Send it this signal, by number.
    Signal(i32),
    /// Nobody reads this output any more: the next write to it fails, and ends a command that does
    /// not mind with SIGPIPE. A terminal has one output only.
    Close(ExecOutput),
}

/// An output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecOutput {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What the engine says of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecNotice {
    /// It runs.
    Started {
        /// Process id in the node.
        pid: u32,
    },
    /// It has ended, and all its output has been sent.
    Exited {
        /// Its exit code; 128 + the signal's number if a signal ended it.
        code: i32,
    },
    /// It could not be run.
    Failed {
        /// Why.
        error: ApiError,
        /// The exit code a shell would give: 127 not found, 126 not executable, else 125.
        code: i32,
    },
}
