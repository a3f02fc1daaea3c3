//! Random waypoint (Johnson & Maltz 1996). A node moves to a random place at a random speed,
//! pauses, and repeats this.

use netloom_units::{Duration, Stream};
use serde::{Deserialize, Serialize};

use super::{Configured, Surroundings, no_position};
use crate::trajectory::Walk;
use crate::{Area, MobilityError, Point, Speeds, Trajectory};

/// Random waypoint: to a place anywhere in the area, straight, at a speed drawn for each leg; a
/// pause; and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RandomWaypointConfig {
    /// Where it moves.
    pub area: Area,
    /// How fast, above 0.
    pub speed: Speeds,
    /// How long it rests at each place (default `0s`).
    #[serde(default)]
    pub pause: Duration,
    /// How it begins (default `stationary`).
    #[serde(default, skip_serializing_if = "Start::is_default")]
    pub start: Start,
}

/// How a movement begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "MovementStart"))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// As if it had gone on for ever: places and speeds have the same distribution at any time
    /// (Navidi & Camp 2004).
    #[default]
    Stationary,
    /// Anywhere in the area, with a pause, as most simulators begin: in the first minutes nodes
    /// are faster, and less often in the middle, than later.
    Uniform,
}

impl Start {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Configured for RandomWaypointConfig {
    fn check(&self) -> Result<(), String> {
        self.speed.above_zero().map_err(|error| format!("speed: {error}"))
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        no_position("random_waypoint", given)?;
        let stream = given.stream.clone();
        let mut walk = RandomWaypoint { config: self.clone(), stream, pauses: false };
        let path = walk.begin();
        Ok(path.followed_by(Box::new(walk)))
    }
}

/// The state of a node.
#[derive(Debug, Clone)]
struct RandomWaypoint {
    config: RandomWaypointConfig,
    stream: Stream,
    /// Whether a pause is next.
    pauses: bool,
}

impl RandomWaypoint {
    fn begin(&mut self) -> Trajectory {
        match self.config.start {
            Start::Uniform => {
                let mut path = Trajectory::fixed(self.place());
                path.rest(self.config.pause);
                path
            }
            Start::Stationary => self.begin_underway(),
        }
    }

    /// Draws the state of a node that has moved for ever. It is in a pause with the pauses' share
    /// of the time, and otherwise on a leg, where long legs are more likely.
    fn begin_underway(&mut self) -> Trajectory {
        let pause = self.config.pause.as_secs_f64();
        let moving = self.config.area.mean_distance() * self.config.speed.mean_slowness();
        if self.stream.chance(pause / (pause + moving)) {
            let mut path = Trajectory::fixed(self.place());
            let left = pause * self.stream.uniform();
            path.rest(Duration::from_nanos(libm::round(left * 1e9) as u64));
            return path;
        }
        let [width, height] = self.config.area.sides();
        let diagonal = libm::hypot(width, height);
        let (from, to) = loop {
            let (from, to) = (self.place(), self.place());
            if self.stream.uniform() < from.distance(to) / diagonal {
                break (from, to);
            }
        };
        let mut path = Trajectory::fixed(from + (to - from) * self.stream.uniform());
        path.go(to, self.config.speed.draw_underway(&mut self.stream));
        self.pauses = true;
        path
    }

    fn place(&mut self) -> Point {
        self.config.area.draw(0.0, &mut self.stream)
    }
}

impl Walk for RandomWaypoint {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        if std::mem::replace(&mut self.pauses, false) {
            path.rest(self.config.pause);
        }
        let to = self.place();
        path.go(to, self.config.speed.draw(&mut self.stream));
        self.pauses = true;
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
