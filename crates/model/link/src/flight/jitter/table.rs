//! Distribution tables of tc (`.dist` files).

use netloom_units::{DataError, DataFormat, Duration, Offset, lines, quoted};
use serde::{Deserialize, Serialize};

use super::offsets::step;

/// Number in a table that stands for one deviation (`NETEM_DIST_SCALE`).
const SCALE: i128 = 8192;

/// Largest number of values that tc and the kernel accept (`NETEM_DIST_MAX`).
const LARGEST: usize = 16_384;

/// A distribution table of tc: the inverse of a distribution function, sampled at even steps, in
/// units of 1/8192 of the deviation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<i16>", into = "Vec<i16>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<i16>"))]
pub struct DistributionTable {
    values: Vec<i16>,
}

impl DistributionTable {
    /// Creates a table.
    ///
    /// # Errors
    /// There are no values, or more than the 16384 that tc accepts.
    pub fn new(values: Vec<i16>) -> Result<Self, String> {
        match values.len() {
            0 => Err("a distribution table needs at least one value".into()),
            1..=LARGEST => Ok(Self { values }),
            more => Err(format!("a distribution table has at most {LARGEST} values, not {more}")),
        }
    }

    /// The values.
    pub fn values(&self) -> &[i16] {
        &self.values
    }

    /// The smallest offset at `deviation`.
    pub(super) fn shortest(&self, deviation: Duration) -> Offset {
        // A table has at least one value.
        scaled(self.values.iter().copied().min().unwrap_or(0), deviation)
    }

    /// Returns the offset at the quantile `u` from 0 to 1, at `deviation`. This is a table lookup
    /// without interpolation, as in netem.
    pub(super) fn quantile(&self, u: f64, deviation: Duration) -> Offset {
        scaled(self.values[step(u, self.values.len())], deviation)
    }
}

/// `deviation · value / 8192`, rounded to the nearest nanosecond, halves away from zero.
fn scaled(value: i16, deviation: Duration) -> Offset {
    let product = i128::from(deviation.as_nanos()) * i128::from(value);
    let rounded = (product.abs() + SCALE / 2) / SCALE * product.signum();
    Offset::from_nanos(i64::try_from(rounded).unwrap_or(match product.signum() {
        -1 => i64::MIN,
        _ => i64::MAX,
    }))
}

impl TryFrom<Vec<i16>> for DistributionTable {
    type Error = String;
    fn try_from(values: Vec<i16>) -> Result<Self, String> {
        Self::new(values)
    }
}

impl From<DistributionTable> for Vec<i16> {
    fn from(table: DistributionTable) -> Self {
        table.values
    }
}

impl DataFormat for DistributionTable {
    const WHAT: &'static str = "tc distribution table";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut values = Vec::new();
        for (number, line) in lines(text) {
            for word in line.split_whitespace() {
                let value = word.parse().map_err(|_| {
                    let word = quoted(word);
                    let message = format!("{word} is not a whole number from -32768 to 32767");
                    DataError::at(number, message)
                })?;
                values.push(value);
            }
        }
        Self::new(values).map_err(DataError::Whole)
    }
}
