//! Traffic between nodes as it is written.

use std::fmt;

use netloom_link::Dscps;
use netloom_traffic::{ModelKeys, Sizes};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::timeline::RawStart;
use super::values::RawTime;
use crate::decode::{Inline, Spanned};
use crate::spec::IpFamily;

/// Traffic that a run sends between nodes: one model, over `udp` or `tcp`; `ping` over neither.
pub(crate) type RawTraffic = Inline<RawTrafficHead, ModelKeys>;

/// What an entry says beside its model.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "TrafficHead")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTrafficHead {
    /// The entry's name.
    #[schemars(required)]
    pub name: Option<Spanned<String>>,
    /// The node that sends, or `{group: NAME}`: each of its nodes sends by itself.
    #[schemars(required)]
    pub from: Option<Spanned<RawParties>>,
    /// The node that receives, or `{group: NAME}`: a random one of its nodes each time, for each
    /// burst, transfer or connection, and for each packet of a model that has none of these.
    #[schemars(required)]
    pub to: Option<Spanned<RawParties>>,
    /// `ipv4` or `ipv6` (default: IPv4 where the receiver has it). In emulated runs it is IPv4.
    #[serde(default)]
    pub family: Option<IpFamily>,
    /// It goes over UDP, at the times of the model, whatever becomes of it.
    #[serde(default)]
    pub udp: Option<Spanned<RawUdp>>,
    /// It goes over the node's own TCP.
    #[serde(default)]
    pub tcp: Option<Spanned<RawTcp>>,
    /// Lengths of frames over UDP, Ethernet header included: `1514B` (default; of `ping` `98B`),
    /// `imix`, a list with weights, or `{file: FILE}`.
    #[serde(default)]
    pub size: Option<Spanned<Sizes>>,
    /// When it begins (default `0s`: as soon as the network is ready).
    #[serde(default)]
    pub start: Option<Spanned<RawStart>>,
    /// For how long it sends (default: until the model or the run ends).
    #[serde(default, rename = "for")]
    pub time: Option<RawTime>,
    /// Whether the run ends without waiting for it (default false).
    #[serde(default)]
    pub background: bool,
}

/// Who sends, or receives.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(rename = "NodeOrGroup", untagged)]
pub(crate) enum RawParties {
    /// A node.
    Node(String),
    /// All nodes of a group.
    Group(RawGroup),
}

impl<'de> Deserialize<'de> for RawParties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartiesVisitor;
        impl<'de> Visitor<'de> for PartiesVisitor {
            type Value = RawParties;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a node, or `{group: NAME}`")
            }
            fn visit_str<E: Error>(self, node: &str) -> Result<RawParties, E> {
                Ok(RawParties::Node(node.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawParties, A::Error> {
                let group = RawGroup::deserialize(MapAccessDeserializer::new(access));
                group.map(RawParties::Group)
            }
        }
        deserializer.deserialize_any(PartiesVisitor)
    }
}

/// All nodes of a group.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "NamedGroup")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGroup {
    /// Its name.
    pub group: String,
}

/// What traffic over UDP can be told.
#[derive(Debug, Clone, Default, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Udp")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawUdp {
    /// The receiver's port (default: 47000 and the number of the entry, counted from 0; from the
    /// 18,537th entry on, the first from 47000 on that no receiver of it has yet).
    #[serde(default)]
    pub port: Option<u16>,
    /// The code point of the packets: a number from 0 to 63, or a name like `ef`.
    #[serde(default)]
    pub dscp: Option<Dscps>,
}

/// What traffic over TCP can be told.
#[derive(Debug, Clone, Default, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Tcp")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTcp {
    /// The receiver's port (default: 47000 and the number of the entry, counted from 0; from the
    /// 18,537th entry on, the first from 47000 on that no receiver of it has yet).
    #[serde(default)]
    pub port: Option<u16>,
    /// The code point of the packets: a number from 0 to 63, or a name like `ef`.
    #[serde(default)]
    pub dscp: Option<Dscps>,
    /// The congestion control, like `cubic` (default: the node's own).
    #[serde(default)]
    pub congestion_control: Option<String>,
}
