//! Traffic of a scenario in real nodes: the hidden role `netloom __traffic` without an argument. It
//! takes an [`Order`] in JSON from its standard input, prints [`READY`] once it can begin, and a
//! line of JSON at its end, which SIGTERM brings about, too. With the arguments `replay ORDER` it
//! takes a capture from its standard input instead.
//!
//! | file | what |
//! |---|---|
//! | `wire` | what a datagram carries: flow, number, time of sending |
//! | `send`, `receive` | UDP: frames of a model at their times, and who counts them |
//! | `tally` | what came of a flow: losses, order, delay, jitter |
//! | `ping` | echo requests, and their replies |
//! | `replay` | frames of a capture |
//! | `connection`, `bulk`, `flows` | TCP: as much as the path takes, and transfers at their times |
//! | `http` | clients and servers |
//! | `accept` | who counts what TCP brings |
//! | `clock` | the experiment's clock |
//! | `stop` | the wish that it ends |

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

/// What a process is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Send; prints a [`SentReport`].
    Send(Box<Send>),
    /// Count what comes; prints a [`ReceivedReport`].
    Receive(Receive),
}

/// What to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// What it goes over.
    pub over: Over,
    /// The receivers' host names: of several, a random one each time.
    pub to: Vec<String>,
    /// The version of IP.
    pub ip: Ip,
    /// Their port.
    pub port: u16,
    /// The number of this sender among those to one receiver.
    pub flow: u16,
    /// When what is sent.
    pub model: Model,
    /// Lengths of frames, Ethernet header included.
    pub sizes: Sizes,
    /// The experiment's seed.
    pub seed: u64,
    /// The name of the stream of random numbers.
    pub stream: String,
    /// For how long (without: until SIGTERM, or the model's own end).
    pub time: Option<Duration>,
    /// The code point of the packets.
    pub dscp: Option<u8>,
    /// TCP's congestion control, if not the node's own.
    pub congestion_control: Option<String>,
    /// How times are reckoned.
    pub reckoning: Reckoning,
}

/// What traffic goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
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
    /// Bytes of its header.
    const fn header(self) -> u32 {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }

    /// The address of no host in particular.
    const fn any(self) -> IpAddr {
        match self {
            Self::V4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Self::V6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        }
    }
}

/// What to receive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receive {
    /// The protocol.
    pub protocol: Protocol,
    /// The version of IP.
    pub ip: Ip,
    /// The port to listen on.
    pub port: u16,
    /// Whether it serves HTTP.
    pub serves: bool,
    /// The code point of a server's packets.
    pub dscp: Option<u8>,
    /// A server's congestion control, if not the node's own.
    pub congestion_control: Option<String>,
    /// How times are reckoned.
    pub reckoning: Reckoning,
}

/// How times are reckoned.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reckoning {
    /// What `CLOCK_MONOTONIC` shows at the experiment's zero, in ns: below zero for a kernel of a
    /// node's own that is younger than the experiment. It passes as the experiment's time does.
    pub zero: i64,
    /// How long an interval of the reports is.
    pub interval: Duration,
}

/// What was sent, by the number of the interval from the experiment's zero on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SentReport {
    /// By interval of the intended time.
    pub intervals: BTreeMap<u64, Sent>,
    /// What came back, if the sender itself counts that: by interval of the intended time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<BTreeMap<u64, Arrived>>,
}

/// What was sent in one interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sent {
    /// Datagrams. Of TCP there are none.
    pub packets: u64,
    /// Bytes: of frames over UDP and ICMP, of payload over TCP; of a client those that it got.
    pub bytes: u64,
    /// Datagrams or transfers that the sender itself was more than 1 ms late with.
    pub late: u64,
    /// Datagrams that the socket refused: its buffer was full.
    pub refused: u64,
    /// Transfers that began, by their intended time.
    pub flows: u64,
    /// Those of them that the receiver has whole.
    pub completed: u64,
    /// How long these took together, from their intended times on, in ns.
    pub completion_sum: u64,
    /// The longest of these times, in ns.
    pub completion_most: u64,
}

/// What was received, by flow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReceivedReport {
    /// By number of the sender, and by interval: over UDP of the intended time of sending, over TCP
    /// of the arrival.
    pub flows: BTreeMap<u16, BTreeMap<u64, Arrived>>,
}

/// Obeys the order on standard input; its exit code.
pub fn main() -> i32 {
    code(obey())
}

/// The argument in front of an order to replay, which is an argument, too: standard input is the
/// capture.
pub const REPLAY: &str = "replay";

/// Obeys an order to replay, [`Replay`] in JSON; its exit code. It prints a [`SentReport`].
pub fn replay(order: &str) -> i32 {
    code(obey_replay(order))
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

fn obey_replay(order: &str) -> Result<()> {
    let stop = stop::Stop::on_sigterm().context("cannot wait for SIGTERM")?;
    let order: Replay = serde_json::from_str(order).context("cannot understand the order")?;
    let capture = std::io::stdin().as_fd().try_clone_to_owned().context("there is no capture")?;
    let clock = Clock::new(order.reckoning);
    let ready = || println!("{READY}");
    let report = replay::send(&order, capture.into(), (&clock, &stop), ready)?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn obey() -> Result<()> {
    // Before any thread begins, so that all of them leave the signal to the one that waits for it.
    let stop = stop::Stop::on_sigterm().context("cannot wait for SIGTERM")?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).context("cannot read the order")?;
    let order: Order = serde_json::from_str(&text).context("cannot understand the order")?;
    let ready = || println!("{READY}");
    let report = match order {
        Order::Send(order) => {
            let clock = Clock::new(order.reckoning);
            let report = match order.over {
                Over::Icmp => ping::send(&order, &send::resolve(&order)?, (&clock, &stop), ready)?,
                Over::Udp => send::send(&order, &clock, &stop, ready)?,
                Over::Tcp => over_tcp(&order, &clock, &stop, ready)?,
            };
            serde_json::to_string(&report)?
        }
        Order::Receive(order) => {
            let clock = Clock::new(order.reckoning);
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

/// Sends over TCP as ordered, from when it is `ready` on.
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
