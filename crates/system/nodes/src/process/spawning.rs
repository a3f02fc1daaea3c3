//! Requests for processes in nodes, and their results.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A process to start.
#[derive(Debug)]
pub struct SpawnRequest {
    /// The program, looked up in `PATH`, and its arguments.
    pub argv: Vec<String>,
    /// Environment variables, in addition to the engine's own, [`crate::Context::env`],
    /// `NETLOOM_EXPERIMENT` and `NETLOOM_NODE`.
    pub env: Vec<(String, String)>,
    /// Working directory in the node. Absent: the scenario's directory.
    pub cwd: Option<PathBuf>,
    /// Standard streams.
    pub stdio: Stdio,
}

/// Standard streams of a process.
#[derive(Debug)]
pub enum Stdio {
    /// Pipes. The other ends are in [`Spawned`].
    Pipes,
    /// A new terminal, which is also the process' controlling one. Its other end is in [`Spawned`].
    Pty {
        /// Height in characters.
        rows: u16,
        /// Width in characters.
        columns: u16,
    },
    /// These files.
    Files {
        /// Standard input.
        stdin: OwnedFd,
        /// Standard output.
        stdout: OwnedFd,
        /// Standard error.
        stderr: OwnedFd,
    },
}

/// A process that was started.
#[derive(Debug)]
pub struct Spawned {
    /// Process id in the node, which is also that of its session and process group.
    pub pid: u32,
    /// The engine's end of standard input ([`Stdio::Pipes`]).
    pub stdin: Option<OwnedFd>,
    /// The engine's end of standard output ([`Stdio::Pipes`]).
    pub stdout: Option<OwnedFd>,
    /// The engine's end of standard error ([`Stdio::Pipes`]).
    pub stderr: Option<OwnedFd>,
    /// The engine's end of the terminal ([`Stdio::Pty`]). `TIOCSWINSZ` on it changes the size.
    pub pty: Option<OwnedFd>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExitStatus {
    /// It exited with this code.
    Code(i32),
    /// It was killed by this signal.
    Signal(i32),
}

impl ExitStatus {
    /// Returns the exit code of shells: 128 + n for signal n.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }

    /// Whether it exited with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}
