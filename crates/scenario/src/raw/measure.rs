//! What a run measures, as it is written.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

use super::values::{RawEndpoint, RawTime};
use crate::decode::Spanned;

/// What a run measures beside what it always does.
#[derive(Debug, Clone, Default, serde::Deserialize, JsonSchema)]
#[schemars(rename = "Measure")]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMeasure {
    /// How often the statistics of every pipe are sampled (default `1s`, at least `10ms`).
    #[serde(default)]
    pub interval: Option<Spanned<RawTime>>,
    /// Interfaces whose frames are captured into the results, like `a:eth1`.
    #[serde(default)]
    pub capture: Vec<Spanned<RawEndpoint>>,
    /// Whether what happens to every frame is logged into the results: `true` for all links, or a
    /// list of links (default `false`).
    #[serde(default)]
    pub frames: RawFrames,
}

/// Links whose frames are logged.
#[derive(Debug, Clone)]
pub(crate) enum RawFrames {
    All,
    Of(Vec<Spanned<String>>),
}

impl Default for RawFrames {
    fn default() -> Self {
        Self::Of(Vec::new())
    }
}

impl<'de> Deserialize<'de> for RawFrames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FramesVisitor;
        impl<'de> Visitor<'de> for FramesVisitor {
            type Value = RawFrames;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`true`, `false`, or a list of links")
            }
            fn visit_bool<E>(self, all: bool) -> Result<RawFrames, E> {
                Ok(if all { RawFrames::All } else { RawFrames::default() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<RawFrames, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(access)).map(RawFrames::Of)
            }
        }
        deserializer.deserialize_any(FramesVisitor)
    }
}

impl JsonSchema for RawFrames {
    fn schema_name() -> Cow<'static, str> {
        "Frames".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`true` for all links, or a list of links.",
            "anyOf": [
                { "type": "boolean" },
                { "type": "array", "items": { "type": "string" } },
            ],
        })
    }
}
