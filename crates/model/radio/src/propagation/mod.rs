//! Path loss: how much of a signal is lost over a distance.
//!
//! | file | model |
//! |---|---|
//! | `range` | no loss within a distance, and nothing arrives beyond it |
//! | `free_space` | free space without any obstruction |
//! | `two_ray_ground` | a direct ray, and one that the ground reflects |
//! | `log_distance` | a power of the distance |
//! | `matrix`, `losses` | losses of pairs over time, and the formats of their files |
//! | `grid` | losses between the cells of a grid |

mod free_space;
mod grid;
mod log_distance;
mod losses;
mod matrix;
mod range;
mod two_ray_ground;

use std::fmt;

use netloom_mobility::Point;
use netloom_units::{DataFile, Frequency, Time};
use serde::{Deserialize, Serialize};

use crate::{Path, RadioError, Surroundings};
pub(crate) use free_space::FreeSpace;
use grid::Grid;
pub use grid::{GridConfig, LossGrid};
use log_distance::LogDistance;
pub use log_distance::LogDistanceConfig;
pub use losses::{LossStep, PairLosses};
use matrix::Matrix;
pub use matrix::{Interpolation, MatrixConfig};
pub use range::RangeConfig;
use two_ray_ground::TwoRayGround;

/// The two ends of a signal's path, and the time at which it is sent.
pub(crate) struct Route {
    pub at: Time,
    /// Numbers of the stations.
    pub from: u32,
    pub to: u32,
    /// Positions of the antennas, heights included.
    pub start: Point,
    pub end: Point,
}

impl Route {
    /// Returns the square of the distance, in m². It is at least a square centimetre, since the
    /// formulas are for the far field and their gain grows without bound at shorter distances.
    pub fn square(&self) -> f64 {
        (self.end - self.start).square().max(1e-4)
    }
}

/// A model of path loss.
pub(crate) trait PathLoss: fmt::Debug + Send + Sync {
    /// Returns the path with its loss, or `None` if nothing arrives.
    fn path(&self, route: &Route) -> Option<Path>;
    /// Returns a distance in m beyond which the loss exceeds `loss` dB between antennas up to
    /// `height` m high, or `None` if there is no such distance.
    fn farthest(&self, loss: f64, height: f64) -> Option<f64>;
}

/// How signals get weaker over a distance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Propagation {
    /// All of the signal within a distance, nothing beyond (Maier 2011 §3.7.3; Zheng 2003 §4.3).
    Range(RangeConfig),
    /// Free space: 20·log₁₀(4πdf/c) dB (Friis 1946).
    FreeSpace,
    /// Free space, and from the crossover distance on the ray that the ground reflects (Rappaport
    /// 2001 §4.6).
    TwoRayGround,
    /// Free space up to a reference distance, and from there on a power of the distance
    /// (Rappaport 2001 §4.9).
    LogDistance(LogDistanceConfig),
    /// Losses of pairs over time, from a file.
    Matrix(MatrixConfig),
    /// Losses between the cells of a grid, from a file.
    Grid(GridConfig),
}

impl Propagation {
    /// Rejects invalid parameters.
    ///
    /// # Errors
    /// A sentence about the first invalid key.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Range(range) => range.check(),
            Self::LogDistance(config) => config.check(),
            Self::FreeSpace | Self::TwoRayGround | Self::Matrix(_) | Self::Grid(_) => Ok(()),
        }
    }

    /// Returns all parts that may come from files.
    pub(crate) fn files(&mut self) -> Vec<&mut dyn DataFile> {
        match self {
            Self::Matrix(matrix) => matrix.files(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn at_work(
        &self,
        frequency: Frequency,
        given: &Surroundings<'_>,
    ) -> Result<Box<dyn PathLoss>, RadioError> {
        Ok(match self {
            Self::Range(range) => Box::new(range.clone()),
            Self::FreeSpace => Box::new(FreeSpace::new(frequency)),
            Self::TwoRayGround => Box::new(TwoRayGround::new(frequency)),
            Self::LogDistance(config) => Box::new(LogDistance::new(config, frequency)),
            Self::Matrix(config) => Box::new(Matrix::new(config, given.names)?),
            Self::Grid(config) => Box::new(Grid::new(config, given)?),
        })
    }
}
