//! Lists of signed delays: samples to draw from, or patterns to follow.

use netloom_units::{DataError, DataFormat, Offset, UnitError, check_count, lines, quoted};
use serde::{Deserialize, Serialize};

/// Largest number of characters of a length of time.
const LONGEST: usize = 64;

/// A list of signed lengths of time. In a file, each is on its own line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Offset>", into = "Vec<Offset>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<Offset>"))]
pub struct Offsets {
    offsets: Vec<Offset>,
    /// The offsets in ascending order: their inverse distribution function.
    sorted: Vec<Offset>,
}

impl Offsets {
    /// Creates a list of offsets.
    ///
    /// # Errors
    /// The list is empty, or longer than [`MAX_VALUES`](crate::MAX_VALUES).
    pub fn new(offsets: Vec<Offset>) -> Result<Self, String> {
        check_count(offsets.len(), "a list of delays")?;
        let mut sorted = offsets.clone();
        sorted.sort_unstable();
        Ok(Self { offsets, sorted })
    }

    /// The values, in the order given.
    pub fn as_slice(&self) -> &[Offset] {
        &self.offsets
    }

    /// The shortest value.
    pub(super) fn shortest(&self) -> Offset {
        self.sorted[0]
    }

    /// Returns the value below which a share `u` of all values lies, with `u` from 0 to 1. If `u`
    /// is uniform, all values are equally likely.
    pub(super) fn quantile(&self, u: f64) -> Offset {
        self.sorted[step(u, self.sorted.len())]
    }
}

/// Divides the range from 0 to 1 into `count` equal steps and returns the index of the one with
/// `u`.
pub(super) fn step(u: f64, count: usize) -> usize {
    ((u * count as f64) as usize).min(count - 1)
}

impl TryFrom<Vec<Offset>> for Offsets {
    type Error = String;
    fn try_from(offsets: Vec<Offset>) -> Result<Self, String> {
        Self::new(offsets)
    }
}

impl From<Offsets> for Vec<Offset> {
    fn from(offsets: Offsets) -> Self {
        offsets.offsets
    }
}

impl DataFormat for Offsets {
    const WHAT: &'static str = "list of delays";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut offsets = Vec::new();
        for (number, line) in lines(text) {
            if line.len() > LONGEST {
                let message = format!("{} is not a length of time", quoted(line));
                return Err(DataError::at(number, message));
            }
            offsets.push(line.parse().map_err(|error: UnitError| DataError::at(number, error))?);
        }
        Self::new(offsets).map_err(DataError::Whole)
    }
}
