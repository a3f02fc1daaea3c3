//! Antennas: gain by direction.

use netloom_mobility::Point;
use netloom_units::{Angle, Gain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An antenna, by its gain in each horizontal direction.
///
/// Directions are those of a compass: from the north (y), clockwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Antenna {
    /// 0 dBi in all directions.
    #[default]
    Omni,
    /// One gain within a sector, another one behind it.
    Sector(SectorConfig),
}

/// A sector antenna.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SectorConfig {
    /// Where its middle points, from the north, clockwise (default `0deg`).
    #[serde(default)]
    pub azimuth: Angle,
    /// How wide it is, edge to edge.
    pub width: Angle,
    /// The gain within it.
    pub gain: Gain,
    /// The gain elsewhere.
    pub back: Gain,
}

impl Antenna {
    /// Refuses antennas that make no sense.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Omni => Ok(()),
            Self::Sector(sector) if sector.width <= Angle::ZERO => {
                Err(format!("`width: {}` must be more than 0deg", sector.width))
            }
            Self::Sector(_) => Ok(()),
        }
    }

    /// The gain in dBi at `here` for what is at `there`.
    pub fn gain(&self, here: Point, there: Point) -> f64 {
        match self {
            Self::Omni => 0.0,
            Self::Sector(sector) => sector.gain(azimuth(there - here)),
        }
    }

    /// The largest gain in any direction, in dBi.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Omni => 0.0,
            Self::Sector(sector) => sector.gain.max(sector.back).decibels(),
        }
    }
}

impl SectorConfig {
    fn gain(&self, azimuth: f64) -> f64 {
        let off = (azimuth - self.azimuth.degrees()).rem_euclid(360.0);
        let within = off.min(360.0 - off) <= self.width.degrees() / 2.0;
        if within { self.gain.decibels() } else { self.back.decibels() }
    }
}

/// The direction of a vector in degrees from the north (y), clockwise, from 0 to below 360.
fn azimuth(vector: Point) -> f64 {
    libm::atan2(vector.x, vector.y).to_degrees().rem_euclid(360.0)
}
