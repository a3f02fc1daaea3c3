//! The measurements of a run, as they are written.

use std::fmt;

use netloom_document::{Spanned, is_default};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::values::{RawEndpoint, RawTime};

/// Measurements of a run beside those that it always makes.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Measure"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawMeasure {
    /// How often the statistics of every pipe are sampled (default `1s`, at least `10ms`).
    #[serde(default)]
    pub interval: Option<Spanned<RawTime>>,
    /// How often the counters of every flow of `traffic` are sampled (default as `interval`, at
    /// least `10ms`).
    #[serde(default)]
    pub flows: Option<Spanned<RawTime>>,
    /// Interfaces whose frames are captured into the results, like `a:eth1`, or
    /// `{interface: "a:eth1", drops: true}` to have what the link drops as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capture: Vec<Spanned<RawCapture>>,
    /// Whether what happens to every frame is logged into the results: `true` for all links and
    /// shared media, or a list of them (default `false`). Of a medium, all that is on the air is
    /// logged.
    #[serde(default, skip_serializing_if = "is_default")]
    pub frames: RawFrames,
    /// Whether everything that the contention monitor observes is kept in the results, so that
    /// `netloom judge` can judge the run again (default `false`).
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub observations: bool,
}

/// A capture: an interface alone, or with options.
#[derive(Debug, Clone)]
pub(crate) enum RawCapture {
    Plain(RawEndpoint),
    With(RawCaptureOptions),
}

/// A capture with its options.
#[derive(Debug, Clone, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CaptureOptions"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawCaptureOptions {
    /// The interface.
    pub interface: Spanned<RawEndpoint>,
    /// Whether the frames that the link drops on their way from or to the interface are captured as
    /// well, with the reasons (default `false`).
    #[serde(default, skip_serializing_if = "is_default")]
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "super::shown::is_shown"))]
    pub drops: bool,
}

impl<'de> Deserialize<'de> for RawCapture {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CaptureVisitor;
        impl<'de> Visitor<'de> for CaptureVisitor {
            type Value = RawCapture;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an interface like `a:eth1`, or `{interface: \"a:eth1\", drops: true}`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawCapture, E> {
                text.parse().map(RawCapture::Plain).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<RawCapture, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(access)).map(RawCapture::With)
            }
        }
        deserializer.deserialize_any(CaptureVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawCapture {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "InterfaceCapture".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An interface like `a:eth1`, or an interface with options.",
            "anyOf": [
                generator.subschema_for::<RawEndpoint>(),
                generator.subschema_for::<RawCaptureOptions>(),
            ],
        })
    }
}

/// Links and shared media whose frames are logged.
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
                f.write_str("`true`, `false`, or a list of links and media")
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

#[cfg(feature = "schema")]
impl JsonSchema for RawFrames {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Frames".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`true` for all links and shared media, or a list of them.",
            "anyOf": [
                { "type": "boolean" },
                { "type": "array", "items": { "type": "string" } },
            ],
        })
    }
}
