//! Orders to send and to receive, and the reports of both.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use netloom_api::flow::TcpStatus;
use netloom_link::Delays;
use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::tally::Arrived;
use crate::traffic::Protocol;

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
    pub(super) const fn header(self) -> u32 {
        match self {
            Self::V4 => 20,
            Self::V6 => 40,
        }
    }

    /// The unspecified address.
    pub(super) const fn any(self) -> IpAddr {
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
    /// When a sender begins, from zero on; without it, as soon as it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin: Option<Duration>,
}

/// Report of a sender, by the number of the interval since the experiment's zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SentReport {
    /// Sent traffic, by the interval of the intended time.
    pub intervals: BTreeMap<u64, Sent>,
    /// Arrivals of replies, if the sender itself counts them: by the interval of the intended time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returned: Option<BTreeMap<u64, Arrived>>,
    /// Round-trip times of these replies.
    #[serde(default, skip_serializing_if = "Delays::is_empty")]
    pub delays: Delays,
    /// State of the sender's connections at their end, if it has opened any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpStatus>,
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
    /// Number of datagrams that never left: the socket refused them because its buffer was full,
    /// or the node had no route.
    pub refused: u64,
    /// Number of those for which the node had no route.
    #[serde(default)]
    pub unreachable: u64,
    /// Number of transfers that began, by their intended time.
    pub flows: u64,
    /// Number of those transfers that the receiver has completely.
    pub completed: u64,
    /// Sum of the durations of completed transfers, from their intended times on, in ns.
    pub completion_sum: u64,
    /// Longest of these durations, in ns.
    pub completion_most: u64,
    /// State of the sender's connections when it first wrote in this interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpStatus>,
}

impl Sent {
    /// Counts a datagram that never left. `unreachable` says whether the node had no route.
    pub fn refuse(&mut self, unreachable: bool) {
        self.refused += 1;
        self.unreachable += u64::from(unreachable);
    }

    /// Adds what was sent in another interval.
    pub fn add(&mut self, other: &Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
        self.late += other.late;
        self.refused += other.refused;
        self.unreachable += other.unreachable;
        self.flows += other.flows;
        self.completed += other.completed;
        self.completion_sum += other.completion_sum;
        self.completion_most = self.completion_most.max(other.completion_most);
        self.tcp = other.tcp.or(self.tcp);
    }
}

/// Report of a receiver, by flow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReceivedReport {
    /// Arrivals by the number of the sender and by interval: of the intended time of sending for
    /// UDP, of the arrival for TCP.
    pub flows: BTreeMap<u16, BTreeMap<u64, Arrived>>,
    /// One-way delays of all datagrams, by the number of the sender.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub delays: BTreeMap<u16, Delays>,
}
