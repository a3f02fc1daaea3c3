//! A sender that keeps a pace, a receiver that counts, and a pair that measures round trips: the
//! hidden role `netloom __traffic ORDER` of the binary, with an [`Order`] in JSON. It prints
//! [`READY`] once it can begin, and a line of JSON at its end.

mod echo;
mod orders;
mod pace;
mod receive;
mod send;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

pub use orders::{Asked, Protocol, Received, Send, Sent};

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
