//! Options of symbiotic runs, as the user wrote them.

use netloom_document::{Spanned, is_default};
use netloom_units::Duration;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer};

use super::simulation::TimeOr;
use crate::spec::{CalibrationMethod, LossMethod, TwinMethod};

/// Makes the run symbiotic: nodes without `simulated` are real hosts, whose packets cross a few
/// pipes. A simulation of the whole network determines delay and loss of these pipes.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Symbiosis"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawSymbiosis {
    /// Time between calibrations of the pipes, from `50ms` to `60s` (default `1s`). `auto`: the
    /// shortest time from 100 ms to 1 s in which each pipe of the network could send 80 full
    /// frames.
    #[serde(default)]
    pub period: Option<Spanned<RawPeriod>>,
    /// Method that converts the simulation's reports to settings of the pipes: `md1` (default) or
    /// `cross_traffic`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub calibration: CalibrationMethod,
    /// Whether each chain of links becomes one pipe (default `true`). Only with `md1`.
    #[serde(default)]
    pub downscale: Option<Spanned<bool>>,
    /// Which frames are lost: `positions` (default), `bernoulli` or `systematic`. Only with `md1`.
    #[serde(default)]
    pub loss: Option<Spanned<LossMethod>>,
    /// Representation of real TCP in the simulation: `packets` (default) or `connections`.
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub twins: TwinMethod,
}

/// A period, or `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawPeriod {
    Auto,
    Of(Duration),
}

impl<'de> Deserialize<'de> for RawPeriod {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = deserializer.deserialize_any(TimeOr {
            word: "auto",
            expected: "a time with its unit, like `1s`, or `auto`",
        })?;
        Ok(time.map_or(Self::Auto, Self::Of))
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawPeriod {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Period".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A time with its unit, or `auto`.",
            "anyOf": [generator.subschema_for::<super::RawTime>(), { "const": "auto" }],
        })
    }
}
