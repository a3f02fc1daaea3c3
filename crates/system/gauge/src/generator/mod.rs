//! Traffic of a scenario in real nodes: the hidden role `netloom __traffic` without an argument. It
//! reads an [`Order`] in JSON from its standard input, prints [`READY`] once it can begin, and a
//! line of JSON at its end. SIGTERM ends it, too. With the arguments `replay ORDER` its standard
//! input is a capture instead.
//!
//! | file | contents |
//! |---|---|
//! | `wire` | contents of a datagram: flow, number, time of sending |
//! | `send`, `receive` | UDP: sends frames of a model at their times, and counts them |
//! | `tally` | arrivals of a flow: losses, order, delay, jitter |
//! | `ping` | echo requests, and their replies |
//! | `replay` | frames of a capture |
//! | `connection`, `bulk`, `flows` | TCP: as much as the path takes, and transfers at their times |
//! | `http` | clients and servers |
//! | `accept` | counts what TCP brings |
//! | `clock` | the experiment's clock |
//! | `stop` | the request that the process ends |

mod accept;
mod bulk;
mod clock;
mod connection;
mod flows;
mod http;
mod ping;
mod receive;
mod replay;
mod send;
mod stop;
mod tally;
mod wire;

use std::collections::BTreeMap;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::fd::AsFd;
use std::sync::PoisonError;

use anyhow::{Context, Result};
use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use crate::traffic::{Protocol, READY};
use clock::Clock;
pub use replay::Replay;
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

/// Order to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// The protocol.
    pub protocol: SendProtocol,
    /// The receivers' host names. If there are several, a random one is chosen each time.
    pub to: Vec<String>,
    /// The version of IP.
    pub ip: Ip,
    /// The receivers' port.
    pub port: u16,
    /// The number of this sender among those with the same receiver.
    pub flow: u16,
    /// The traffic model: what is sent when.
    pub model: Model,
    /// Lengths of frames, including the Ethernet header.
    pub sizes: Sizes,
    /// The experiment's seed.
    pub seed: u64,
    /// The name of the stream of random numbers.
    pub stream: String,
    /// Duration (without: until SIGTERM, or the model's own end).
    pub time: Option<Duration>,
    /// The DSCP of the packets.
    pub dscp: Option<u8>,
    /// TCP's congestion control, if it differs from the node's own.
    pub congestion_control: Option<String>,
    /// The origin and the intervals of times.
    pub timebase: Timebase,
}

/// A protocol by which a sender sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SendProtocol {
    /// ICMP echo, which needs no receiver.
    Icmp,
    /// UDP.
    Udp,
    /// TCP.
    Tcp,
}

/// A version of the Internet Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ip {
    /// Version 4.
    V4,
    /// Version 6.
    V6,
}

impl Ip {
    /// Length of its header, in bytes.
    const fn header(self) -> u32 {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }

    /// The unspecified address.
    const fn any(self) -> IpAddr {
        match self {
            Self::V4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Self::V6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        }
    }
}

/// Order to receive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receive {
    /// The protocol.
    pub protocol: Protocol,
    /// The version of IP.
    pub ip: Ip,
    /// The port to listen on.
    pub port: u16,
    /// Whether the receiver serves HTTP.
    pub serves: bool,
    /// The DSCP of a server's packets.
    pub dscp: Option<u8>,
    /// The congestion control of the connections, if it differs from the node's own.
    pub congestion_control: Option<String>,
    /// The origin and the intervals of times.
    pub timebase: Timebase,
}

/// Origin and intervals of times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timebase {
    /// Value of `CLOCK_MONOTONIC` at the experiment's zero, in ns. It is negative if a node's own
    /// kernel is younger than the experiment. This clock runs at the rate of the experiment's time.
    pub zero: i64,
    /// Length of an interval of the reports.
    pub interval: Duration,
    /// How long an answer takes over the slowest way, without queues.
    pub round_trip: Duration,
    /// How long a receiver takes what is still under way when it is to end. The engine waits
    /// longer.
    pub drain: Duration,
}

/// Report of a sender, by the number of the interval since the experiment's zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SentReport {
    /// Sent traffic, by the interval of the intended time.
    pub intervals: BTreeMap<u64, Sent>,
    /// Arrivals of replies, if the sender itself counts them: by the interval of the intended time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<BTreeMap<u64, Arrived>>,
}

/// Traffic that was sent in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sent {
    /// Number of datagrams; none for TCP.
    pub packets: u64,
    /// Bytes: of frames for UDP and ICMP, of payload for TCP. A client counts the bytes that it
    /// got.
    pub bytes: u64,
    /// Number of datagrams or transfers that the sender itself sent more than 1 ms late.
    pub late: u64,
    /// Number of datagrams that the socket refused because its buffer was full.
    pub refused: u64,
    /// Number of transfers that began, by their intended time.
    pub flows: u64,
    /// Number of those transfers that the receiver has completely.
    pub completed: u64,
    /// Sum of the durations of completed transfers, from their intended times on, in ns.
    pub completion_sum: u64,
    /// Longest of these durations, in ns.
    pub completion_most: u64,
}

impl Sent {
    /// Adds what was sent in another interval.
    pub fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.late += other.late;
        self.refused += other.refused;
        self.flows += other.flows;
        self.completed += other.completed;
        self.completion_sum += other.completion_sum;
        self.completion_most = self.completion_most.max(other.completion_most);
    }
}

/// Report of a receiver, by flow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReceivedReport {
    /// Arrivals by the number of the sender and by interval: of the intended time of sending for
    /// UDP, of the arrival for TCP.
    pub flows: BTreeMap<u16, BTreeMap<u64, Arrived>>,
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
    let stop = stop::Stop::on_sigterm().context("cannot wait for SIGTERM")?;
    let order: Replay =
        serde_json::from_slice(order.as_bytes()).context("cannot understand the order")?;
    let capture = std::io::stdin().as_fd().try_clone_to_owned().context("there is no capture")?;
    let clock = Clock::new(order.timebase);
    let ready = || println!("{READY}");
    let report = replay::send(&order, capture.into(), (&clock, &stop), ready)?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn execute() -> Result<()> {
    // Before any thread starts, so that all threads leave the signal to the one that waits for it.
    let stop = stop::Stop::on_sigterm().context("cannot wait for SIGTERM")?;
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
    let base = clock.now();
    let end = order.time.map_or(u64::MAX, |time| base.saturating_add(time.as_nanos()));
    let sent = bulk::Counts::default();
    match &order.model {
        Model::Bulk(config) => bulk::send(order, config, to, end, (clock, stop), &sent)?,
        Model::Http(config) => http::ask(order, config, to, (base, end), (clock, stop), &sent)?,
        _ => flows::send(order, to, (base, end), (clock, stop), &sent)?,
    }
    let intervals = sent.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(SentReport { intervals, returned: None })
}

#[cfg(test)]
mod tests;
