//! Links and their ends.

use std::fmt;

use netloom_link::PipeConfig;
use serde::{Deserialize, Serialize};

use crate::address::AddressError;

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Endpoint {
    /// Name of the node.
    pub node: String,
    /// Name of the interface.
    pub interface: String,
}

impl std::str::FromStr for Endpoint {
    type Err = AddressError;
    fn from_str(text: &str) -> Result<Self, AddressError> {
        match text.split_once(':') {
            Some((node, interface)) if !node.is_empty() && !interface.is_empty() => {
                Ok(Self { node: node.into(), interface: interface.into() })
            }
            _ => {
                Err(AddressError { text: text.into(), expected: "an interface, like `node:eth1`" })
            }
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.node, self.interface)
    }
}

/// A link: two pipes between two interfaces, or a pair of kernel devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// Unique name; by default `a--b` from its nodes, or `a:eth1--b:eth1` where two links join the
    /// same nodes.
    pub name: String,
    /// The two ends.
    pub endpoints: [Endpoint; 2],
    /// The pipe from the first end to the second.
    pub forward: PipeConfig,
    /// The pipe from the second end to the first.
    pub reverse: PipeConfig,
    /// Routing costs from the first end to the second, and back, for `routing: cost`.
    pub costs: [u32; 2],
    /// Whether the link is a pair of kernel devices (veth) that joins the two nodes without the
    /// engine. Both pipes then have default properties.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub direct: bool,
}

/// One direction of a link, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Both pipes (default).
    #[default]
    Both,
    /// From the first endpoint to the second.
    Forward,
    /// From the second endpoint to the first.
    Reverse,
}

impl Direction {
    /// Returns the directions of the pipes that this means.
    pub const fn of_pipes(self) -> &'static [netloom_link::Direction] {
        use netloom_link::Direction::{Forward, Reverse};
        match self {
            Self::Both => &[Forward, Reverse],
            Self::Forward => &[Forward],
            Self::Reverse => &[Reverse],
        }
    }
}
