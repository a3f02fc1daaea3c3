//! Path loss in free space (Friis 1946).

use std::f64::consts::PI;

use netloom_units::Frequency;

use super::{PathLoss, Route};
use crate::{LIGHT, Path};

/// The model: a loss of 20·log₁₀(4πdf/c) dB.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FreeSpace {
    /// Loss over 1 m, in dB.
    metre: f64,
}

impl FreeSpace {
    pub fn new(frequency: Frequency) -> Self {
        Self { metre: 20.0 * libm::log10(4.0 * PI * frequency.hertz() as f64 / LIGHT) }
    }

    /// Returns the loss in dB over a distance, which is given by its square in m².
    pub fn loss(self, square: f64) -> f64 {
        self.metre + 10.0 * libm::log10(square)
    }

    /// Returns the distance in m over which the loss is `loss` dB.
    pub fn distance(self, loss: f64) -> f64 {
        libm::pow(10.0, (loss - self.metre) / 20.0)
    }
}

impl PathLoss for FreeSpace {
    fn path(&self, route: &Route) -> Option<Path> {
        Some(Path::decodable(self.loss(route.square())))
    }

    fn farthest(&self, loss: f64, _: f64) -> Option<f64> {
        Some(self.distance(loss))
    }
}
