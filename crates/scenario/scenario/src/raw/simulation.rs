//! Options of runs in virtual time, as the user wrote them.

use std::fmt;
use std::num::NonZeroU32;

use netloom_document::{Spanned, is_default};
use netloom_units::Duration;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

use super::values::RawTime;

/// Options of `netloom run --simulate`. Results do not depend on `processes`, `threads` and
/// `cells`.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Simulation"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSimulation {
    /// Largest number of processes that the network is divided among (default 1).
    #[serde(default)]
    pub processes: Option<RawCount>,
    /// Number of threads of all processes together (default 1, but at least one for each process).
    /// `auto`: one for each CPU.
    #[serde(default)]
    pub threads: Option<RawNumber>,
    /// Largest number of cells that the network is divided into, at least one for each process.
    /// `auto` (default): four for each thread if there are several threads.
    #[serde(default)]
    pub cells: Option<RawNumber>,
    /// Time from a link going down or up, or a node failing, until all nodes use the shortest paths
    /// without the parts that are down, like `2s`. `never` (default): routes stay as planned.
    #[serde(default)]
    pub reroute: Option<RawReroute>,
    /// Options of the model of the hosts' TCP, in addition to their sysctls.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tcp: RawSimulatedTcp,
}

/// Options of the model of the hosts' TCP, in addition to their sysctls.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SimulatedTcp"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSimulatedTcp {
    /// `CONFIG_HZ` of the hosts' kernel in Hz, from 100 to 1000 (default 1000). Timers expire at
    /// whole ticks.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(range(min = 100, max = 1000)))]
    pub hz: Option<Spanned<u32>>,
}

/// A number of something, or `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawNumber {
    Auto,
    Of(NonZeroU32),
}

/// A time after a change, or `never`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawReroute {
    Never,
    After(Duration),
}

impl<'de> Deserialize<'de> for RawReroute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = deserializer.deserialize_any(TimeOr {
            word: "never",
            expected: "a time with its unit, like `2s`, or `never`",
        })?;
        Ok(time.map_or(Self::Never, Self::After))
    }
}

/// Reads a time, or `None` for `word`.
pub(super) struct TimeOr {
    pub word: &'static str,
    /// Description of the accepted values, for errors.
    pub expected: &'static str,
}

impl Visitor<'_> for TimeOr {
    type Value = Option<Duration>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        if text == self.word { Ok(None) } else { text.parse().map(Some).map_err(E::custom) }
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        RawTime::without_unit(number as f64).map(|time| Some(time.0))
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        self.visit_str(&number.to_string())
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        RawTime::without_unit(number).map(|time| Some(time.0))
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawReroute {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Reroute".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A time with its unit, or `never`.",
            "anyOf": [generator.subschema_for::<RawTime>(), { "const": "never" }],
        })
    }
}

/// A number of at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RawCount(pub NonZeroU32);

/// Visitor that reads a number of at least one, and `auto` if `with_auto` is set.
struct NumberVisitor {
    with_auto: bool,
}

impl Visitor<'_> for NumberVisitor {
    type Value = RawNumber;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number from 1 on")?;
        if self.with_auto { f.write_str(", or `auto`") } else { Ok(()) }
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<RawNumber, E> {
        let number32 = u32::try_from(number).ok().and_then(NonZeroU32::new);
        let invalid = || E::invalid_value(Unexpected::Unsigned(number), &self);
        number32.map(RawNumber::Of).ok_or_else(invalid)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<RawNumber, E> {
        match text {
            "auto" if self.with_auto => Ok(RawNumber::Auto),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for RawNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor { with_auto: true })
    }
}

impl<'de> Deserialize<'de> for RawCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(NumberVisitor { with_auto: false })? {
            RawNumber::Of(number) => Ok(Self(number)),
            // The visitor has rejected the word.
            RawNumber::Auto => Err(D::Error::custom("`auto` is no number")),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawCount {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A whole number from 1 on.",
            "type": "integer",
            "minimum": 1,
        })
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawNumber {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Number".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A whole number from 1 on, or `auto`.",
            "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": "auto" }],
        })
    }
}
