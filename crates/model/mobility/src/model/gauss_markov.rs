//! Gauss-Markov mobility (Liang & Haas 1999). Borders are handled as in Camp, Boleng & Davies 2002.

use std::f64::consts::TAU;

use netloom_units::{Angle, Duration, Speed, Stream};
use serde::{Deserialize, Serialize};

use super::bounce::Bouncing;
use super::{Configured, Surroundings, begin};
use crate::trajectory::Walk;
use crate::{Area, MobilityError, Point, Trajectory};

/// Gauss-Markov: each step's speed is s ← αs + (1−α)s̄ + σ√(1−α²)·w, and its direction likewise.
/// Near borders the mean direction is that of the middle of the area.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct GaussMarkovConfig {
    /// Where it moves.
    pub area: Area,
    /// The mean speed s̄.
    pub mean: Speed,
    /// How much of a step's speed and direction the next one keeps, from 0 (nothing) to below 1.
    pub alpha: f64,
    /// The standard deviation σ of speeds; what would be below 0 is 0.
    pub deviation: Speed,
    /// The standard deviation of directions (default `60deg`).
    #[serde(default = "sixty")]
    pub turn: Angle,
    /// How long a step is (default `1s`).
    #[serde(default = "second")]
    pub every: Duration,
}

fn sixty() -> Angle {
    Angle::from_degrees(60)
}

fn second() -> Duration {
    Duration::from_secs(1)
}

/// A node is near a border if it is within this share of the area's shorter side.
const BORDER: f64 = 0.125;

impl Configured for GaussMarkovConfig {
    fn check(&self) -> Result<(), String> {
        match self.every {
            _ if !(0.0..1.0).contains(&self.alpha) => {
                Err(format!("`alpha: {}` must be from 0 to below 1", self.alpha))
            }
            Duration::ZERO => Err("`every` must be more than 0s".into()),
            _ if self.turn < Angle::ZERO => Err(format!("`turn: {}` is negative", self.turn)),
            _ => Ok(()),
        }
    }

    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        let mut stream = given.stream.clone();
        let path = Trajectory::fixed(begin("gauss_markov", &self.area, given, &mut stream)?);
        let speed =
            self.mean.metres_per_second() + self.deviation.metres_per_second() * stream.gaussian();
        let mean = TAU * stream.uniform();
        let direction = mean + self.turn.radians() * stream.gaussian();
        let config = self.clone();
        let walk = GaussMarkov { config, stream, speed, mean, direction, bouncing: None };
        Ok(path.followed_by(Box::new(walk)))
    }
}

/// The state of a node. Directions are in radians from the east, counterclockwise.
#[derive(Debug, Clone)]
struct GaussMarkov {
    config: GaussMarkovConfig,
    stream: Stream,
    /// Speed in m/s. A node whose speed is below 0 rests.
    speed: f64,
    /// The mean direction.
    mean: f64,
    direction: f64,
    bouncing: Option<Bouncing>,
}

impl GaussMarkov {
    /// Draws the speed and the direction of the next step.
    fn draw(&mut self, at: Point) {
        let alpha = self.config.alpha;
        let fresh = libm::sqrt(1.0 - alpha * alpha);
        let mean = self.config.mean.metres_per_second();
        let noise = self.config.deviation.metres_per_second() * self.stream.gaussian();
        self.speed = alpha * self.speed + (1.0 - alpha) * mean + fresh * noise;
        self.mean = self.inwards(at).unwrap_or(self.mean);
        // Take the shorter way around the circle.
        let off = libm::remainder(self.direction - self.mean, TAU);
        let noise = self.config.turn.radians() * self.stream.gaussian();
        self.direction = self.mean + alpha * off + fresh * noise;
    }

    /// Returns the direction towards the middle of the area, if the node is near a border.
    fn inwards(&self, at: Point) -> Option<f64> {
        let (low, high) = (self.config.area.low(), self.config.area.high());
        let sides = self.config.area.sides();
        let margin = BORDER * sides[0].min(sides[1]);
        let place = [at.x, at.y];
        let is_near = (0..2)
            .any(|axis| place[axis] < low[axis] + margin || place[axis] > high[axis] - margin);
        let middle = |axis: usize| (low[axis] + high[axis]) / 2.0 - place[axis];
        is_near.then(|| libm::atan2(middle(1), middle(0)))
    }
}

impl Walk for GaussMarkov {
    fn step(&mut self, path: &mut Trajectory) -> bool {
        if let Some(bouncing) = &mut self.bouncing {
            if bouncing.step(path) {
                return true;
            }
            // Reflections may have changed the direction. A node that rests has none.
            self.direction = bouncing.direction().unwrap_or(self.direction);
            self.draw(path.end().at);
        }
        let (area, speed) = (self.config.area, self.speed.max(0.0));
        self.bouncing = Some(Bouncing::new(area, path, speed, self.direction, self.config.every));
        true
    }

    fn boxed(&self) -> Box<dyn Walk> {
        Box::new(self.clone())
    }
}
