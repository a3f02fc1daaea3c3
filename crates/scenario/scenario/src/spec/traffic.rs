//! Traffic between nodes.

use netloom_traffic::{Model, Sizes};
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::Start;

/// Traffic that a run sends between nodes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Traffic {
    /// Unique name.
    pub name: String,
    /// Nodes that send, each independently.
    pub from: Vec<String>,
    /// Nodes that receive. If there are several, each burst, transfer, connection or packet goes to
    /// a random one that is not the sender.
    pub to: Vec<String>,
    /// Family of the receiver's address. Absent: IPv4 if the receiver has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<IpFamily>,
    /// Transport protocol.
    pub transport: Transport,
    /// Model of what is sent when. The random numbers of a sender are those of the stream
    /// `traffic/NAME/NODE`.
    pub model: Model,
    /// Lengths of frames, Ethernet header included. Not used by TCP, which chooses its own.
    pub sizes: Sizes,
    /// Time at which sending begins.
    pub start: Start,
    /// Duration of sending. Absent: until the model or the run ends.
    pub time: Option<Duration>,
    /// Whether the run ends without waiting for this traffic.
    pub background: bool,
}

/// A version of the Internet Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IpFamily {
    /// Version 4.
    Ipv4,
    /// Version 6.
    Ipv6,
}

/// Transport of traffic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// ICMP echo; only with the model `ping`.
    Icmp,
    /// Frames of a capture, which have their own headers; only with the model `replay`.
    Frames,
    /// A rate along the routes, without packets; only with the model `cbr`, from one node to one,
    /// and in simulated runs.
    Fluid,
    /// UDP, without feedback from the receiver.
    Udp {
        /// Port of the receiver.
        port: u16,
        /// DSCP of the packets.
        dscp: Option<u8>,
    },
    /// The TCP of the node.
    Tcp {
        /// Port of the receiver.
        port: u16,
        /// DSCP of the packets.
        dscp: Option<u8>,
        /// Congestion control. Absent: the node's own.
        congestion_control: Option<String>,
    },
}

impl Traffic {
    /// Returns the nodes that may receive from `sender`, in the order of `to`.
    pub fn receivers(&self, sender: &str) -> Vec<String> {
        self.to.iter().filter(|to| *to != sender).cloned().collect()
    }

    /// Describes who receives from `sender`: one name, several names, or a number of nodes.
    pub fn receivers_in_words(&self, sender: &str) -> String {
        match &self.receivers(sender)[..] {
            few @ ([] | [_] | [_, _] | [_, _, _]) => few.join(", "),
            many => format!("{} nodes", many.len()),
        }
    }

    /// Whether the traffic consists of transfers or requests, which begin and are completed.
    pub fn has_transfers(&self) -> bool {
        matches!(self.transport, Transport::Tcp { .. }) && !matches!(self.model, Model::Bulk(_))
    }

    /// Returns the name of the random stream of `sender`.
    pub fn stream(&self, sender: &str) -> String {
        format!("traffic/{}/{sender}", self.name)
    }
}

impl Transport {
    /// Returns the name of the protocol in results.
    pub const fn protocol(&self) -> &'static str {
        match self {
            Self::Icmp => "ping",
            Self::Frames => "replay",
            Self::Fluid => "fluid",
            Self::Udp { .. } => "udp",
            Self::Tcp { .. } => "tcp",
        }
    }

    /// Returns whether the transport is TCP, and the receiver's port. `None` if it has no ports.
    pub fn port(&self) -> Option<(bool, u16)> {
        match self {
            Self::Icmp | Self::Frames | Self::Fluid => None,
            Self::Udp { port, .. } => Some((false, *port)),
            Self::Tcp { port, .. } => Some((true, *port)),
        }
    }
}
