//! Random direction (Royer, Melliar-Smith & Moser 2001), with borders that reflect (Nain, Towsley,
//! Liu & Liu 2005).

use std::f64::consts::TAU;

use netloom_units::{Duration, Stream};
use serde::{Deserialize, Serialize};

use super::bounce::Bouncing;
use super::{Configured, Surroundings, begin};
use crate::trajectory::Walk;
use crate::{Area, MobilityError, Speeds, Trajectory};

/// Random direction: a direction and a speed for an exponential time, a pause, and again; borders
/// reflect. Places are equally likely at any time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RandomDirectionConfig {
    /// Where it moves.
    pub area: Area,
    /// How fast.
    pub speed: Speeds,
    /// For how long it moves in one direction, on average.
    pub every: Duration,
    /// How long it rests then (default `0s`).
    #[serde(default)]
    pub pause: Duration,
}

impl Configured for RandomDirectionConfig {
    fn check(&self) -> Result<(), String> {
        match self.every {
            Duration::ZERO => Err("`every` must be more than 0s".into()),
            _ => Ok(()),
        }
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        let mut stream = given.stream.clone();
        let mut path =
            Trajectory::fixed(begin("random_direction", &self.area, given, &mut stream)?);
        let (pause, every) = (self.pause.as_secs_f64(), self.every.as_secs_f64());
        if stream.chance(pause / (pause + every)) {
            path.rest(Duration::from_nanos((pause * stream.uniform() * 1e9) as u64));
        }
        let mut walk = RandomDirection { config: self.clone(), stream, bouncing: None };
        // The remaining part of an exponential time has the same distribution as a whole one.
        walk.bouncing = Some(walk.stretch(&path));
        Ok(path.followed_by(Box::new(walk)))
    }
}

/// The state of a node.
#[derive(Debug, Clone)]
struct RandomDirection {
    config: RandomDirectionConfig,
    stream: Stream,
    bouncing: Option<Bouncing>,
}

impl RandomDirection {
    fn stretch(&mut self, path: &Trajectory) -> Bouncing {
        let seconds = -self.config.every.as_secs_f64() * libm::log(1.0 - self.stream.uniform());
        let time = Duration::from_nanos((seconds * 1e9).max(1.0) as u64);
        let speed = self.config.speed.draw(&mut self.stream);
        Bouncing::new(self.config.area, path, speed, TAU * self.stream.uniform(), time)
    }
}

impl Walk for RandomDirection {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        if !self.bouncing.as_mut().is_some_and(|bouncing| bouncing.step(path)) {
            path.rest(self.config.pause);
            self.bouncing = Some(self.stretch(path));
        }
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
