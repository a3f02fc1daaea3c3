//! The timeline and start conditions, as the user wrote them.

use std::fmt;

use netloom_document::{Entries, Spanned, is_default};
use netloom_medium::MediumProperties;
use netloom_mobility::Coordinates;
use netloom_traffic::DurationDistribution;
use netloom_units::{Duration, Power};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::link::RawPipe;
use super::medium::{RawMove, RawRadio};
use super::node::RawRoute;
use super::values::{RawCommand, RawTime};
use crate::address::IpPrefix;
use crate::spec::{Direction, Disk, Milestone, NodeState};

/// An event: a `link` with `set` or `state`, or a `node` with `state`, `run` or `route`.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Event"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEvent {
    /// Time of the event, counted from when the network is ready: `5s`, or after a process has
    /// reached a milestone.
    #[cfg_attr(feature = "schema", schemars(required))]
    pub at: Option<Spanned<RawStart>>,
    /// Link that changes.
    #[serde(default)]
    pub link: Option<Spanned<String>>,
    /// Pipes of the link that change: `both` (default), `forward` or `reverse`.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// Properties of the link that change. Absent ones keep their values.
    #[serde(default)]
    pub set: Option<Spanned<RawPipe>>,
    /// Node whose links change, or in which a command runs.
    #[serde(default)]
    pub node: Option<Spanned<String>>,
    /// New state of the link, or of all links of the node: `down` or `up`. `failed`: the node's
    /// links go down, and all its processes are killed. Its services start again with `up`, or
    /// after `for`.
    #[serde(default)]
    pub state: Option<NodeState>,
    /// What becomes of the files of a node that fails: `keep` (default) or `lose`.
    #[serde(default)]
    pub disk: Option<Disk>,
    /// Duration of the change. Afterwards, the previous state returns.
    #[serde(default, rename = "for")]
    pub time: Option<RawTime>,
    /// Period with which the event repeats. It repeats `times` times, or `until` a time, or else
    /// until the run ends.
    #[serde(default)]
    pub every: Option<RawTime>,
    /// Number of times that the event happens.
    #[serde(default)]
    pub times: Option<u64>,
    /// Time from which on the event no longer happens.
    #[serde(default)]
    pub until: Option<RawTime>,
    /// Failures of the link, or of all links of the node, at random times.
    #[serde(default)]
    pub fails: Option<Spanned<RawFails>>,
    /// Changes of properties of shared media, by the names of the media.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub media: Entries<Spanned<MediumProperties>>,
    /// New position of the node, like `[10m, 5m]`.
    #[serde(default)]
    pub position: Option<Spanned<Coordinates>>,
    /// Movement of the node that starts now.
    #[serde(default, rename = "move")]
    pub goes: Option<Spanned<RawMove>>,
    /// New state of the node's radios: `off` or `on`.
    #[serde(default)]
    pub radio: Option<RawRadio>,
    /// New transmit power of the node's radios, like `12dBm`.
    #[serde(default)]
    pub power: Option<Power>,
    /// Command that runs in the node.
    #[serde(default)]
    pub run: Option<RawCommand>,
    /// Change of the node's routes.
    #[serde(default)]
    pub route: Option<Spanned<RawRouteChange>>,
}

/// A change of a node's routes.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "RouteChange"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRouteChange {
    /// Adds a route, with the keys of `routes`.
    #[serde(default)]
    pub add: Option<Spanned<RawRoute>>,
    /// Adds a route, replacing the one with the same destination and metric if there is one.
    #[serde(default)]
    pub replace: Option<Spanned<RawRoute>>,
    /// Removes the route with this destination, like `10.9.0.0/16`.
    #[serde(default)]
    pub remove: Option<Spanned<IpPrefix>>,
}

/// Failures at random times.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Fails"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFails {
    /// Time that it works, from `at` or from the end of the last failure: a time or a distribution
    /// of times.
    pub after: DurationDistribution,
    /// Duration of each failure: a time or a distribution of times.
    #[serde(rename = "for")]
    pub lasts: DurationDistribution,
}

/// Time at which something begins.
#[derive(Debug, Clone)]
pub(crate) enum RawStart {
    At(Duration),
    After(RawAfter),
}

/// A start after a process has reached a milestone.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "After"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAfter {
    /// Name of the process.
    pub after: Spanned<String>,
    /// Milestone that the process must have reached in every node in which it runs: `started`,
    /// `ready` (default) or `done`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub when: Milestone,
    /// Additional delay after the milestone (default `0s`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub delay: RawTime,
}

impl<'de> Deserialize<'de> for RawStart {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StartVisitor;
        impl<'de> Visitor<'de> for StartVisitor {
            type Value = RawStart;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time with its unit, like `5s`, or a mapping like `{after: server}`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawStart, E> {
                text.parse().map(RawStart::At).map_err(E::custom)
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<RawStart, E> {
                self.visit_f64(number as f64)
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<RawStart, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<RawStart, E> {
                RawTime::without_unit(number).map(|time| RawStart::At(time.0))
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawStart, A::Error> {
                RawAfter::deserialize(MapAccessDeserializer::new(access)).map(RawStart::After)
            }
        }
        deserializer.deserialize_any(StartVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawStart {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Start".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A time, like `5s`, or a milestone of a process.",
            "anyOf": [
                generator.subschema_for::<Duration>(),
                generator.subschema_for::<RawAfter>(),
            ],
        })
    }
}
