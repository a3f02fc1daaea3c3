//! Flows of traffic, and what was counted of them at both ends.

use netloom_link::Count;
use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A flow from one node to another.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FlowStatus {
    /// Its name: that of its entry in `traffic`, and which of several it is.
    pub name: String,
    /// The node that sends.
    pub from: String,
    /// The node that receives, or the address.
    pub to: String,
    /// What is sent: `ping`, `udp` or `tcp`.
    pub protocol: String,
    /// Packets that were sent, and their payload.
    pub sent: Count,
    /// Packets that arrived for the first time, and their payload; of a ping, the replies.
    pub received: Count,
    /// Packets that arrived once more.
    pub duplicated: u64,
    /// Packets that arrived after one that was sent later.
    pub reordered: u64,
    /// Packets that could not be sent, as their node had no route.
    pub refused: u64,
    /// Error messages that came back.
    pub errors: u64,
    /// Time on the way; of a ping, there and back. Absent while nothing has arrived.
    pub delay: Option<FlowDelay>,
    /// Interarrival jitter (RFC 3550), in ns; of several receivers the greatest.
    pub jitter_ns: f64,
    /// When all of it had been delivered, in ns since the network was ready, if it has an end and
    /// has reached it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Time>,
    /// What became of its transfers, or requests, if it is made of such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfers: Option<TransferStatus>,
    /// What the sending ends of its connections show, if it is TCP: sums over all of them, of
    /// times the first one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpStatus>,
}

/// Transfers over TCP, or requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TransferStatus {
    /// Those that have begun.
    pub begun: u64,
    /// Those of them that the receiver, or the client, has whole.
    pub completed: u64,
    /// How long the completed ones took, from the time that the model meant: the mean, in ns.
    pub mean_ns: Option<f64>,
    /// The longest of these times, in ns.
    pub max_ns: Option<u64>,
}

/// The fields of TCP_INFO.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TcpStatus {
    /// Connections.
    pub connections: u32,
    /// Congestion window, in packets.
    pub cwnd: u64,
    /// Slow-start threshold in packets; absent before the first reduction.
    pub ssthresh: Option<u64>,
    /// Packets in flight.
    pub in_flight: u64,
    /// Smoothed round-trip time, in ns.
    pub srtt_ns: u64,
    /// Deviation of the round-trip time, in ns.
    pub rttvar_ns: u64,
    /// Retransmission timeout, in ns.
    pub rto_ns: u64,
    /// The least round-trip time of the past minutes, in ns.
    pub min_rtt_ns: u64,
    /// The latest delivery rate, in bytes per second.
    pub delivery_rate: u64,
    /// Bytes that the other end has acknowledged.
    pub acked_bytes: u64,
    /// Packets retransmitted.
    pub retransmitted: u64,
    /// Packets deemed lost.
    pub lost: u64,
    /// Packets delivered whose acknowledgement echoed a mark.
    pub marked: u64,
}

/// How long packets of a flow took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlowDelay {
    /// Shortest, in ns.
    pub min_ns: u64,
    /// Mean, in ns.
    pub mean_ns: f64,
    /// Longest, in ns.
    pub max_ns: u64,
    /// Median, in ns, within 1 %.
    pub p50_ns: u64,
    /// 99th percentile, in ns, within 1 %.
    pub p99_ns: u64,
}
