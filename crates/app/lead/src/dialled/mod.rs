//! Members that dial their lead, where no command leads to them: on the nodes of a Ray cluster. A
//! stream to a machine is then what it is by `ssh`: the standard input and output of a `netloom
//! __member` there.
//!
//! | module | contents |
//! |---|---|
//! | `ray` | the process that asks Ray for machines, and starts [`dial`] on each: [`Cluster`] |
//! | `desk` | the lead's side: machines dial it, and it gives their streams to relays |
//! | `relay` | a command, like `ssh`, that joins its standard input and output to such a stream |
//! | `dial` | a machine's side: dials the lead, and starts what it asks for |
//! | `pins` | who is at the other end |
//!
//! ```text
//! lead ── relay ── desk ═══ TLS ═══ dial ── netloom __member
//! ```
//!
//! A stream that ends at one end ends at the other, so that the lead's end is that of its lease.

mod desk;
mod dial;
mod pins;
mod ray;
mod relay;

use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::socket::{setsockopt, sockopt};
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;

pub use ray::Cluster;

/// The role of the binary on a machine that dials its lead.
pub const DIAL: &str = "__dial";
/// The role of the binary as a command that leads to such a machine.
pub const RELAY: &str = "__relay";

/// Longest time until a machine has dialled.
const PATIENCE: Duration = Duration::from_secs(30);
/// Seconds without an answer after which the other end is gone.
const SILENCE: u32 = 5;

/// Runs one of the two roles. Returns its exit code.
pub fn main(role: &str, arguments: impl Iterator<Item = String>) -> i32 {
    let done = match role {
        DIAL => dial::main(),
        _ => relay::main(arguments),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {}", netloom_api::in_words(error.as_ref()));
            1
        }
    }
}

/// What a machine is told on its standard input.
#[derive(Debug, Serialize, Deserialize)]
struct Orders {
    /// Where the lead is dialled.
    lead: std::net::SocketAddr,
    /// The fingerprint of its certificate.
    fingerprint: String,
}

/// What it answers on its standard output, before it dials.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    /// The fingerprint of its certificate.
    fingerprint: String,
}

/// Has the kernel see within seconds that the other end is gone, also if it cannot say so.
fn watch(stream: &TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    setsockopt(stream, sockopt::KeepAlive, &true)?;
    setsockopt(stream, sockopt::TcpKeepIdle, &1)?;
    setsockopt(stream, sockopt::TcpKeepInterval, &1)?;
    setsockopt(stream, sockopt::TcpKeepCount, &SILENCE)?;
    setsockopt(stream, sockopt::TcpUserTimeout, &(SILENCE * 1000))
        .context("cannot watch the connection")
}
