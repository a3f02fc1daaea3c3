//! Which nodes reach which: `POST /v1/ping`.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whom to ask for what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingRequest {
    /// The nodes, each of which pings every other.
    pub nodes: Vec<String>,
    /// The address families in which they do.
    pub families: Vec<Family>,
    /// How many echo requests a node sends at most to reach another, one a second.
    pub tries: u16,
}

/// An address family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

impl Family {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ipv4, Self::Ipv6];

    /// Whether an address is of this family.
    pub fn has(self, address: IpAddr) -> bool {
        address.is_ipv6() == (self == Self::Ipv6)
    }

    /// As people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ipv4 => "IPv4",
            Self::Ipv6 => "IPv6",
        }
    }
}

/// Whether a node has reached another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reach {
    /// The node that asked.
    pub from: String,
    /// The node that was asked.
    pub to: String,
    /// The address that the name of the other stands for.
    pub address: IpAddr,
    /// Echo requests that were sent.
    pub sent: u16,
    /// Round-trip time of the first that was answered, in ms; `None` if none was.
    pub rtt_ms: Option<f64>,
    /// Why none could be sent, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
