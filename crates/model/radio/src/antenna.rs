//! Antennas and their gain in each direction.

use netloom_mobility::Point;
use netloom_units::{
    Angle, Data, DataError, DataFile, DataFormat, Gain, check_count, lines, quoted,
};
use serde::{Deserialize, Serialize};

use crate::RadioError;

/// An antenna, by its gain in each horizontal direction.
///
/// Directions are those of a compass: from the north (y), clockwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Antenna {
    /// 0 dBi in all directions.
    #[default]
    Omni,
    /// One gain within a sector, another one behind it.
    Sector(SectorConfig),
    /// Gains of a file: lines of `degrees,dBi`, linear between them, or a list of texts like those
    /// lines.
    Pattern(Data<AntennaPattern>),
}

/// A sector antenna.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Gains by direction, in order of it, from 0 to below 360 degrees: (degrees, dBi).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
pub struct AntennaPattern(Vec<(f64, f64)>);

impl Antenna {
    /// Rejects invalid parameters.
    ///
    /// # Errors
    /// A sentence about the invalid key.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Sector(sector) if sector.width <= Angle::ZERO => {
                Err(format!("`width: {}` must be more than 0deg", sector.width))
            }
            Self::Omni | Self::Sector(_) | Self::Pattern(_) => Ok(()),
        }
    }

    /// Returns the pattern, if the antenna has one; it may come from a file.
    pub fn file(&mut self) -> Option<&mut dyn DataFile> {
        match self {
            Self::Pattern(pattern) => Some(pattern),
            Self::Omni | Self::Sector(_) => None,
        }
    }

    /// Rejects an antenna whose file has not been read. Its gain would be 0 dBi in all directions.
    ///
    /// # Errors
    /// An error that names the file that has not been read.
    pub fn ready(&self) -> Result<(), RadioError> {
        match self {
            Self::Pattern(pattern) if pattern.values().is_none() => {
                Err(RadioError::unread(pattern.file()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the gain in dBi of an antenna at `here` in the direction of `there`.
    pub fn gain(&self, here: Point, there: Point) -> f64 {
        match self {
            Self::Omni => 0.0,
            Self::Sector(sector) => sector.gain(azimuth(there - here)),
            Self::Pattern(pattern) => {
                pattern.values().map_or(0.0, |pattern| pattern.gain(azimuth(there - here)))
            }
        }
    }

    /// Returns the largest gain in any direction, in dBi.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Omni => 0.0,
            Self::Sector(sector) => sector.gain.max(sector.back).decibels(),
            Self::Pattern(pattern) => pattern.values().map_or(0.0, |pattern| {
                pattern.0.iter().map(|(_, gain)| *gain).fold(f64::NEG_INFINITY, f64::max)
            }),
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

/// Returns the direction of a vector in degrees from north (the y axis), clockwise, from 0 to 360.
fn azimuth(vector: Point) -> f64 {
    libm::atan2(vector.x, vector.y).to_degrees().rem_euclid(360.0)
}

impl AntennaPattern {
    /// Creates a pattern from pairs of direction and gain (degrees, dBi), in any order.
    ///
    /// # Errors
    /// If there are no pairs, a value is out of range, or one direction has two gains.
    pub fn new(mut gains: Vec<(f64, f64)>) -> Result<Self, String> {
        check_count(gains.len(), "an antenna's pattern")?;
        for (degrees, gain) in &mut gains {
            if !(degrees.abs() <= 360.0 && gain.abs() <= 1000.0) {
                return Err(format!("{degrees} degrees, {gain} dBi is no gain of an antenna"));
            }
            *degrees = degrees.rem_euclid(360.0);
        }
        gains.sort_by(|a, b| a.0.total_cmp(&b.0));
        // 0 and 360 degrees are the same direction, and many files list both.
        gains.dedup();
        match gains.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(format!("the direction {} has two gains", pair[0].0)),
            None => Ok(Self(gains)),
        }
    }

    fn gain(&self, azimuth: f64) -> f64 {
        let count = self.0.len();
        let after = self.0.partition_point(|(degrees, _)| *degrees <= azimuth);
        let (before, after) = ((after + count - 1) % count, after % count);
        let ((from, low), (to, high)) = (self.0[before], self.0[after]);
        // Interpolate around the circle. With a single entry the span is 0.
        let span = (to - from).rem_euclid(360.0);
        if span == 0.0 {
            return low;
        }
        low + (high - low) * (azimuth - from).rem_euclid(360.0) / span
    }
}

/// Parses `degrees,dBi`. Blanks, tabs and semicolons also separate the two numbers.
fn entry(text: &str) -> Result<(f64, f64), String> {
    let mut numbers = text.split([',', ' ', '\t', ';']).filter(|word| !word.is_empty());
    let mut number = || numbers.next().and_then(|word| word.parse().ok());
    match (number(), number()) {
        (Some(degrees), Some(gain)) if numbers.next().is_none() => Ok((degrees, gain)),
        _ => Err(format!("{} is not `degrees,dBi`", quoted(text))),
    }
}

impl DataFormat for AntennaPattern {
    const WHAT: &'static str = "antenna pattern";

    fn parse(text: &str) -> Result<Self, DataError> {
        let entries = lines(text)
            .map(|(number, line)| entry(line).map_err(|error| DataError::at(number, error)));
        Self::new(entries.collect::<Result<_, _>>()?).map_err(DataError::Whole)
    }
}

impl TryFrom<Vec<String>> for AntennaPattern {
    type Error = String;
    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        Self::new(texts.iter().map(|text| entry(text)).collect::<Result<_, _>>()?)
    }
}

impl From<AntennaPattern> for Vec<String> {
    fn from(pattern: AntennaPattern) -> Self {
        pattern.0.iter().map(|(degrees, gain)| format!("{degrees},{gain}")).collect()
    }
}
