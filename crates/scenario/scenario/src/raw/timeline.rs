//! The timeline, and start conditions, as they are written.

use std::borrow::Cow;
use std::fmt;

use netloom_medium::MediumProperties;
use netloom_mobility::Place;
use netloom_traffic::DurationDistribution;
use netloom_units::{Duration, Power};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::link::RawPipe;
use super::medium::{RawMove, RawRadio};
use super::node::RawRoute;
use super::values::{RawCommand, RawTime};
use crate::address::IpPrefix;
use crate::decode::{Entries, Spanned};
use crate::spec::{Direction, Milestone, NodeState};

/// Something that happens at a time: a `link` with `set` or `state`, or a `node` with `state`,
/// `run` or `route`.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Event")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawEvent {
    /// When, counted from the moment the network is ready: `5s`, or after a process has reached a
    /// milestone.
    #[schemars(required)]
    pub at: Option<Spanned<RawStart>>,
    /// The link that changes.
    #[serde(default)]
    pub link: Option<Spanned<String>>,
    /// Which of the link's pipes: `both` (default), `forward` or `reverse`.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// Properties of the link that change; what is absent stays.
    #[serde(default)]
    pub set: Option<Spanned<RawPipe>>,
    /// The node whose links change, or in which a command is run.
    #[serde(default)]
    pub node: Option<Spanned<String>>,
    /// `down` or `up`: the new state of the link, or of all links of the node. `failed`: the node's
    /// links are down, and all that runs in it is killed; with `up`, or after `for`, its services
    /// are started again.
    #[serde(default)]
    pub state: Option<NodeState>,
    /// For how long: then what was changed comes back.
    #[serde(default, rename = "for")]
    pub time: Option<RawTime>,
    /// It happens again after this time, and so on: as often as `times` says, or `until` a time, or
    /// the run, ends it.
    #[serde(default)]
    pub every: Option<RawTime>,
    /// How often it happens.
    #[serde(default)]
    pub times: Option<u64>,
    /// It happens no more from this time on.
    #[serde(default)]
    pub until: Option<RawTime>,
    /// The link, or all links of the node, fail at random times.
    #[serde(default)]
    pub fails: Option<Spanned<RawFails>>,
    /// Shared media whose properties change, by their names.
    #[serde(default)]
    pub media: Entries<Spanned<MediumProperties>>,
    /// Where the node is from now on, like `[10m, 5m]`.
    #[serde(default)]
    pub position: Option<Spanned<Place>>,
    /// Where the node goes from now on.
    #[serde(default, rename = "move")]
    pub goes: Option<Spanned<RawMove>>,
    /// `off` or `on`: the node's radios.
    #[serde(default)]
    pub radio: Option<RawRadio>,
    /// Power that the node's radios send with from now on, like `12dBm`.
    #[serde(default)]
    pub power: Option<Power>,
    /// A command that is run in the node.
    #[serde(default)]
    pub run: Option<RawCommand>,
    /// A route of the node that comes or goes.
    #[serde(default)]
    pub route: Option<Spanned<RawRouteChange>>,
}

/// A route of a node that comes or goes.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "RouteChange")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawRouteChange {
    /// A route that comes, with the keys of `routes`.
    #[serde(default)]
    pub add: Option<Spanned<RawRoute>>,
    /// A route that comes instead of the one with the same destination and metric, if there is one.
    #[serde(default)]
    pub replace: Option<Spanned<RawRoute>>,
    /// The destination of a route that goes, like `10.9.0.0/16`.
    #[serde(default)]
    pub remove: Option<Spanned<IpPrefix>>,
}

/// Failures at random times.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Fails")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawFails {
    /// How long it works, from `at` or the last failure on: a time or a distribution of times.
    pub after: DurationDistribution,
    /// How long it fails then.
    #[serde(rename = "for")]
    pub lasts: DurationDistribution,
}

/// When something begins.
#[derive(Debug, Clone)]
pub(crate) enum RawStart {
    At(Duration),
    After(RawAfter),
}

/// After a process has reached a milestone.
#[derive(Debug, Clone, serde::Deserialize, JsonSchema)]
#[schemars(rename = "After")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawAfter {
    /// The process' name.
    pub after: Spanned<String>,
    /// Its milestone: `started`, `ready` (default) or `done`, in every node in which it runs.
    #[serde(default)]
    pub when: Milestone,
    /// Time to wait after that (default `0s`).
    #[serde(default)]
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

impl JsonSchema for RawStart {
    fn schema_name() -> Cow<'static, str> {
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
