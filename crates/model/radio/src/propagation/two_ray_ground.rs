//! Path loss of a direct ray and one that the ground reflects (Rappaport 2001 §4.6).

use std::f64::consts::PI;

use netloom_units::Frequency;

use super::{FreeSpace, PathLoss, Route};
use crate::{LIGHT, Path};

/// The model. Below the crossover distance 4πh₁h₂f/c it is free space, beyond it 40·log₁₀ d −
/// 20·log₁₀(h₁h₂) dB. Both are equal at the crossover.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoRayGround {
    free_space: FreeSpace,
    /// 4πf/c: the crossover distance in m of antennas whose heights have a product of 1 m².
    crossover: f64,
}

impl TwoRayGround {
    pub fn new(frequency: Frequency) -> Self {
        let crossover = 4.0 * PI * frequency.hertz() as f64 / LIGHT;
        Self { free_space: FreeSpace::new(frequency), crossover }
    }

    /// Returns the loss in dB over a distance, which is given by its square in m². `heights` is the
    /// product of the antennas' heights, in m². On the ground itself there is no reflected ray, and
    /// no antenna either. The product therefore counts as at least that of two heights of a
    /// centimetre.
    fn loss(self, square: f64, heights: f64) -> f64 {
        let heights = heights.max(1e-4);
        let crossover = self.crossover * heights;
        if square < crossover * crossover {
            return self.free_space.loss(square);
        }
        20.0 * libm::log10(square) - 20.0 * libm::log10(heights)
    }
}

impl PathLoss for TwoRayGround {
    fn path(&self, route: &Route) -> Option<Path> {
        let heights = route.start.z.max(0.0) * route.end.z.max(0.0);
        Some(Path::decodable(self.loss(route.square(), heights)))
    }

    fn farthest(&self, loss: f64, height: f64) -> Option<f64> {
        let heights = (height * height).max(1e-4);
        let free = self.free_space.distance(loss);
        if free < self.crossover * heights {
            return Some(free);
        }
        Some(libm::pow(10.0, (loss + 20.0 * libm::log10(heights)) / 40.0))
    }
}
