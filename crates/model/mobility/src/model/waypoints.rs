//! Movement along a list of places.

use std::fmt;

use netloom_units::{Duration, Speed, Time};
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::{Configured, Surroundings};
use crate::trajectory::Walk;
use crate::{Coordinates, MobilityError, Point, Trajectory};

/// A list of waypoints, written as a list or as `{path: […], loop: true}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WaypointsConfig {
    /// The waypoints, in order. The node begins at the first one, unless it has a position.
    pub path: Vec<Waypoint>,
    /// Whether the list repeats. Times are then counted from the beginning of each round.
    #[serde(rename = "loop", skip_serializing_if = "is_false")]
    pub repeats: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// One entry: a place, with how or when it is reached; or a pause.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Waypoint {
    /// Where to go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Coordinates>,
    /// How fast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// Instead of `speed`: when to arrive, going all the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Duration>,
    /// Instead of `speed`: when to be there, resting until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Duration>,
    /// Instead of all of these: how long to rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<Duration>,
}

/// Waypoints as a table.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct WaypointsTable {
    /// The entries, in order.
    path: Vec<Waypoint>,
    /// Whether it begins again at the end.
    #[serde(default, rename = "loop")]
    repeats: bool,
}

impl<'de> Deserialize<'de> for WaypointsConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WaypointsVisitor;
        impl<'de> Visitor<'de> for WaypointsVisitor {
            type Value = WaypointsConfig;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of waypoints, or `{path: […], loop: true}`")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<WaypointsConfig, A::Error> {
                let path = Vec::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(WaypointsConfig { path, repeats: false })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WaypointsConfig, A::Error> {
                let table = WaypointsTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(WaypointsConfig { path: table.path, repeats: table.repeats })
            }
        }
        deserializer.deserialize_any(WaypointsVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for WaypointsConfig {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "WaypointsConfig".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let list = generator.subschema_for::<Vec<Waypoint>>();
        let table = generator.subschema_for::<WaypointsTable>();
        json_schema!({
            "description": "Places one after the other. The first entry is where it begins, unless \
                            the node has a position.",
            "anyOf": [list, table],
        })
    }
}

impl Waypoint {
    /// Returns how many of `speed`, `by` and `at` the waypoint has.
    fn ways(&self) -> usize {
        [self.speed.is_some(), self.by.is_some(), self.at.is_some()]
            .into_iter()
            .filter(|is| *is)
            .count()
    }

    fn check(&self, is_first: bool) -> Result<(), String> {
        match (&self.to, self.pause) {
            (None, None) => Err("`to` or `pause` is needed".into()),
            (Some(_), Some(_)) => Err("`to` and `pause` are two waypoints".into()),
            (None, Some(_)) if self.ways() > 0 => {
                Err("a `pause` has no `speed`, `by` or `at`".into())
            }
            (Some(_), None) if self.ways() > 1 => Err("one of `speed`, `by` and `at`".into()),
            (Some(_), None) if self.ways() == 0 && !is_first => {
                Err("how to get there: one of `speed`, `by` and `at`".into())
            }
            _ if self.speed == Some(Speed::ZERO) => {
                Err("at a `speed` of 0 nobody arrives; `pause` is a rest, `at` a jump".into())
            }
            _ => Ok(()),
        }
    }
}

impl Configured for WaypointsConfig {
    fn check(&self) -> Result<(), String> {
        let Some(first) = self.path.first() else {
            return Err("a list of waypoints has one or more".into());
        };
        for (index, waypoint) in self.path.iter().enumerate() {
            let of = |error| format!("waypoint {}: {error}", index + 1);
            waypoint.check(index == 0).map_err(of)?;
        }
        if self.repeats && first.to.is_some() && first.ways() == 0 {
            return Err("with `loop`, the first waypoint needs to say how to come back: one of \
                        `speed`, `by` and `at`"
                .into());
        }
        let times = self.path.iter().filter_map(|waypoint| waypoint.by.or(waypoint.at));
        match times.clone().zip(times.skip(1)).find(|(before, after)| after < before) {
            Some((before, after)) => Err(format!("{after} comes after {before}")),
            None => Ok(()),
        }
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        let points = self
            .path
            .iter()
            .map(|waypoint| waypoint.to.map(|place| place.point(given.plane)).transpose());
        let points = points.collect::<Result<Vec<_>, _>>()?;
        let first = points.first().copied().flatten();
        if given.position.is_some() && first.is_some() && self.path[0].ways() == 0 {
            return Err(MobilityError::TwoStarts);
        }
        let begin = given.position.or(first).ok_or(MobilityError::NoStart)?;
        let mut path = Trajectory::fixed(begin);
        let steps: Vec<_> = self.path.iter().cloned().zip(points).collect();
        // A node that begins at the first waypoint is already there.
        let skip = usize::from(given.position.is_none() && first.is_some());
        steps[skip..].iter().for_each(|(step, to)| follow(&mut path, Time::ZERO, step, *to));
        if !self.repeats {
            return Ok(path);
        }
        Ok(path.followed_by(Box::new(Rounds { steps })))
    }
}

/// Appends one waypoint. Times are counted from `zero`.
fn follow(path: &mut Trajectory, zero: Time, step: &Waypoint, to: Option<Point>) {
    let Some(to) = to else {
        path.rest(step.pause.unwrap_or_default());
        return;
    };
    match (step.speed, step.by, step.at) {
        (Some(speed), _, _) => path.go(to, speed.metres_per_second()),
        (_, Some(by), _) => path.reach(to, zero + by),
        (_, _, at) => {
            path.rest_until(zero + at.unwrap_or_default());
            path.jump(to);
        }
    }
}

/// Waypoints that repeat.
#[derive(Debug, Clone)]
struct Rounds {
    steps: Vec<(Waypoint, Option<Point>)>,
}

impl Walk for Rounds {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        let zero = path.end().start;
        self.steps.iter().for_each(|(step, to)| follow(path, zero, step, *to));
        // A round that takes no time would repeat without end.
        path.end().start > zero
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
