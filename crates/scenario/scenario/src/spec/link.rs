//! Links and their ends.

use std::fmt;

use netloom_link::PipeConfig;
use serde::{Deserialize, Serialize};

use super::{Cut, LinkLoad};
use crate::address::AddressError;
use crate::outside::Outside;

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
    /// Whether its ends may be on different machines.
    #[serde(default, skip_serializing_if = "Cut::is_auto")]
    pub cut: Cut,
    /// Expected traffic from the first end to the second, and back.
    #[serde(default, skip_serializing_if = "LinkLoad::are_empty")]
    pub loads: [LinkLoad; 2],
}

impl Link {
    /// Returns its name and its ends, for [`Called::of`].
    pub fn called(&self) -> (&str, [(&str, &str); 2]) {
        let ends = self.endpoints.each_ref().map(Endpoint::parts);
        (&self.name, ends)
    }

    /// Whether one end is outside the experiment.
    pub fn is_outside(&self) -> bool {
        let is_outside = |end: &Endpoint| Outside::of_name(&end.node).is_some();
        self.endpoints.iter().any(is_outside)
    }
}

impl Endpoint {
    /// Returns the names of the node and of the interface.
    pub fn parts(&self) -> (&str, &str) {
        (&self.node, &self.interface)
    }
}

/// The link that a user means by a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Called {
    /// There is none.
    Unknown,
    /// This one.
    One {
        /// Its place among all links.
        place: usize,
        /// Whether the name has its ends in the other order.
        turned: bool,
    },
    /// The name stands for several links, which have these places.
    Several(Vec<usize>),
}

impl Called {
    /// Finds the link that a user calls `name`: by its own name, or else by its ends, `a--b` or
    /// `a:eth1--b:eth1` in either order, if these are the ends of one link only. `links` are the
    /// names and ends, nodes and interfaces, of all links.
    pub fn of<'l>(
        name: &str,
        links: impl Iterator<Item = (&'l str, [(&'l str, &'l str); 2])>,
    ) -> Self {
        let mut found: Vec<(usize, bool)> = Vec::new();
        for (place, (own, [a, b])) in links.enumerate() {
            if own == name {
                return Self::One { place, turned: false };
            }
            // A node's name may have two hyphens, too.
            let mut halves = name.match_indices("--").map(|(at, _)| (&name[..at], &name[at + 2..]));
            let turned = halves.find_map(|(first, second)| {
                let fits = |a, b| is_end(first, a) && is_end(second, b);
                if fits(a, b) { Some(false) } else { fits(b, a).then_some(true) }
            });
            found.extend(turned.map(|turned| (place, turned)));
        }
        match found[..] {
            [] => Self::Unknown,
            [(place, turned)] => Self::One { place, turned },
            _ => Self::Several(found.into_iter().map(|(place, _)| place).collect()),
        }
    }
}

/// Whether a text is a node, or its interface.
fn is_end(text: &str, (node, interface): (&str, &str)) -> bool {
    let rest = text.strip_prefix(node);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':') == Some(interface))
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
