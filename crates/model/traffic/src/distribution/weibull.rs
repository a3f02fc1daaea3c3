//! The Weibull distribution.

use netloom_units::Stream;
use serde::{Deserialize, Serialize};

use super::{Amount, Shape, above_zero, gamma, positive, sensible};

/// Weibull: P(X > x) = exp(−(x/λ)^k), written by its mean λΓ(1 + 1/k).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WeibullOf{T}"))]
#[serde(deny_unknown_fields)]
pub struct Weibull<T> {
    /// The mean.
    pub mean: T,
    /// The shape k: below 1 the tail is longer than that of an exponential.
    pub shape: f64,
}

impl<T: Amount> Weibull<T> {
    pub(super) fn check(&self) -> Result<(), String> {
        positive(self.mean, "`mean`")?;
        sensible(self.shape, "shape")?;
        match self.shape >= 0.1 {
            true => Ok(()),
            false => Err(format!("`shape: {}` must be 0.1 or more", self.shape)),
        }
    }

    pub(super) fn shape(&self) -> WeibullShape {
        let (mean, k) = (self.mean.base_units(), self.shape);
        WeibullShape { mean, k, scale: mean / libm::tgamma(1.0 + 1.0 / k) }
    }
}

#[derive(Debug)]
pub(super) struct WeibullShape {
    mean: f64,
    k: f64,
    /// λ.
    scale: f64,
}

impl Shape for WeibullShape {
    fn mean(&self) -> f64 {
        self.mean
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        self.scale * libm::pow(-libm::log(above_zero(stream)), 1.0 / self.k)
    }

    /// With y = (x/λ)^k, ∫₀ˣ exp(−(s/λ)^k) ds / E\[X\] is the regularized gamma function P(1/k, y).
    /// Therefore y has the gamma distribution of shape 1/k.
    fn residual(&self, stream: &mut Stream) -> f64 {
        self.scale * libm::pow(gamma::draw(1.0 / self.k, stream), 1.0 / self.k)
    }

    fn at_most(&self, x: f64) -> f64 {
        1.0 - libm::exp(-libm::pow(x.max(0.0) / self.scale, self.k))
    }
}
