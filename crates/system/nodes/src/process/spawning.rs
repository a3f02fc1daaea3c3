//! What callers say and hear about processes in nodes.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A process to start.
#[derive(Debug)]
pub struct SpawnRequest {
    /// The program, looked up in `PATH`, and its arguments.
    pub argv: Vec<String>,
    /// Environment variables, over and above the engine's own, [`crate::Context::env`],
    /// `NETLOOM_EXPERIMENT` and `NETLOOM_NODE`.
    pub env: Vec<(String, String)>,
    /// The working directory as the node sees it; the scenario's directory if absent.
    pub cwd: Option<PathBuf>,
    /// What its standard streams are.
    pub stdio: Stdio,
}

/// What the standard streams of a process are.
#[derive(Debug)]
pub enum Stdio {
    /// Pipes; the other ends are in [`Spawned`].
    Pipes,
    /// A new terminal, which is also the process' controlling one; its other side is in
    /// [`Spawned`].
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
    /// Its number inside the node, which is also that of its session and process group.
    pub pid: u32,
    /// Where to write its standard input ([`Stdio::Pipes`]).
    pub stdin: Option<OwnedFd>,
    /// Where to read its standard output ([`Stdio::Pipes`]).
    pub stdout: Option<OwnedFd>,
    /// Where to read its standard error ([`Stdio::Pipes`]).
    pub stderr: Option<OwnedFd>,
    /// The other side of its terminal ([`Stdio::Pty`]); `TIOCSWINSZ` on it changes the size.
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
    /// The code as shells give it: 128 + n for signal n.
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }

    /// Whether it exited with 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }
}
