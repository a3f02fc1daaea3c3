//! Shadowing: the random loss or gain through buildings and hills that are not modelled.

use netloom_mobility::Point;
use netloom_units::{Length, Loss};
use serde::{Deserialize, Serialize};

use crate::normal;

/// Log-normal shadowing: a normal number of dB for each pair of places.
///
/// Each place has a number of a Gaussian field, and a pair has (g(a) + g(b))/√2. The field needs no
/// memory: its values at the points of a grid follow from the seed, and between them it is bilinear
/// and scaled to keep its deviation. So the same place has the same shadow, and a step of the
/// grid further it has another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ShadowingConfig {
    /// The standard deviation: 4 to 12 dB outdoors.
    pub deviation: Loss,
    /// The step of the grid, over which shadows change (default `20m`), or `none`: each pair of
    /// stations has one number, wherever they are.
    #[serde(default)]
    pub distance: ShadowDistance,
}

/// Over which distance shadows change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ShadowDistance {
    /// A field of places.
    Field(Length),
    /// One number for each pair.
    Pair(Never),
}

/// The word `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Never {
    /// Not at all.
    #[serde(rename = "none")]
    None,
}

impl Default for ShadowDistance {
    fn default() -> Self {
        Self::Field(Length::from_metres(20))
    }
}

impl ShadowingConfig {
    /// # Errors
    /// A sentence about the invalid key.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.distance {
            ShadowDistance::Field(Length::ZERO) => {
                Err("`distance` must be more than 0m; `none` draws one number a pair".into())
            }
            _ => Ok(()),
        }
    }
}

/// The state of the model.
#[derive(Debug, Clone)]
pub(crate) struct Shadowing {
    seed: u64,
    deviation: f64,
    /// Distance between the points of the field, in m; `None` if each pair has one number.
    step: Option<f64>,
}

/// Maximum shadow, in deviations, in both directions. One shadow in 16,000 exceeds it and is
/// clamped, so that the search for receivers has a bound.
const MOST: f64 = 4.0;

impl Shadowing {
    pub fn new(config: &ShadowingConfig, seed: u64) -> Self {
        let step = match config.distance {
            ShadowDistance::Field(length) => Some(length.metres()),
            ShadowDistance::Pair(_) => None,
        };
        Self { seed, deviation: config.deviation.decibels(), step }
    }

    /// Returns the loss in dB between two stations, which may be negative. It is the same in both
    /// directions.
    pub fn loss(&self, from: (u32, Point), to: (u32, Point)) -> f64 {
        let number = match self.step {
            Some(step) => {
                (self.field(from.1, step) + self.field(to.1, step))
                    * std::f64::consts::FRAC_1_SQRT_2
            }
            None => {
                let (low, high) = (from.0.min(to.0), from.0.max(to.0));
                normal::hashed(self.seed, low.into(), high.into(), 1)
            }
        };
        self.deviation * number.clamp(-MOST, MOST)
    }

    /// Returns the largest possible gain, in dB.
    pub fn most(&self) -> f64 {
        self.deviation * MOST
    }

    /// Returns the value of the field at a place. It is interpolated between the four corners of a
    /// square and scaled so that its variance is 1 everywhere.
    fn field(&self, at: Point, step: f64) -> f64 {
        let (x, y) = (at.x / step, at.y / step);
        let (column, row) = (libm::floor(x), libm::floor(y));
        let (right, up) = (x - column, y - row);
        let corners = [
            (0, 0, (1.0 - right) * (1.0 - up)),
            (1, 0, right * (1.0 - up)),
            (0, 1, (1.0 - right) * up),
            (1, 1, right * up),
        ];
        let (mut sum, mut squares) = (0.0, 0.0);
        for (i, j, weight) in corners {
            let (column, row) = ((column as i64 + i) as u64, (row as i64 + j) as u64);
            sum += weight * normal::hashed(self.seed, column, row, 0);
            squares += weight * weight;
        }
        sum / libm::sqrt(squares)
    }
}
