//! Distributions of durations and sizes: their notation and their random numbers.
//!
//! A distribution is given by its mean. Beside its own values, each gives residuals: the part of a
//! length that is left at a random time. They follow the residual (equilibrium) law P(R > x) = ∫ₓ^∞
//! P(X > y) dy / E\[X\] (Cox, Renewal Theory, 1962, §5.1). A stationary start needs them.
//!
//! | file | distribution |
//! |---|---|
//! | `constant`, `exponential`, `uniform` | the distributions of these names |
//! | `pareto` | heavy tails, optionally cut |
//! | `lognormal`, `weibull` | the distributions of these names |
//! | `empirical` | samples from a list or a file |
//! | `gamma` | random numbers that the residual law of the Weibull distribution needs |
//! | `shape` | the trait of distributions |
//! | `notation` | how a distribution is written |

mod constant;
mod empirical;
mod exponential;
mod gamma;
mod lognormal;
mod notation;
mod pareto;
mod shape;
mod uniform;
mod weibull;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use netloom_units::{Data, DataFile, Stream};
use netloom_units::{Duration, Size, UnitError};

use crate::TrafficError;
pub use empirical::Samples;
pub(crate) use exponential::Exponential;
pub use lognormal::Lognormal;
pub use notation::{DurationDistribution, SizeDistribution};
pub use pareto::Pareto;
use shape::{Shape, above_zero};
pub use uniform::Uniform;
pub use weibull::Weibull;

/// A quantity that can have a distribution, in whole base units: nanoseconds or bytes.
pub trait Amount: Copy + Ord + fmt::Display + FromStr<Err = UnitError> {
    /// Name of the quantity, for messages.
    const WHAT: &'static str;

    /// Returns the amount in base units.
    fn base_units(self) -> f64;
}

impl Amount for Duration {
    const WHAT: &'static str = "duration";
    fn base_units(self) -> f64 {
        self.as_nanos() as f64
    }
}

impl Amount for Size {
    const WHAT: &'static str = "size";
    fn base_units(self) -> f64 {
        self.bytes() as f64
    }
}

/// A distribution of durations or sizes, in its notation.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution<T: Amount> {
    /// Always this value.
    Constant(T),
    /// Exponential with this mean.
    Exponential(T),
    /// Uniform between two bounds.
    Uniform(Uniform<T>),
    /// Pareto: P(X > x) = (x_m/x)^α from x_m on.
    Pareto(Pareto<T>),
    /// Lognormal: the logarithm is normal.
    Lognormal(Lognormal<T>),
    /// Weibull: P(X > x) = exp(−(x/λ)^k).
    Weibull(Weibull<T>),
    /// Drawn from these samples, all equally likely.
    Empirical(Data<Samples<T>>),
}

impl<T: Amount> Distribution<T> {
    /// Returns the law from which values are drawn.
    ///
    /// # Errors
    /// If the file has not been read.
    pub fn law(&self) -> Result<Law, TrafficError> {
        Ok(Law(match self {
            Self::Constant(value) => Arc::new(constant::Constant(value.base_units())),
            Self::Exponential(mean) => Arc::new(exponential::Exponential(mean.base_units())),
            Self::Uniform(uniform) => Arc::new(uniform.shape()),
            Self::Pareto(pareto) => Arc::new(pareto.shape()),
            Self::Lognormal(lognormal) => Arc::new(lognormal.shape()),
            Self::Weibull(weibull) => Arc::new(weibull.shape()),
            Self::Empirical(data) => {
                let samples = data.values().ok_or_else(|| TrafficError::unread(data.file()))?;
                Arc::new(samples.shape())
            }
        }))
    }

    /// Returns the part that comes from a file, if there is one.
    pub(crate) fn file(&mut self) -> Option<&mut dyn DataFile>
    where
        T: Send + Sync + 'static,
    {
        match self {
            Self::Empirical(data) => Some(data),
            _ => None,
        }
    }

    /// Returns the shape α of the tail, if the tail falls as a power of x and is not cut.
    pub fn tail(&self) -> Option<f64> {
        match self {
            Self::Pareto(pareto) => pareto.most.is_none().then_some(pareto.shape),
            _ => None,
        }
    }

    /// Returns the distribution if its parameters are valid, else the reason why not.
    fn checked(self) -> Result<Self, String> {
        match &self {
            Self::Constant(value) => positive(*value, "this")?,
            Self::Exponential(mean) => positive(*mean, "the mean")?,
            Self::Uniform(uniform) => uniform.check()?,
            Self::Pareto(pareto) => pareto.check()?,
            Self::Lognormal(lognormal) => lognormal.check()?,
            Self::Weibull(weibull) => weibull.check()?,
            Self::Empirical(_) => {}
        }
        Ok(self)
    }
}

/// Refuses an amount of zero.
fn positive<T: Amount>(amount: T, what: &str) -> Result<(), String> {
    match amount.base_units() > 0.0 {
        true => Ok(()),
        false => Err(format!("{what} is {amount}; a {} here must be above 0", T::WHAT)),
    }
}

/// Refuses a shape that is not a number from above 0 to 1000.
fn sensible(shape: f64, key: &str) -> Result<(), String> {
    match shape > 0.0 && shape <= 1000.0 {
        true => Ok(()),
        false => Err(format!("`{key}: {shape}` must be above 0 and at most 1000")),
    }
}

/// A distribution from which values are drawn, in base units: nanoseconds or bytes.
#[derive(Debug, Clone)]
pub struct Law(Arc<dyn Shape>);

impl Law {
    /// Returns the mean.
    pub fn mean(&self) -> f64 {
        self.0.mean()
    }

    /// Draws the next value.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        self.0.draw(stream)
    }

    /// Draws the part of a value that is left at a random time.
    pub fn draw_residual(&self, stream: &mut Stream) -> f64 {
        self.0.residual(stream)
    }

    /// Returns the probability that a value is at most `x`.
    pub fn at_most(&self, x: f64) -> f64 {
        self.0.at_most(x)
    }

    /// Draws the next value as a duration. Base units are nanoseconds, rounded to the nearest. The
    /// result is at least 1 ns, so that time advances.
    pub fn duration(&self, stream: &mut Stream) -> Duration {
        nanoseconds(self.draw(stream)).max(Duration::from_nanos(1))
    }

    /// Draws the next value as a size. Base units are bytes, rounded to the nearest. The result is
    /// at least 1.
    pub(crate) fn size(&self, stream: &mut Stream) -> Size {
        Size::from_bytes((libm::round(self.draw(stream)) as u64).max(1))
    }

    /// Draws the part of a duration that is left at a random time.
    pub(crate) fn residual_duration(&self, stream: &mut Stream) -> Duration {
        nanoseconds(self.draw_residual(stream))
    }
}

/// Returns the nearest whole number of nanoseconds.
pub(crate) fn nanoseconds(value: f64) -> Duration {
    // The conversion to an integer saturates.
    Duration::from_nanos(libm::round(value) as u64)
}
