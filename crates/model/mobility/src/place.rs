//! Places, areas and speeds in a scenario.

use std::fmt;

use netloom_units::{Coordinate, Speed, Stream};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

use crate::{Geographic, MobilityError, Plane, Point};

/// A place: `[x, y]` or `[x, y, z]` in the plane, or `{lat, lon, alt}` on the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Coordinates {
    /// Coordinates in the plane: east, north, up.
    Local([Coordinate; 3]),
    /// A place on the Earth, which needs a plane with an origin.
    Earth(Geographic),
}

impl Coordinates {
    /// Returns the point in metres.
    ///
    /// # Errors
    /// If the place is on the Earth and there is no plane.
    pub fn point(&self, plane: Option<&Plane>) -> Result<Point, MobilityError> {
        match self {
            Self::Local([x, y, z]) => Ok(Point::new(x.metres(), y.metres(), z.metres())),
            Self::Earth(place) => Ok(plane.ok_or(MobilityError::NoOrigin)?.point(*place)),
        }
    }
}

impl Serialize for Coordinates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Local([x, y, Coordinate::ZERO]) => [x, y].serialize(serializer),
            Self::Local(all) => all.serialize(serializer),
            Self::Earth(place) => place.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Coordinates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PlaceVisitor;
        impl<'de> Visitor<'de> for PlaceVisitor {
            type Value = Coordinates;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a place, like `[10m, 5m]` or `{lat: 48.78, lon: 9.18}`")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Coordinates, A::Error> {
                let list = Vec::<Coordinate>::deserialize(SeqAccessDeserializer::new(list))?;
                match list[..] {
                    [x, y] => Ok(Coordinates::Local([x, y, Coordinate::ZERO])),
                    [x, y, z] => Ok(Coordinates::Local([x, y, z])),
                    _ => Err(A::Error::custom("a place has two or three coordinates")),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Coordinates, A::Error> {
                let place = Geographic::deserialize(MapAccessDeserializer::new(map))?;
                place.check().map_err(A::Error::custom)?;
                Ok(Coordinates::Earth(place))
            }
        }
        deserializer.deserialize_any(PlaceVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Coordinates {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Coordinates".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let coordinate = generator.subschema_for::<Coordinate>();
        let earth = generator.subschema_for::<Geographic>();
        json_schema!({
            "description": "A place: `[x, y]` or `[x, y, z]` in the plane (east, north, up), or \
                            `{lat, lon, alt}` on the Earth.",
            "anyOf": [
                { "type": "array", "items": coordinate, "minItems": 2, "maxItems": 3 },
                earth,
            ],
        })
    }
}

/// A rectangle: `[width, height]` from the origin to the east and north, or `{from: [x, y], to: [x,
/// y]}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// The south-western corner.
    pub from: [Coordinate; 2],
    /// The north-eastern corner.
    pub to: [Coordinate; 2],
}

/// An area by two corners.
#[derive(Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Corners {
    /// The corner in the south-west.
    from: [Coordinate; 2],
    /// The corner in the north-east.
    to: [Coordinate; 2],
}

/// Smallest side of an area, in µm.
const SMALLEST: i64 = 1000;

impl Area {
    fn new(from: [Coordinate; 2], to: [Coordinate; 2]) -> Result<Self, String> {
        let side = |axis: usize| to[axis].as_micrometres() - from[axis].as_micrometres();
        match [side(0), side(1)].into_iter().find(|side| *side < SMALLEST) {
            Some(_) => Err("an area's sides are at least 1mm long, from the south-west on".into()),
            None => Ok(Self { from, to }),
        }
    }

    /// Returns the south-western corner, in metres.
    pub(crate) fn low(&self) -> [f64; 2] {
        self.from.map(Coordinate::metres)
    }

    /// Returns the north-eastern corner, in metres.
    pub(crate) fn high(&self) -> [f64; 2] {
        self.to.map(Coordinate::metres)
    }

    /// Returns width and height in metres.
    pub(crate) fn sides(&self) -> [f64; 2] {
        let (low, high) = (self.low(), self.high());
        [high[0] - low[0], high[1] - low[1]]
    }

    /// Draws a point with a uniform distribution over the area, at height `z`.
    pub(crate) fn draw(&self, z: f64, stream: &mut Stream) -> Point {
        let (low, sides) = (self.low(), self.sides());
        let x = low[0] + sides[0] * stream.uniform();
        let y = low[1] + sides[1] * stream.uniform();
        Point::new(x, y, z)
    }

    /// Whether a point is in the area, borders included.
    pub(crate) fn contains(&self, at: Point) -> bool {
        let (low, high) = (self.low(), self.high());
        (low[0]..=high[0]).contains(&at.x) && (low[1]..=high[1]).contains(&at.y)
    }

    /// Returns the mean distance of two points with a uniform distribution over the area, in metres
    /// (Ghosh 1951).
    pub(crate) fn mean_distance(&self) -> f64 {
        let [a, b] = self.sides();
        let d = libm::hypot(a, b);
        let (squares, cubes) = ([a * a, b * b], [a * a * a, b * b * b]);
        let straight = cubes[0] / squares[1] + cubes[1] / squares[0];
        let diagonal = d * (3.0 - squares[0] / squares[1] - squares[1] / squares[0]);
        let logarithms =
            squares[1] / a * libm::log((a + d) / b) + squares[0] / b * libm::log((b + d) / a);
        (straight + diagonal + 2.5 * logarithms) / 15.0
    }
}

