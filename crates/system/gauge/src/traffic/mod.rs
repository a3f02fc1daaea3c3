//! A sender that keeps a pace, a receiver that counts, and a pair that measures round trips: the
//! hidden role `netloom __traffic ORDER` of the binary, with an [`Order`] in JSON. It prints
//! [`READY`] once it can begin, and a line of JSON at its end.

mod echo;
mod pace;
mod receive;
mod send;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The argument that makes a binary take the role.
pub const ROLE: &str = "__traffic";
/// Line that a process prints once it listens.
pub const READY: &str = "ready";

/// Task of a process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Send. Prints a [`Sent`].
    Send(Send),
    /// Receive the flow of one sender, to its end. Prints a [`Received`].
    Receive {
        /// The protocol.
        protocol: Protocol,
        /// The port to listen on.
        port: u16,
    },
    /// Send back, over UDP, whatever arrives at a port, until nothing arrives any more.
    Answer {
        /// The port to listen on.
        port: u16,
    },
    /// Ask a process that answers. Prints an [`Asked`].
    Ask {
        /// Its host name.
        to: String,
        /// Its port.
        port: u16,
        /// Number of questions.
        times: u32,
    },
}

/// A protocol, over IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Each write is a datagram.
    Udp,
    /// All writes go over one connection.
    Tcp,
}

/// Order to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// The protocol.
    pub protocol: Protocol,
    /// The receiver's host name.
    pub to: String,
    /// Its port.
    pub port: u16,
    /// Length of each write, in bytes.
    pub payload: usize,
    /// Number of writes a second.
    pub pace: f64,
    /// Duration, in seconds.
    pub seconds: f64,
}

/// Report of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// Number of writes that the pace asked for.
    pub planned: u64,
    /// Number of writes that were made in time.
    pub writes: u64,
}

/// Report of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Received {
    /// Bytes of payload, without the datagrams that end a UDP flow.
    pub bytes: u64,
}

/// Report on round trips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Number of questions that were answered.
    pub answered: u64,
    /// The median round trip, in nanoseconds.
    pub p50_ns: u64,
}

/// Executes the order in the process's second argument. Returns the exit code.
pub fn main() -> i32 {
    match std::env::args().nth(2).context("no order").and_then(|order| execute(&order)) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error:#}");
            1
        }
    }
}

fn execute(order: &str) -> Result<()> {
    let order: Order =
        serde_json::from_slice(order.as_bytes()).context("cannot understand the order")?;
    let report = match order {
        Order::Send(order) => serde_json::to_string(&send::send(&order)?)?,
        Order::Receive { protocol, port } => {
            let receiver = receive::Receiver::listen(protocol, port)?;
            println!("{READY}");
            serde_json::to_string(&receiver.receive()?)?
        }
        Order::Answer { port } => {
            let socket = echo::listen(port)?;
            println!("{READY}");
            return echo::answer(&socket);
        }
        Order::Ask { to, port, times } => serde_json::to_string(&echo::ask(&to, port, times)?)?,
    };
    println!("{report}");
    Ok(())
}

#[cfg(test)]
mod tests;
