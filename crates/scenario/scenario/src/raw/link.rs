//! Links, as the user wrote them.

use netloom_document::{Inline, Spanned, is_default};
use netloom_link::PipeChange;
use netloom_link::notation::Notations;
use serde::{Deserialize, Serialize};

use super::placement::RawLinkLoad;
use super::values::{RawEndpoint, RawMtu};
use crate::address::IpPrefix;
use crate::spec::Cut;

/// Properties of a pipe: those in the notation of other tools, and NetLoom's own.
pub(crate) type RawPipe = Inline<Notations, PipeChange>;

/// A link: its own keys, and the properties of its pipes.
pub(crate) type RawLink = Inline<RawLinkHead, RawPipe>;

/// Properties that differ in one direction of a link: the cost, and those of the pipe.
pub(crate) type RawDirection = Inline<RawDirectionHead, RawPipe>;

/// Properties of all links.
pub(crate) type RawLinkDefaults = Inline<RawLinkDefaultsHead, RawPipe>;

/// The properties among the keys of a pipe.
pub(crate) trait PipeKeys {
    /// Returns all properties of the pipe. They are complete only after those in the notation of
    /// other tools have been converted.
    fn change(&self) -> &PipeChange;
}

impl PipeKeys for RawPipe {
    fn change(&self) -> &PipeChange {
        &self.rest
    }
}

/// A link between two interfaces. Properties beside `endpoints` apply to both directions; `forward`
/// and `reverse` set those that differ in one direction.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Link"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLinkHead {
    /// Name of the link (default: `a--b` from the names of its nodes, or `a:eth1--b:eth1` if
    /// several links join the same nodes).
    #[serde(default)]
    pub name: Option<Spanned<String>>,
    /// The two ends, like `["a:eth1", "b:eth1"]`. An end without an interface (`"a"`) uses the
    /// node's next free one of `eth1`, `eth2` … One end can be outside: `host:NAME`, `nat:NAME`,
    /// `macvlan:PARENT`, `device:NAME` or `tap:NAME`, with the name of a device of the machine.
    #[cfg_attr(feature = "schema", schemars(required, length(equal = 2)))]
    pub endpoints: Option<Spanned<Vec<Spanned<RawEndpoint>>>>,
    /// Addresses of the machine with their prefix lengths, like `[172.30.0.1/24]`. Only for links
    /// with an end `host:NAME` or `nat:NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<Spanned<IpPrefix>>,
    /// Whether the link is a pair of kernel devices (veth) that joins the two nodes directly,
    /// without the engine. Such a link is as fast as the kernel and has no properties.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub direct: bool,
    /// Whether the link was made for a member of a medium, and is not in the file.
    #[serde(skip)]
    pub joins_medium: bool,
    /// Whether that member is an access point.
    #[serde(skip)]
    pub has_access_point: bool,
    /// Properties of the direction from the first endpoint to the second.
    #[serde(default, skip_serializing_if = "is_default")]
    pub forward: RawDirection,
    /// Properties of the direction from the second endpoint to the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reverse: RawDirection,
    /// Routing cost for nodes with `routing: cost` (default 1).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub cost: Option<u32>,
    /// MTU of both interfaces: largest IP packet in bytes (default 1500).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
    /// Whether its ends may be on different machines: `auto` (default) if its delay covers the time
    /// that frames take between the machines; `never`; or `any`: always, even if frames are late.
    #[serde(default)]
    pub cut: Option<Spanned<Cut>>,
    /// Expected traffic in each direction, like `{rate: 20Mbit/s, frame: 200B}`, which decides how
    /// nodes are placed on several machines.
    #[serde(default)]
    pub load: Option<RawLinkLoad>,
}

/// Keys of one direction of a link, apart from the properties of its pipe.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkDirection"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDirectionHead {
    /// Routing cost in this direction for nodes with `routing: cost` (default: the link's cost).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub cost: Option<u32>,
    /// Expected traffic in this direction.
    #[serde(default)]
    pub load: Option<RawLinkLoad>,
}

/// Properties of all links, in both directions.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LinkDefaults"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawLinkDefaultsHead {
    /// Routing cost for nodes with `routing: cost` (default 1).
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub cost: Option<u32>,
    /// MTU of both interfaces: largest IP packet in bytes (default 1500).
    #[serde(default)]
    pub mtu: Option<RawMtu>,
    /// Whether its ends may be on different machines: `auto` (default) if its delay covers the time
    /// that frames take between the machines; `never`; or `any`: always, even if frames are late.
    #[serde(default)]
    pub cut: Option<Spanned<Cut>>,
    /// Expected traffic in each direction, like `{rate: 20Mbit/s, frame: 200B}`, which decides how
    /// nodes are placed on several machines.
    #[serde(default)]
    pub load: Option<RawLinkLoad>,
}