impl Serialize for Area {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.from {
            [Coordinate::ZERO, Coordinate::ZERO] => self.to.serialize(serializer),
            _ => Corners { from: self.from, to: self.to }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Area {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AreaVisitor;
        impl<'de> Visitor<'de> for AreaVisitor {
            type Value = Area;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an area, like `[1500m, 300m]`")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Area, A::Error> {
                let to = <[Coordinate; 2]>::deserialize(SeqAccessDeserializer::new(list))?;
                Area::new([Coordinate::ZERO; 2], to).map_err(A::Error::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Area, A::Error> {
                let Corners { from, to } = Corners::deserialize(MapAccessDeserializer::new(map))?;
                Area::new(from, to).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(AreaVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Area {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Area".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let side = generator.subschema_for::<netloom_units::Length>();
        let corners = generator.subschema_for::<Corners>();
        json_schema!({
            "description": "A rectangle: `[width, height]` from the origin to the east and north, \
                            or two corners.",
            "anyOf": [
                { "type": "array", "items": side, "minItems": 2, "maxItems": 2 },
                corners,
            ],
        })
    }
}

/// A range of speeds, all equally likely: `5m/s`, or `[1m/s, 20m/s]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speeds {
    /// The slowest speed.
    pub low: Speed,
    /// The fastest speed.
    pub high: Speed,
}

impl Speeds {
    /// Returns the slowest and the fastest speed in m/s.
    fn range(self) -> (f64, f64) {
        (self.low.metres_per_second(), self.high.metres_per_second())
    }

    /// Draws a speed, in m/s.
    pub(crate) fn draw(self, stream: &mut Stream) -> f64 {
        let (low, high) = self.range();
        low + (high - low) * stream.uniform()
    }

    /// Draws the speed, in m/s, of a node at a random moment, if the node draws a new speed after
    /// each distance. Slow movements take longer, so that the density is proportional to 1/v.
    pub(crate) fn draw_underway(self, stream: &mut Stream) -> f64 {
        let (low, high) = self.range();
        low * libm::pow(high / low, stream.uniform())
    }

    /// Returns the mean time for a metre, in s.
    pub(crate) fn mean_slowness(self) -> f64 {
        match self.range() {
            (low, high) if low < high => libm::log(high / low) / (high - low),
            (low, _) => 1.0 / low,
        }
    }

    /// Rejects a slowest speed of 0.
    pub(crate) fn above_zero(self) -> Result<(), String> {
        if self.low > Speed::ZERO {
            return Ok(());
        }
        Err(format!(
            "the slowest speed is {}: a leg at nearly no speed takes nearly for ever, so more and \
             more nodes are on one, and the mean speed decays towards 0 (Yoon, Liu & Noble 2003); \
             write a slowest speed above 0, like `1m/s`",
            self.low
        ))
    }
}

impl Serialize for Speeds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self { low, high } if low == high => low.serialize(serializer),
            Self { low, high } => [low, high].serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Speeds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpeedsVisitor;
        impl<'de> Visitor<'de> for SpeedsVisitor {
            type Value = Speeds;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a speed like `5m/s`, or the slowest and the fastest: `[1m/s, 20m/s]`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Speeds, E> {
                let speed = text.parse().map_err(E::custom)?;
                Ok(Speeds { low: speed, high: speed })
            }
            netloom_units::visit_numbers_as_text!();
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Speeds, A::Error> {
                let [low, high] = <[Speed; 2]>::deserialize(SeqAccessDeserializer::new(list))?;
                if low > high {
                    return Err(A::Error::custom(format!(
                        "the slowest speed comes first: [{high}, {low}]"
                    )));
                }
                Ok(Speeds { low, high })
            }
        }
        deserializer.deserialize_any(SpeedsVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Speeds {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Speeds".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let speed = generator.subschema_for::<Speed>();
        json_schema!({
            "description": "A speed, or the slowest and the fastest, between which all are equally \
                            likely.",
            "anyOf": [speed, { "type": "array", "items": speed, "minItems": 2, "maxItems": 2 }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_distances_are_those_of_ghosh() {
        let mean = |json: &str| serde_json::from_str::<Area>(json).unwrap().mean_distance();
        assert!((mean(r#"["1m", "1m"]"#) - 0.521_405).abs() < 1e-6);
        assert!((mean(r#"["1500m", "300m"]"#) - 524.64).abs() < 0.005);
        let away = r#"{"from": ["-100m", "50m"], "to": ["1400m", "350m"]}"#;
        assert!((mean(away) - 524.64).abs() < 0.005);
    }

    #[test]
    fn long_run_speeds_are_harmonic_means() {
        let speed =
            |json: &str| 1.0 / serde_json::from_str::<Speeds>(json).unwrap().mean_slowness();
        assert!((speed(r#"["1m/s", "20m/s"]"#) - 6.342).abs() < 0.001);
        assert!((speed(r#"["0.1m/s", "20m/s"]"#) - 3.756).abs() < 0.001);
        assert_eq!(speed(r#""5m/s""#), 5.0);
    }
}
