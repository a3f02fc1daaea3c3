//! How a network is drawn. No run depends on it.

use std::collections::BTreeMap;
use std::fmt;

use netloom_mobility::Geographic;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// How a network is drawn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DrawingOptions {
    /// Positions of nodes on paper, by name. All are of the same kind.
    pub positions: BTreeMap<String, DrawnAt>,
}

impl DrawingOptions {
    pub(super) fn is_default(&self) -> bool {
        self.positions.is_empty()
    }
}

/// Position of a node on paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DrawnAt {
    /// To the right and downwards, in a unit of the user's choice.
    Paper([f64; 2]),
    /// A place on the Earth. North is at the top of the paper.
    Earth {
        /// Latitude in degrees, north positive, −90 to 90.
        lat: f64,
        /// Longitude in degrees, east positive, −180 to 180.
        lon: f64,
    },
}

/// Largest coordinate on paper.
const FARTHEST: f64 = 1e9;

impl Serialize for DrawnAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Paper(point) => point.serialize(serializer),
            Self::Earth { lat, lon } => Geographic { lat, lon, alt: 0.0 }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for DrawnAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DrawnAtVisitor)
    }
}

pub(crate) struct DrawnAtVisitor;

impl<'de> Visitor<'de> for DrawnAtVisitor {
    type Value = DrawnAt;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position on paper, like `[100, 50]` or `{lat: 48.78, lon: 9.18}`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<DrawnAt, A::Error> {
        let list = Vec::<f64>::deserialize(SeqAccessDeserializer::new(list))?;
        let [x, y] = list[..] else {
            return Err(A::Error::custom("a position on paper has two coordinates"));
        };
        match [x, y].iter().all(|value| value.abs() <= FARTHEST) {
            true => Ok(DrawnAt::Paper([x, y])),
            false => Err(A::Error::custom("a coordinate on paper is from -1e9 to 1e9")),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DrawnAt, A::Error> {
        let place = Geographic::deserialize(MapAccessDeserializer::new(map))?;
        place.check().map_err(A::Error::custom)?;
        match place {
            Geographic { lat, lon, alt: 0.0 } => Ok(DrawnAt::Earth { lat, lon }),
            _ => Err(A::Error::custom("a position on paper has no altitude; leave out `alt`")),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for DrawnAt {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DrawnAt".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let earth = generator.subschema_for::<Geographic>();
        json_schema!({
            "description": "Position of a node on paper: `[X, Y]`, to the right and downwards, or \
                            `{lat, lon}` in degrees.",
            "anyOf": [
                { "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 },
                earth,
            ],
        })
    }
}
