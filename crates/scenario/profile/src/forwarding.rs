//! How much traffic nodes of one machine may send each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of one kind of traffic the machine bears in one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Forwarding {
    /// The network.
    pub network: Shape,
    /// The kind of traffic.
    pub traffic: Traffic,
    /// The most that was borne; nothing if the least that was tried was too much.
    pub edge: Option<Edge>,
    /// The least that was not borne; nothing if the most that was tried was.
    pub beyond: Option<NotBorne>,
}

/// A network without rates on its links, each of which delays by 1 ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Two hosts, and routers in a row between them: one sends to the other.
    Chain {
        /// Links on the way.
        hops: u32,
    },
    /// A router with a host at each port: each host sends through the router to the next one. The
    /// most that is borne is the maximum network provision MNP(i) of a node with i ports (Zheng
    /// 2003, §3.5.1).
    Node {
        /// Ports of the router.
        ports: u32,
    },
}

impl Shape {
    /// Hosts that send.
    pub fn flows(self) -> u32 {
        match self {
            Self::Chain { .. } => 1,
            Self::Node { ports } => ports,
        }
    }

    /// Links on the way of each frame.
    pub fn hops(self) -> u32 {
        match self {
            Self::Chain { hops } => hops,
            Self::Node { .. } => 2,
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&match self {
            Self::Chain { hops: 1 } => "chain of 1 hop".into(),
            Self::Chain { hops } => format!("chain of {hops} hops"),
            Self::Node { ports } => format!("node with {ports} ports"),
        })
    }
}

/// A kind of traffic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Traffic {
    /// UDP in Ethernet frames of 60 bytes, the least there is, without FCS.
    Udp60,
    /// UDP in Ethernet frames of 1514 bytes, the most at an MTU of 1500, without FCS.
    Udp1514,
    /// One TCP connection for each flow, 64 KiB at a time. The kernel hands over many segments at
    /// once.
    Tcp,
}

impl Traffic {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Udp60, Self::Udp1514, Self::Tcp];

    /// What one write of a sender carries, in bytes.
    pub fn payload(self) -> usize {
        match self {
            // Ethernet, IPv4 and UDP headers are 42 bytes.
            Self::Udp60 => 60 - 42,
            Self::Udp1514 => 1514 - 42,
            Self::Tcp => 64 << 10,
        }
    }

    /// What one write counts for in [`Edge::bits_per_second`], in bits: of UDP the frame, of TCP
    /// the payload.
    pub fn bits(self) -> f64 {
        8.0 * match self {
            Self::Udp60 => 60.0,
            Self::Udp1514 => 1514.0,
            Self::Tcp => self.payload() as f64,
        }
    }
}

impl std::fmt::Display for Traffic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Udp60 => "UDP, 60-byte frames",
            Self::Udp1514 => "UDP, 1514-byte frames",
            Self::Tcp => "TCP",
        })
    }
}

/// The most that was borne: every frame arrived, none was lost outside the model or late, and every
/// sender kept its pace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// What arrived, all flows together, in bit/s: of UDP Ethernet frames without FCS, of TCP the
    /// payload.
    pub bits_per_second: f64,
    /// UDP frames that arrived in a second, all flows together; nothing for TCP, whose segments are
    /// not counted.
    pub frames_per_second: Option<f64>,
    /// The most that links carried in 10 ms, all links of the network together, in bit/s: what the
    /// signal `net_internal` measures.
    pub peak_bits_per_second: f64,
}

/// The least that was not borne.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotBorne {
    /// What was to be sent, all flows together, in bit/s as in [`Edge::bits_per_second`].
    pub bits_per_second: f64,
    /// What showed that it was too much, in words.
    pub why: String,
}
