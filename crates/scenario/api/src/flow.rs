//! Flows of traffic, and what was counted of them at both ends.

use netloom_link::Count;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A flow from one node to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Interarrival jitter (RFC 3550), in ns.
    pub jitter_ns: f64,
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
