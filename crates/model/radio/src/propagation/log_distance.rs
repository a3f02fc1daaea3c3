//! Path loss as a power of the distance (Rappaport 2001 §4.9).

use netloom_units::{Frequency, Length};
use serde::{Deserialize, Serialize};

use super::{FreeSpace, PathLoss, Route};
use crate::Path;

/// Free space up to the reference distance, and 10·n·log₁₀(d/d₀) dB more from there on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogDistanceConfig {
    /// The exponent n, from 1 to 10: 2 in the open, 2.7 to 3.5 in towns, 4 to 6 in buildings.
    pub exponent: f64,
    /// The reference distance d₀ (default `1m`).
    #[serde(default = "metre")]
    pub reference: Length,
}

fn metre() -> Length {
    Length::from_metres(1)
}

impl LogDistanceConfig {
    pub(super) fn check(&self) -> Result<(), String> {
        match self.reference {
            _ if !(1.0..=10.0).contains(&self.exponent) => {
                Err(format!("`exponent: {}` must be from 1 to 10", self.exponent))
            }
            Length::ZERO => Err("`reference` must be more than 0m".into()),
            _ => Ok(()),
        }
    }
}

/// The state of the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogDistance {
    free_space: FreeSpace,
    exponent: f64,
    /// The reference distance in m, and the loss over it in dB.
    reference: f64,
    loss: f64,
}

impl LogDistance {
    pub fn new(config: &LogDistanceConfig, frequency: Frequency) -> Self {
        let free_space = FreeSpace::new(frequency);
        let reference = config.reference.metres();
        let loss = free_space.loss(reference * reference);
        Self { free_space, exponent: config.exponent, reference, loss }
    }
}

impl PathLoss for LogDistance {
    fn path(&self, route: &Route) -> Option<Path> {
        let square = route.square();
        let ratio = square / (self.reference * self.reference);
        Some(Path::decodable(match ratio > 1.0 {
            // The logarithm of a square is twice that of the number; hence 5 and not 10.
            true => self.loss + 5.0 * self.exponent * libm::log10(ratio),
            false => self.free_space.loss(square),
        }))
    }

    fn farthest(&self, loss: f64, _: f64) -> Option<f64> {
        if loss <= self.loss {
            return Some(self.free_space.distance(loss));
        }
        Some(self.reference * libm::pow(10.0, (loss - self.loss) / (10.0 * self.exponent)))
    }
}
