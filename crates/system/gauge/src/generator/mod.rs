//! Traffic of a scenario in real nodes: the hidden role `netloom __traffic` without an argument. It
//! reads an [`Order`] in JSON from its standard input, prints [`READY`] once it can begin, and a
//! line of JSON at its end. SIGTERM ends it, too; SIGURG asks how far it is ([`SoFar`]). With the
//! arguments `replay ORDER` its standard input is a capture instead.
//!
//! | file | contents |
//! |---|---|
//! | `orders` | orders to send and receive, and reports |
//! | `wire` | contents of a datagram: flow, number, time of sending |
//! | `send`, `receive` | UDP: sends frames of a model at their times, and counts them |
//! | `tally` | arrivals of a flow: losses, order, delay, jitter |
//! | `ping` | echo requests, and their replies |
//! | `replay` | frames of a capture |
//! | `connection`, `bulk`, `flows` | TCP: as much as the path takes, and transfers at their times |
//! | `counts` | what a sender sends over TCP, and the state of its connections |
//! | `http` | clients and servers |
//! | `accept` | counts what TCP brings |
//! | `clock` | the experiment's clock |
//! | `stop` | requests that the process ends, or answers how far it is |
//! | `so_far` | how far it is |

mod accept;
mod bulk;
mod clock;
mod connection;
mod counts;
mod flows;
mod http;
mod orders;
mod ping;
mod receive;
mod replay;
mod send;
mod so_far;
mod stop;
mod tally;
mod wire;

use std::io::Read;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result};
use netloom_traffic::Model;
use serde::{Deserialize, Serialize};

use crate::traffic::{Protocol, READY};
use clock::Clock;
pub use orders::{Ip, Receive, ReceivedReport, Send, SendProtocol, Sent, SentReport, Timebase};
pub use replay::Replay;
pub use so_far::SoFar;
pub use tally::Arrived;

/// Task of a process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Send. Prints a [`SentReport`].
    Send(Box<Send>),
    /// Count arrivals. Prints a [`ReceivedReport`].
    Receive(Receive),
}

/// Executes the order on standard input. Returns the exit code.
pub fn main() -> i32 {
    code(execute())
}

/// The argument before an order to replay. The order is an argument, too, because standard input is
/// the capture.
pub const REPLAY: &str = "replay";

/// Executes an order to replay, [`Replay`] in JSON, and prints a [`SentReport`]. Returns the exit
/// code.
pub fn replay(order: &str) -> i32 {
    code(execute_replay(order))
}

fn code(done: Result<()>) -> i32 {
    match done {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error:#}");
            1
        }
    }
}

fn execute_replay(order: &str) -> Result<()> {
    let stop = stop::Stop::on_signals().context("cannot wait for signals")?;
    let order: Replay =
        serde_json::from_slice(order.as_bytes()).context("cannot understand the order")?;
    let capture = std::io::stdin().as_fd().try_clone_to_owned().context("there is no capture")?;
    let clock = Clock::new(order.timebase);
    let ready = || println!("{READY}");
    let report = replay::send(&order, capture.into(), (&clock, &stop), ready)?;
    let report = serde_json::to_string(&report)?;
    so_far::finish();
    println!("{report}");
    Ok(())
}

fn execute() -> Result<()> {
    // Before any thread starts, so that all threads leave the signal to the one that waits for it.
    let stop = stop::Stop::on_signals().context("cannot wait for signals")?;
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).context("cannot read the order")?;
    let order: Order = serde_json::from_slice(&text).context("cannot understand the order")?;
    let ready = || println!("{READY}");
    let report = match order {
        Order::Send(order) => {
            let clock = Clock::new(order.timebase);
            let report = match order.protocol {
                SendProtocol::Icmp => {
                    ping::send(&order, &send::resolve(&order)?, (&clock, &stop), ready)?
                }
                SendProtocol::Udp => send::send(&order, &clock, &stop, ready)?,
                SendProtocol::Tcp => over_tcp(&order, &clock, &stop, ready)?,
            };
            serde_json::to_string(&report)?
        }
        Order::Receive(order) => {
            let clock = Clock::new(order.timebase);
            let report = match order.protocol {
                Protocol::Udp => receive::receive(&order, &clock, &stop, ready)?,
                Protocol::Tcp => accept::receive(&order, &clock, &stop, ready)?,
            };
            serde_json::to_string(&report)?
        }
    };
    so_far::finish();
    println!("{report}");
    Ok(())
}

/// Sends over TCP as ordered, and calls `ready` before it begins.
fn over_tcp(
    order: &Send,
    clock: &Clock,
    stop: &stop::Stop,
    ready: impl FnOnce(),
) -> Result<SentReport> {
    let to = &send::resolve(order)?;
    ready();
    let base = stop.begin(clock);
    let end = order.time.map_or(u64::MAX, |time| base.saturating_add(time.as_nanos()));
    let sent = counts::Counts::default();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let answering =
            scope.spawn(|| stop.answer_until(&over, || SoFar::sent(&sent.intervals(), None)));
        // Also if a thread panics.
        let _ends = Ends { over: &over, answering: answering.thread() };
        match &order.model {
            Model::Bulk(config) => bulk::send(order, config, to, end, (clock, stop), &sent),
            Model::Http(config) => http::ask(order, config, to, (base, end), (clock, stop), &sent),
            _ => flows::send(order, to, (base, end), (clock, stop), &sent),
        }
    })?;
    let (intervals, tcp) = sent.into_parts();
    Ok(SentReport { intervals, tcp, ..SentReport::default() })
}

/// Ends the thread that answers.
struct Ends<'a> {
    over: &'a AtomicBool,
    answering: &'a thread::Thread,
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        self.answering.unpark();
    }
}

#[cfg(test)]
mod tests;
