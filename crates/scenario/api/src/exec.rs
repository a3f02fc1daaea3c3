//! Commands and terminals in nodes, over one WebSocket each, or over one connection to `exec.sock`.
//!
//! # `exec.sock`
//!
//! A socket of type `SOCK_SEQPACKET` beside `api.sock`, mode 0600. Messages are JSON. The client
//! sends an [`ExecRequest`], with up to three descriptors (`SCM_RIGHTS`) that become the command's
//! standard input, output and error output; those that are not sent are `/dev/null`. Then it may
//! send signals, as [`ExecControl`]. The engine answers with [`ExecNotice`]s, and closes after
//! `exited`, `failed` or `own_kernel`. A client that goes away ends the command. Terminals, and
//! commands in nodes with a kernel of their own, are at the WebSocket only.
//!
//! # The WebSocket
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
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::ApiError;

/// First byte of a binary frame: standard output (or the terminal).
pub const STDOUT: u8 = 1;
/// First byte of a binary frame: standard error.
pub const STDERR: u8 = 2;

/// A command and the node to run it in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExecRequest {
    /// Name of the node.
    pub node: String,
    /// The program and its arguments. Empty: the user's shell.
    pub command: Vec<String>,
    /// Environment variables, in addition to those of the node.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Size of the terminal to run the command on. Absent: no terminal.
    #[serde(default)]
    pub terminal: Option<TerminalSize>,
    /// Directory in the node where the command starts. Absent: the scenario's.
    #[serde(default)]
    pub directory: Option<PathBuf>,
}

/// A terminal's size in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TerminalSize {
    /// Height, in lines.
    pub rows: u16,
    /// Width, in columns.
    pub columns: u16,
}

/// A message from the client to a running command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecControl {
    /// The terminal has a new size.
    Resize(TerminalSize),
    /// Sends this signal, by number.
    Signal(i32),
    /// Closes an output. The next write to it fails, and ends a command that does not handle it
    /// with SIGPIPE. A terminal has only one output.
    Close(ExecOutput),
}

/// An output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecOutput {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A message from the engine about a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecNotice {
    /// The command runs.
    Started {
        /// Process id in the node.
        pid: u32,
        /// Process id as the machine knows it. Absent if the command has ended already, or in a
        /// node with a kernel of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        machine_pid: Option<u32>,
    },
    /// A signal was passed on. Only at `exec.sock`.
    Signalled {
        /// The signal's number.
        number: i32,
    },
    /// The node has a kernel of its own, in which no descriptors of this machine work: the command
    /// has to be run over the WebSocket. Only at `exec.sock`.
    OwnKernel {},
    /// The command has ended, and all its output has been sent.
    Exited {
        /// Exit code; 128 + the signal's number if a signal ended it.
        code: i32,
    },
    /// The command could not be run.
    Failed {
        /// Reason of the failure.
        error: ApiError,
        /// Exit code that a shell would return: 127 not found, 126 not executable, else 125.
        code: i32,
    },
}
