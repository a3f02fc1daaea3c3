//! Traffic between nodes, as it is written.

use std::borrow::Cow;
use std::fmt;

use netloom_link::Dscps;
use netloom_traffic::{CbrConfig, OnOffConfig, PoissonConfig, PpbpConfig, Sizes};
use netloom_units::Size;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::timeline::RawStart;
use super::values::RawTime;
use crate::decode::Spanned;
use crate::spec::IpFamily;

/// Traffic from nodes to a node: `ping`, a model (`cbr`, `poisson`, `on_off`, `ppbp`) over `udp`, or
/// `bulk` over `tcp`.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Traffic")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTraffic {
    /// Its name, from which its random numbers follow.
    #[schemars(required)]
    pub name: Option<Spanned<String>>,
    /// Who sends: a node, a list of nodes, or `{group: NAME}`. Each of several has a flow of its
    /// own.
    #[schemars(required)]
    pub from: Option<Spanned<RawPlaces>>,
    /// The node that receives.
    #[schemars(required)]
    pub to: Option<Spanned<String>>,
    /// `ipv4` or `ipv6` (default: IPv4 where the receiver has it).
    #[serde(default)]
    pub family: Option<IpFamily>,
    /// Echo requests, as ping(8) sends them.
    #[serde(default)]
    pub ping: Option<Spanned<RawPing>>,
    /// TCP connections.
    #[serde(default)]
    pub tcp: Option<Spanned<RawTcp>>,
    /// As much as TCP carries, or so many bytes.
    #[serde(default)]
    pub bulk: Option<Spanned<RawBulk>>,
    /// UDP datagrams, as the model says.
    #[serde(default)]
    pub udp: Option<Spanned<RawUdp>>,
    /// Datagrams at a constant rate.
    #[serde(default)]
    pub cbr: Option<Spanned<CbrConfig>>,
    /// Independent datagrams: gaps are exponential.
    #[serde(default)]
    pub poisson: Option<Spanned<PoissonConfig>>,
    /// Senders that are on and off by turns.
    #[serde(default)]
    pub on_off: Option<Spanned<OnOffConfig>>,
    /// Poisson Pareto bursts.
    #[serde(default)]
    pub ppbp: Option<Spanned<PpbpConfig>>,
    /// Lengths of the frames on an Ethernet wire, header included (default `1514B`).
    #[serde(default)]
    pub size: Option<Spanned<Sizes>>,
    /// When it begins (default `0s`: as soon as the network is ready).
    #[serde(default)]
    pub start: Option<Spanned<RawStart>>,
    /// How long it lasts (default: to the end of the run).
    #[serde(default, rename = "for")]
    pub lasts: Option<Spanned<RawTime>>,
    /// Whether the run ends without waiting for it (default false).
    #[serde(default)]
    pub background: bool,
}

/// How echo requests are sent.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Ping")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawPing {
    /// Time from one to the next (default `1s`).
    #[serde(default)]
    pub interval: Option<Spanned<RawTime>>,
    /// How many (default: until `for` or the run is over).
    #[serde(default)]
    pub count: Option<Spanned<u32>>,
    /// Bytes of data in each, behind the ICMP header (default 56).
    #[serde(default)]
    pub payload: Option<Spanned<u32>>,
}

/// How datagrams are sent.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Udp")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawUdp {
    /// The receiver's port (default 9).
    #[serde(default)]
    pub port: Option<Spanned<u16>>,
    /// The DSCP of the packets, like `ef` or 46 (default 0).
    #[serde(default)]
    pub dscp: Option<Spanned<Dscps>>,
}

/// How connections work. What is not said is as the sysctls of the node that sends say.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Tcp")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawTcp {
    /// The receiver's port (default 9).
    #[serde(default)]
    pub port: Option<Spanned<u16>>,
    /// The DSCP of the packets, like `ef` or 46 (default 0).
    #[serde(default)]
    pub dscp: Option<Spanned<Dscps>>,
    /// The congestion control, like `cubic` or `reno`.
    #[serde(default)]
    pub congestion_control: Option<Spanned<String>>,
}

/// What connections carry.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Bulk")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawBulk {
    /// How much each carries (default: as much as it can until the end).
    #[serde(default)]
    pub bytes: Option<Spanned<Size>>,
    /// How many there are at once (default 1).
    #[serde(default)]
    pub connections: Option<Spanned<u32>>,
    /// Bound of the window that the receiver advertises, like `64KiB`.
    #[serde(default)]
    pub max_window: Option<Spanned<Size>>,
    /// Bound of the maximum segment size, in bytes.
    #[serde(default)]
    pub mss: Option<Spanned<u16>>,
}

/// A node, several, or those of a group.
#[derive(Debug, Clone)]
pub(crate) enum RawPlaces {
    Node(String),
    Nodes(Vec<Spanned<String>>),
    Group(RawGroupOf),
}

/// The nodes of a group.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "GroupOf")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawGroupOf {
    /// The group.
    pub group: Spanned<String>,
}

impl<'de> Deserialize<'de> for RawPlaces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlacesVisitor;
        impl<'de> Visitor<'de> for PlacesVisitor {
            type Value = RawPlaces;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node, a list of nodes, or `{group: NAME}`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawPlaces, E> {
                Ok(RawPlaces::Node(text.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<RawPlaces, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(RawPlaces::Nodes)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawPlaces, A::Error> {
                RawGroupOf::deserialize(MapAccessDeserializer::new(map)).map(RawPlaces::Group)
            }
        }
        deserializer.deserialize_any(PlacesVisitor)
    }
}

impl JsonSchema for RawPlaces {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Places".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" } },
                generator.subschema_for::<RawGroupOf>(),
            ],
        })
    }
}
