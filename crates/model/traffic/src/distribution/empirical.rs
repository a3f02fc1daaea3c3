//! Empirical distributions: samples from a list or a file, all equally likely.

use netloom_units::{DataError, DataFormat, Stream, check_count, lines, quoted};
use serde::{Deserialize, Serialize};

use super::{Amount, Shape};

/// The longest text of an amount, in bytes.
const LONGEST: usize = 64;

/// Samples with their units, one a line in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    try_from = "Vec<T>",
    into = "Vec<T>",
    bound(serialize = "T: Amount + Serialize", deserialize = "T: Amount + Deserialize<'de>",)
)]
#[cfg_attr(feature = "schema", schemars(with = "Vec<T>"))]
pub struct Samples<T: Amount>(Vec<T>);

impl<T: Amount> Samples<T> {
    /// # Errors
    /// If there are no samples, too many, or only zeros.
    pub fn new(samples: Vec<T>) -> Result<Self, String> {
        check_count(samples.len(), "a list of samples")?;
        match samples.iter().any(|sample| sample.base_units() > 0.0) {
            true => Ok(Self(samples)),
            false => Err("all samples are 0; their mean must be above 0".into()),
        }
    }

    pub(super) fn shape(&self) -> EmpiricalShape {
        let mut sorted: Vec<f64> = self.0.iter().map(|sample| sample.base_units()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut sum = 0.0;
        let sums = sorted.iter().map(|value| {
            sum += value;
            sum
        });
        EmpiricalShape { sums: sums.collect(), sorted }
    }
}

impl<T: Amount> TryFrom<Vec<T>> for Samples<T> {
    type Error = String;
    fn try_from(samples: Vec<T>) -> Result<Self, String> {
        Self::new(samples)
    }
}

impl<T: Amount> From<Samples<T>> for Vec<T> {
    fn from(samples: Samples<T>) -> Self {
        samples.0
    }
}

impl<T: Amount> DataFormat for Samples<T> {
    const WHAT: &'static str = "list of samples";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut samples = Vec::new();
        for (number, line) in lines(text) {
            if line.len() > LONGEST {
                let message = format!("{} is not a {}", quoted(line), T::WHAT);
                return Err(DataError::at(number, message));
            }
            samples.push(line.parse().map_err(|error| DataError::at(number, error))?);
        }
        Self::new(samples).map_err(DataError::Whole)
    }
}

/// The shape of at least one sample. The sum of all samples is above 0.
#[derive(Debug)]
pub(super) struct EmpiricalShape {
    sorted: Vec<f64>,
    /// For each sample, the sum of the samples up to it.
    sums: Vec<f64>,
}

impl EmpiricalShape {
    fn total(&self) -> f64 {
        self.sums[self.sums.len() - 1]
    }
}

impl Shape for EmpiricalShape {
    fn mean(&self) -> f64 {
        self.total() / self.sorted.len() as f64
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        self.sorted[stream.below(self.sorted.len() as u64) as usize]
    }

    /// A uniform part of a sample, which is drawn with a probability proportional to its length.
    fn residual(&self, stream: &mut Stream) -> f64 {
        let point = stream.uniform() * self.total();
        let index = self.sums.partition_point(|sum| *sum <= point).min(self.sorted.len() - 1);
        self.sorted[index] * stream.uniform()
    }

    fn at_most(&self, x: f64) -> f64 {
        self.sorted.partition_point(|value| *value <= x) as f64 / self.sorted.len() as f64
    }
}
