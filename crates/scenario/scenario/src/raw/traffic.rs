//! Traffic between nodes, as the user wrote it.

use std::fmt;

use netloom_document::{Inline, Spanned, is_default};
use netloom_link::Dscps;
use netloom_traffic::{ModelKeys, RateUnit, Sizes};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::timeline::RawStart;
use super::values::RawTime;
use crate::spec::IpFamily;

/// Traffic between nodes: one model, over `udp` or `tcp`. The models `ping` and `replay` use
/// neither. With `matrix`, constant rates between many nodes.
pub(crate) type RawTraffic = Inline<RawTrafficHead, RawModel>;

/// The keys of traffic models, of which an entry has one.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct RawModel(pub ModelKeys);

#[cfg(feature = "schema")]
impl JsonSchema for RawModel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        ModelKeys::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ModelKeys::json_schema(generator)
    }
}

/// Keys of a traffic entry, apart from its model.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TrafficHead"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTrafficHead {
    /// Name of the entry.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub name: Option<Spanned<String>>,
    /// Node that sends, or `{group: NAME}`: each node of the group sends independently. Required
    /// without `matrix`.
    #[serde(default)]
    pub from: Option<Spanned<RawParties>>,
    /// Node that receives, or `{group: NAME}`: a random node of the group for each burst, transfer
    /// or connection, or for each packet if the model has none of these. Required without `matrix`.
    #[serde(default)]
    pub to: Option<Spanned<RawParties>>,
    /// Constant rates between nodes, from a file; instead of `from`, `to`, `tcp` and a model.
    #[serde(default)]
    pub matrix: Option<Spanned<RawMatrix>>,
    /// Address family, `ipv4` or `ipv6` (default: IPv4 if the receiver has it). Emulated runs use
    /// IPv4.
    #[serde(default)]
    pub family: Option<IpFamily>,
    /// Sends over UDP, at the times of the model, regardless of losses.
    #[serde(default)]
    pub udp: Option<Spanned<RawUdp>>,
    /// Sends over the TCP of the node.
    #[serde(default)]
    pub tcp: Option<Spanned<RawTcp>>,
    /// Lengths of frames over UDP, Ethernet header included: `1514B` (default; for `ping` `98B`),
    /// `imix`, a list with weights, or `{file: FILE}`.
    #[serde(default)]
    pub size: Option<Spanned<Sizes>>,
    /// Time at which sending begins (default `0s`: as soon as the network is ready).
    #[serde(default)]
    pub start: Option<Spanned<RawStart>>,
    /// Duration of sending (default: until the model or the run ends).
    #[serde(default, rename = "for")]
    pub time: Option<RawTime>,
    /// Whether the run ends without waiting for this traffic (default false).
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub background: bool,
}

/// A demand matrix.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Matrix"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMatrix {
    /// File with rows `from,to,rate`, a square table of names and rates, or a network in SNDlib's
    /// native format.
    pub file: Spanned<String>,
    /// Unit of the rates: `bit/s`, `kbit/s`, `Mbit/s` or `Gbit/s`.
    pub unit: RateUnit,
    /// Form of the traffic (default `packets`).
    #[serde(default, rename = "as", skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub form: RawMatrixForm,
    /// Factor of all rates, above 0 (default 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
}

/// Form of the demands of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MatrixForm"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum RawMatrixForm {
    /// Datagrams over UDP at a constant rate.
    #[default]
    Packets,
    /// Rates along the routes, without packets; in simulated runs only.
    Fluid,
}

/// Senders or receivers of traffic.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "NodeOrGroup", untagged))]
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
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NamedGroup"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGroup {
    /// Name of the group.
    pub group: String,
}

/// Options of traffic over UDP.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Udp"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawUdp {
    /// Port of the receiver (default: 47000 plus the number of the entry, counted from 0; from the
    /// 18,537th entry on, the first port from 47000 that is free at all its receivers).
    #[serde(default)]
    pub port: Option<u16>,
    /// DSCP of the packets: a number from 0 to 63, or a name like `ef`.
    #[serde(default)]
    pub dscp: Option<Dscps>,
}

/// Options of traffic over TCP.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Tcp"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTcp {
    /// Port of the receiver (default: 47000 plus the number of the entry, counted from 0; from the
    /// 18,537th entry on, the first port from 47000 that is free at all its receivers).
    #[serde(default)]
    pub port: Option<u16>,
    /// DSCP of the packets: a number from 0 to 63, or a name like `ef`.
    #[serde(default)]
    pub dscp: Option<Dscps>,
    /// Congestion control, like `cubic` (default: the node's own).
    #[serde(default)]
    pub congestion_control: Option<Spanned<String>>,
}
