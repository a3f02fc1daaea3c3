//! The lognormal distribution.

use netloom_units::Stream;
use serde::{Deserialize, Serialize};

use super::{Amount, Shape, positive};

/// The logarithm is normal; written by the mean of the values themselves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LognormalOf{T}"))]
#[serde(deny_unknown_fields)]
pub struct Lognormal<T> {
    /// The mean.
    pub mean: T,
    /// The standard deviation of the natural logarithm.
    pub sigma: f64,
}

impl<T: Amount> Lognormal<T> {
    pub(super) fn check(&self) -> Result<(), String> {
        positive(self.mean, "`mean`")?;
        match self.sigma > 0.0 && self.sigma <= 10.0 {
            true => Ok(()),
            false => Err(format!("`sigma: {}` must be above 0 and at most 10", self.sigma)),
        }
    }

    pub(super) fn shape(&self) -> LognormalShape {
        let (mean, sigma) = (self.mean.base_units(), self.sigma);
        LognormalShape { mean, sigma, location: libm::log(mean) - sigma * sigma / 2.0 }
    }
}

#[derive(Debug)]
pub(super) struct LognormalShape {
    mean: f64,
    sigma: f64,
    /// Mean of the logarithm.
    location: f64,
}

impl Shape for LognormalShape {
    fn mean(&self) -> f64 {
        self.mean
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        libm::exp(self.location + self.sigma * stream.gaussian())
    }

    /// A uniform part of a value, which is drawn with a probability proportional to its length.
    /// Such a value is lognormal, too, with its location increased by σ².
    fn residual(&self, stream: &mut Stream) -> f64 {
        let location = self.location + self.sigma * self.sigma;
        libm::exp(location + self.sigma * stream.gaussian()) * stream.uniform()
    }

    fn at_most(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        let standard = (libm::log(x) - self.location) / self.sigma;
        libm::erfc(-standard / std::f64::consts::SQRT_2) / 2.0
    }
}
