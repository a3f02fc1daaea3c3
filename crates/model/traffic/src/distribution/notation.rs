//! The notation of a distribution: a value, or a table that names a distribution.

use std::str::FromStr;

use netloom_units::Data;
use netloom_units::{Duration, Size, UnitError};
use serde::{Deserialize, Serialize};

use super::{Amount, Distribution, Lognormal, Pareto, Samples, Uniform, Weibull};

/// A distribution of durations: `1s`, `{exponential: 1s}`, `{pareto: {mean: 1s, shape: 1.4}}` …
pub type DurationDistribution = Distribution<Duration>;

/// A distribution of sizes: `10kB`, `{exponential: 10kB}` …
pub type SizeDistribution = Distribution<Size>;

/// Distributions by name.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    rename_all = "snake_case",
    bound(serialize = "T: Amount + Serialize", deserialize = "T: Amount + Deserialize<'de>",)
)]
#[cfg_attr(feature = "schema", schemars(rename = "DistributionOf{T}"))]
enum Table<T: Amount> {
    /// Always this.
    Constant(T),
    /// Exponential with this mean.
    Exponential(T),
    /// Uniform between `from` and `to`.
    Uniform(Uniform<T>),
    /// Pareto with this mean and shape.
    Pareto(Pareto<T>),
    /// The logarithm is normal.
    Lognormal(Lognormal<T>),
    /// Weibull with this mean and shape.
    Weibull(Weibull<T>),
    /// A file with one sample a line, or a list of samples, each as likely as the others.
    Empirical(Data<Samples<T>>),
}

impl<T: Amount> TryFrom<Table<T>> for Distribution<T> {
    type Error = String;
    fn try_from(table: Table<T>) -> Result<Self, String> {
        match table {
            Table::Constant(value) => Self::Constant(value),
            Table::Exponential(mean) => Self::Exponential(mean),
            Table::Uniform(uniform) => Self::Uniform(uniform),
            Table::Pareto(pareto) => Self::Pareto(pareto),
            Table::Lognormal(lognormal) => Self::Lognormal(lognormal),
            Table::Weibull(weibull) => Self::Weibull(weibull),
            Table::Empirical(samples) => Self::Empirical(samples),
        }
        .checked()
    }
}

impl<T: Amount> From<&Distribution<T>> for Table<T> {
    fn from(distribution: &Distribution<T>) -> Self {
        match distribution {
            Distribution::Constant(value) => Self::Constant(*value),
            Distribution::Exponential(mean) => Self::Exponential(*mean),
            Distribution::Uniform(uniform) => Self::Uniform(*uniform),
            Distribution::Pareto(pareto) => Self::Pareto(*pareto),
            Distribution::Lognormal(lognormal) => Self::Lognormal(*lognormal),
            Distribution::Weibull(weibull) => Self::Weibull(*weibull),
            Distribution::Empirical(samples) => Self::Empirical(samples.clone()),
        }
    }
}

impl<T: Amount> Distribution<T> {
    fn text(&self) -> Option<String> {
        match self {
            Self::Constant(value) => Some(value.to_string()),
            _ => None,
        }
    }
}

impl<T: Amount> FromStr for Distribution<T> {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let value: T = text.parse().map_err(|error: UnitError| error.to_string())?;
        Self::Constant(value).checked()
    }
}

netloom_units::text_or_table!(
    DurationDistribution,
    Table<Duration>,
    "a duration like `1s`, or a distribution like `{exponential: 1s}`",
    "A duration, or a distribution of durations."
);

netloom_units::text_or_table!(
    SizeDistribution,
    Table<Size>,
    "a size like `10kB`, or a distribution like `{exponential: 10kB}`",
    "A size, or a distribution of sizes."
);
