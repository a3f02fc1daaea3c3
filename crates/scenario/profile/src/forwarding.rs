//! How much traffic nodes of one machine may send each other.

use serde::{Deserialize, Serialize};

/// How much of one kind of traffic the machine bears in one network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Forwarding {
    /// The network.
    pub network: Shape,
    /// The kind of traffic.
    pub traffic: Traffic,
    /// The highest load that was borne; absent if even the lowest one that was tried was too much.
    pub edge: Option<Edge>,
    /// The lowest load that was not borne; absent if even the highest one that was tried was borne.
    pub beyond: Option<NotBorne>,
}

/// A network whose links have no rates and a delay of 1 ms each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Two hosts, with routers in a row between them. One host sends to the other.
    Chain {
        /// Number of links on the way.
        hops: u32,
    },
    /// A router with a host at each port. Each host sends through the router to the next one. The
    /// highest load that is borne is the maximum network provision MNP(i) of a node with i ports
    /// (Zheng 2003, §3.5.1).
    Node {
        /// Number of the router's ports.
        ports: u32,
    },
}

impl Shape {
    /// Number of sending hosts.
    pub fn flows(self) -> u32 {
        match self {
            Self::Chain { .. } => 1,
            Self::Node { ports } => ports,
        }
    }

    /// Number of links on the way of each frame.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Traffic {
    /// UDP in Ethernet frames of 60 bytes, the minimum without FCS.
    Udp60,
    /// UDP in Ethernet frames of 1514 bytes, the maximum at an MTU of 1500, without FCS.
    Udp1514,
    /// One TCP connection for each flow, in writes of 64 KiB. The kernel hands over many segments
    /// at once.
    Tcp,
}

impl Traffic {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Udp60, Self::Udp1514, Self::Tcp];

    /// Payload of one write of a sender, in bytes.
    pub fn payload(self) -> usize {
        match self {
            // Ethernet, IPv4 and UDP headers are 42 bytes.
            Self::Udp60 => 60 - 42,
            Self::Udp1514 => 1514 - 42,
            Self::Tcp => 64 << 10,
        }
    }

    /// Bits of one write that count in [`Edge::bits_per_second`]: the frame for UDP, the payload
    /// for TCP.
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

/// The highest load that was borne: every frame arrived, no frame was late or lost outside the
/// model, and every sender kept its pace.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Edge {
    /// Traffic that arrived, all flows together, in bit/s: Ethernet frames without FCS for UDP, the
    /// payload for TCP.
    pub bits_per_second: f64,
    /// UDP frames that arrived in a second, all flows together. Absent for TCP, whose segments are
    /// not counted.
    pub frames_per_second: Option<f64>,
    /// The most that all links of the network together carried in 10 ms, in bit/s. The signal
    /// `net_internal` measures this.
    pub peak_bits_per_second: f64,
}

/// The lowest load that was not borne.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotBorne {
    /// Traffic that was to be sent, all flows together, in bit/s as in [`Edge::bits_per_second`].
    pub bits_per_second: f64,
    /// Evidence that the load was too high, in words.
    pub why: String,
}
