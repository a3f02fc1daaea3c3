//! How the network is drawn, as the user wrote it.

use std::fmt;

use netloom_document::{Entries, Spanned};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::spec::{DrawnAt, DrawnAtVisitor};

/// How the network is drawn. No run depends on it.
#[derive(Debug, Clone, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Drawing"))]
#[serde(deny_unknown_fields)]
pub(crate) struct RawDrawing {
    /// Positions of nodes on paper, by name: `[X, Y]`, to the right and downwards in any unit, or
    /// `{lat, lon}` in degrees; all are of one kind. `file: NAME` reads them from a YAML or JSON
    /// file, over which those here take precedence. Nodes without a position are drawn beside their
    /// neighbours.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub positions: Entries<Spanned<RawDrawnAt>>,
}

/// A position on paper or, for the key `file`, the name of a file with positions.
#[derive(Debug, Clone)]
pub(crate) enum RawDrawnAt {
    At(DrawnAt),
    File(String),
}

impl Serialize for RawDrawnAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::At(position) => position.serialize(serializer),
            Self::File(name) => name.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RawDrawnAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PositionVisitor;
        impl<'de> Visitor<'de> for PositionVisitor {
            type Value = RawDrawnAt;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                DrawnAtVisitor.expecting(f)
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<RawDrawnAt, E> {
                Ok(RawDrawnAt::File(name.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<RawDrawnAt, A::Error> {
                DrawnAtVisitor.visit_seq(list).map(RawDrawnAt::At)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawDrawnAt, A::Error> {
                DrawnAtVisitor.visit_map(map).map(RawDrawnAt::At)
            }
        }
        deserializer.deserialize_any(PositionVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for RawDrawnAt {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DrawnAtOrFile".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let position = generator.subschema_for::<DrawnAt>();
        json_schema!({ "anyOf": [position, { "type": "string", "examples": ["positions.yaml"] }] })
    }
}
