//! Links as they are written.

use netloom_link::PipeChange;
use netloom_link::notation::Notations;
use schemars::JsonSchema;
use serde::Deserialize;

use super::values::{RawEndpoint, RawMtu};
use crate::address::IpPrefix;
use crate::decode::{Inline, Spanned};

/// Properties of a pipe: in the words of other tools, and in NetLoom's own beside them.
pub(crate) type RawPipe = Inline<Notations, PipeChange>;

/// A link: its own keys, and the properties of its pipes beside them.
pub(crate) type RawLink = Inline<RawLinkHead, RawPipe>;

/// What differs in one direction of a link: its cost, and the properties of its pipe beside it.
pub(crate) type RawDirection = Inline<RawDirectionHead, RawPipe>;

/// Properties of all links.
pub(crate) type RawLinkDefaults = Inline<RawLinkDefaultsHead, RawPipe>;

impl RawPipe {
    /// Everything that is said; complete once the strings of other tools have been taken over.
    pub fn change(&self) -> &PipeChange {
        &self.rest
    }
}

/// A link between two interfaces. Properties beside `endpoints` hold in both directions; `forward`
/// and `reverse` say what differs in one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "Link")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLinkHead {
    /// The link's name (default: `a--b` from its nodes, or `a:eth1--b:eth1` where two links join
    /// the same nodes).
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// The two ends, like `["a:eth1", "b:eth1"]`. Without an interface (`"a"`) the node's next free
    /// one of `eth1`, `eth2` … is taken. One end can be outside: `host:NAME`, `nat:NAME`,
    /// `macvlan:PARENT`, `device:NAME` or `tap:NAME`, with the name of a device of the machine.
    #[schemars(required, length(equal = 2))]
    pub endpoints: Option<Spanned<Vec<Spanned<RawEndpoint>>>>,
    /// Addresses of the machine with their prefix lengths, like `[172.30.0.1/24]`, where one end is
    /// `host:NAME` or `nat:NAME`.
    #[serde(default)]
    pub addresses: Vec<Spanned<IpPrefix>>,
    /// Whether the link is a pair of kernel devices (veth) that join the two nodes without the
    /// engine: as fast as the kernel is, and without properties.
    #[serde(default)]
    pub direct: bool,
    /// Whether a member of a medium makes it, and not the file.
    #[serde(skip)]
    pub joins_medium: bool,
    /// Whether that member is an access point.
    #[serde(skip)]
    pub has_access_point: bool,
    /// What differs from the first endpoint to the second.
    #[serde(default)]
    pub forward: RawDirection,
    /// What differs from the second endpoint to the first.
    #[serde(default)]
    pub reverse: RawDirection,
    /// Routing cost, for nodes with `routing: cost` (default 1).
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub cost: Option<u32>,
    /// Largest IP packet of both interfaces in bytes (default 1500).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
}

/// What differs in one direction beside the properties of its pipe.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "LinkDirection")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDirectionHead {
    /// Routing cost in this direction, for nodes with `routing: cost` (default: the link's).
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub cost: Option<u32>,
}

/// Properties of all links, in both directions.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "LinkDefaults")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLinkDefaultsHead {
    /// Routing cost, for nodes with `routing: cost` (default 1).
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub cost: Option<u32>,
    /// Largest IP packet of both interfaces in bytes (default 1500).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
}
