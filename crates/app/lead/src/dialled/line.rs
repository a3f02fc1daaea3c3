//! What both sides know: roles, the first words, and how long the other one may be silent.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::socket::{setsockopt, sockopt};
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;

/// The role of the binary on a machine that dials its lead.
pub const DIAL: &str = "__dial";
/// The role of the binary as a command that leads to such a machine.
pub const RELAY: &str = "__relay";

/// Longest time until a machine has dialled.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Seconds without an answer after which the other end is gone.
const SILENCE: u32 = 5;

/// What a machine is told on its standard input.
#[derive(Debug, Serialize, Deserialize)]
pub struct Orders {
    /// Where the lead is dialled.
    pub lead: SocketAddr,
    /// The fingerprint of its certificate.
    pub fingerprint: String,
}

/// What it answers on its standard output, before it dials.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answer {
    /// The fingerprint of its certificate.
    pub fingerprint: String,
}

/// Has the kernel see within seconds that the other end is gone, also if it cannot say so.
pub fn watch(stream: &TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    setsockopt(stream, sockopt::KeepAlive, &true)?;
    setsockopt(stream, sockopt::TcpKeepIdle, &1)?;
    setsockopt(stream, sockopt::TcpKeepInterval, &1)?;
    setsockopt(stream, sockopt::TcpKeepCount, &SILENCE)?;
    setsockopt(stream, sockopt::TcpUserTimeout, &(SILENCE * 1000))
        .context("cannot watch the connection")
}
