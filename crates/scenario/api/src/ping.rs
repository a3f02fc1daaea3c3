//! Which nodes reach each other: `POST /v1/ping`.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

/// Nodes to ping, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PingRequest {
    /// Nodes, each of which pings every other.
    pub nodes: Vec<String>,
    /// Address families to ping with.
    pub families: Vec<Family>,
    /// Largest number of echo requests that a node sends to another, one each second.
    pub tries: u16,
}

/// An address family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

impl Family {
    /// Both families.
    pub const ALL: [Self; 2] = [Self::Ipv4, Self::Ipv6];

    /// Whether an address is of this family.
    pub fn has(self, address: IpAddr) -> bool {
        address.is_ipv6() == (self == Self::Ipv6)
    }

    /// Returns the usual name of the family.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ipv4 => "IPv4",
            Self::Ipv6 => "IPv6",
        }
    }
}

/// Result of one node pinging another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reach {
    /// Node that pinged.
    pub from: String,
    /// Node that was pinged.
    pub to: String,
    /// Address that the pinged node's name resolves to, or the first that the node has otherwise.
    pub address: IpAddr,
    /// Number of echo requests that were sent.
    pub sent: u16,
    /// Round-trip time of the first request that was answered, in ms. Null if none was.
    pub rtt_ms: Option<f64>,
    /// Why no request could be sent. Absent if requests were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
