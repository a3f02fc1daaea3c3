//! Traffic between nodes.

use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Start;

/// Traffic that a run sends between nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Traffic {
    /// Unique name.
    pub name: String,
    /// The nodes that send, each by itself.
    pub from: Vec<String>,
    /// The nodes that receive: of several, a random one each time, which is not the sender.
    pub to: Vec<String>,
    /// The family of the receiver's address; by default IPv4 if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<IpFamily>,
    /// What it goes over.
    pub transport: Transport,
    /// What is sent when. The random numbers of a sender are those of the stream
    /// `traffic/NAME/NODE`.
    pub model: Model,
    /// Lengths of frames, Ethernet header included. TCP makes its own.
    pub sizes: Sizes,
    /// When it begins.
    pub start: Start,
    /// For how long it sends; without it, until the model or the run ends.
    pub time: Option<Duration>,
    /// Whether the run ends without waiting for it.
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

/// What traffic goes over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// ICMP echo, which the model `ping` asks for.
    Icmp,
    /// Frames of a capture, which the model `replay` asks for: they have their own headers.
    Frames,
    /// UDP: an open loop.
    Udp {
        /// The receiver's port.
        port: u16,
        /// The code point of the packets.
        dscp: Option<u8>,
    },
    /// The node's own TCP.
    Tcp {
        /// The receiver's port.
        port: u16,
        /// The code point of the packets.
        dscp: Option<u8>,
        /// The congestion control, if not the node's own.
        congestion_control: Option<String>,
    },
}

impl Traffic {
    /// The nodes among which those are drawn that receive from `sender`, in their order.
    pub fn receivers(&self, sender: &str) -> Vec<String> {
        self.to.iter().filter(|to| *to != sender).cloned().collect()
    }

    /// Who receives from `sender`, in words: a name, several, or how many they are.
    pub fn receivers_in_words(&self, sender: &str) -> String {
        match &self.receivers(sender)[..] {
            few @ ([] | [_] | [_, _] | [_, _, _]) => few.join(", "),
            many => format!("{} nodes", many.len()),
        }
    }

    /// Whether it is transfers, or requests, which begin and are completed.
    pub fn has_transfers(&self) -> bool {
        matches!(self.transport, Transport::Tcp { .. }) && !matches!(self.model, Model::Bulk(_))
    }

    /// The name of the random numbers of `sender`.
    pub fn stream(&self, sender: &str) -> String {
        format!("traffic/{}/{sender}", self.name)
    }
}

impl Transport {
    /// Its name in results.
    pub const fn protocol(&self) -> &'static str {
        match self {
            Self::Icmp => "ping",
            Self::Frames => "replay",
            Self::Udp { .. } => "udp",
            Self::Tcp { .. } => "tcp",
        }
    }

    /// Whether it is TCP, and the receiver's port, if it has ports.
    pub fn port(&self) -> Option<(bool, u16)> {
        match self {
            Self::Icmp | Self::Frames => None,
            Self::Udp { port, .. } => Some((false, *port)),
            Self::Tcp { port, .. } => Some((true, *port)),
        }
    }
}
