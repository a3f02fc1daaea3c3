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
mod path_loss;
mod range;
mod two_ray_ground;

use netloom_units::{DataFile, Frequency};
use serde::{Deserialize, Serialize};

use crate::{RadioError, Surroundings};
pub(crate) use free_space::FreeSpace;
use grid::Grid;
pub use grid::{GridConfig, LossGrid};
use log_distance::LogDistance;
pub use log_distance::LogDistanceConfig;
pub use losses::{LossStep, PairLosses};
use matrix::Matrix;
pub use matrix::{Interpolation, MatrixConfig};
pub(crate) use path_loss::{PathLoss, Route};
pub use range::RangeConfig;
use two_ray_ground::TwoRayGround;

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
            Self::Grid(config) => Box::new(Grid::new(config, given.grid)?),
        })
    }
}
