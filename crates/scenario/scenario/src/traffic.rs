//! Traffic between nodes, resolved.

use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::spec::Start;

/// Traffic from nodes to a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Unique name.
    pub name: String,
    /// The nodes that send: each has a flow.
    pub from: Vec<String>,
    /// The node that receives.
    pub to: String,
    /// The family of the receiver's address; by default IPv4 if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<IpFamily>,
    /// What is sent.
    pub sends: Sends,
    /// When it begins.
    pub start: Start,
    /// How long it lasts at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasts: Option<Duration>,
    /// Whether the run ends without waiting for it.
    #[serde(default)]
    pub background: bool,
}

/// A version of the Internet Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IpFamily {
    /// Version 4.
    Ipv4,
    /// Version 6.
    Ipv6,
}

/// What a flow sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sends {
    /// Echo requests, as ping(8).
    Ping {
        /// Time from one to the next.
        interval: Duration,
        /// How many; nothing for no end.
        count: Option<u32>,
        /// Bytes behind the ICMP header.
        payload: u32,
    },
    /// As much as TCP connections carry.
    Bulk {
        /// The receiver's port.
        port: u16,
        /// Differentiated services code point, 0 to 63.
        dscp: u8,
        /// How much each carries; nothing for no end.
        bytes: Option<u64>,
        /// How many connections there are.
        connections: u32,
        /// The congestion control; by default that of the node.
        congestion_control: Option<String>,
        /// Bound of the window that the receiver advertises, in bytes.
        max_window: Option<u32>,
        /// Bound of the maximum segment size, in bytes.
        mss: Option<u16>,
    },
    /// UDP datagrams.
    Udp {
        /// The receiver's port.
        port: u16,
        /// Differentiated services code point, 0 to 63.
        dscp: u8,
        /// When.
        model: Model,
        /// Lengths of the Ethernet frames.
        size: Sizes,
    },
}
