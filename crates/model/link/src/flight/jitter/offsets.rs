//! Lists of signed delays: samples to draw from, patterns to follow.

use netloom_units::{DataError, DataFormat, Offset, UnitError, check_count, lines, quoted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No length of time takes more characters.
const LONGEST: usize = 64;

/// Signed lengths of time, one a line in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<Offset>", into = "Vec<Offset>")]
#[schemars(with = "Vec<Offset>")]
pub struct Offsets {
    offsets: Vec<Offset>,
    /// The same from the shortest to the longest: their inverse distribution function.
    sorted: Vec<Offset>,
}

impl Offsets {
    /// # Errors
    /// There are none, or more than [`MAX_VALUES`](crate::MAX_VALUES).
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

    /// The value below which a share `u` of all values lies, `u` from 0 to 1: each value is as likely
    /// as the others if `u` is uniform.
    pub(super) fn quantile(&self, u: f64) -> Offset {
        self.sorted[step(u, self.sorted.len())]
    }
}

/// The step of `count` even ones, from 0, in which `u`, from 0 to 1, lies.
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
