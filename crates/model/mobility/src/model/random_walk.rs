//! Random walk: a new direction and speed after each interval of time or distance.

use std::f64::consts::TAU;
use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Length, Stream, UnitError, text_quantity};
use serde::{Deserialize, Serialize};

use super::bounce::Bouncing;
use super::{Configured, Surroundings, begin};
use crate::trajectory::Walk;
use crate::{Area, MobilityError, Speeds, Trajectory};

/// Random walk: after each stretch a new direction and a new speed; borders reflect. Places are
/// equally likely at any time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RandomWalkConfig {
    /// Where it moves.
    pub area: Area,
    /// How fast.
    pub speed: Speeds,
    /// How long a stretch is: a time (`10s`) or a length (`100m`).
    pub every: Stretch,
}

/// An interval of time or of distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// An interval of time.
    Time(Duration),
    /// A distance.
    Length(Length),
}

impl FromStr for Stretch {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        // The error for a text that is neither is that of a time, since times are more likely.
        match text.parse() {
            Ok(length) => Ok(Self::Length(length)),
            Err(_) => text.parse().map(Self::Time),
        }
    }
}

impl fmt::Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(time) => time.fmt(f),
            Self::Length(length) => length.fmt(f),
        }
    }
}

text_quantity!(
    Stretch,
    "stretch",
    r"^[0-9]+(\.[0-9]+)? *(ns|us|µs|ms|s|min|h|um|µm|mm|cm|m|km)$",
    "A length of time or of the way, with its unit.",
    "10s"
);

impl Configured for RandomWalkConfig {
    fn check(&self) -> Result<(), String> {
        match self.every {
            Stretch::Time(Duration::ZERO) | Stretch::Length(Length::ZERO) => {
                Err("`every` must be more than 0".into())
            }
            Stretch::Time(_) => Ok(()),
            Stretch::Length(_) => {
                self.speed.above_zero().map_err(|error| format!("speed: {error}"))
            }
        }
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        let mut stream = given.stream.clone();
        let path = Trajectory::fixed(begin("random_walk", &self.area, given, &mut stream)?);
        let speed = match self.every {
            Stretch::Time(_) => self.speed.draw(&mut stream),
            Stretch::Length(_) => self.speed.draw_underway(&mut stream),
        };
        // The first interval is already in progress.
        let left = stream.uniform();
        let mut walk = RandomWalk { config: self.clone(), stream, bouncing: None };
        walk.bouncing = Some(walk.stretch(&path, speed, left));
        Ok(path.followed_by(Box::new(walk)))
    }
}

/// The state of a node.
#[derive(Debug, Clone)]
struct RandomWalk {
    config: RandomWalkConfig,
    stream: Stream,
    bouncing: Option<Bouncing>,
}

impl RandomWalk {
    /// Begins an interval, or a share of one, in a random direction.
    fn stretch(&mut self, path: &Trajectory, speed: f64, share: f64) -> Bouncing {
        let seconds = match self.config.every {
            Stretch::Time(time) => time.as_secs_f64(),
            Stretch::Length(length) => length.metres() / speed,
        };
        // The movement lasts at least one nanosecond, so that time advances.
        let time = Duration::from_nanos((seconds * share * 1e9).max(1.0) as u64);
        Bouncing::new(self.config.area, path, speed, TAU * self.stream.uniform(), time)
    }
}

impl Walk for RandomWalk {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        if self.bouncing.as_mut().is_some_and(|bouncing| bouncing.step(path)) {
            return true;
        }
        let speed = self.config.speed.draw(&mut self.stream);
        self.bouncing = Some(self.stretch(path, speed, 1.0));
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
