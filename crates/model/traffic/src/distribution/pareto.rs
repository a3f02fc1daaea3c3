//! The Pareto distribution, whose tail falls as a power and may be cut.

use netloom_units::Stream;
use serde::{Deserialize, Serialize};

use super::{Amount, Shape, above_zero, positive};

/// Pareto: P(X > x) = (x_m/x)^α from x_m on, written by its mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ParetoOf{T}"))]
#[serde(deny_unknown_fields)]
pub struct Pareto<T> {
    /// The mean, also where the tail is cut.
    pub mean: T,
    /// The shape α, above 1; up to 2 the variance is infinite.
    pub shape: f64,
    /// Largest value: longer ones count as this (default: nothing is cut).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<T>,
}

impl<T: Amount> Pareto<T> {
    pub(super) fn check(&self) -> Result<(), String> {
        positive(self.mean, "`mean`")?;
        // NaN is not above 1 either.
        if !(self.shape > 1.0 && self.shape <= 1000.0) {
            return Err(match self.shape > 0.0 && self.shape <= 1.0 {
                true => format!("`shape: {}` has no mean: above 1", self.shape),
                false => format!("`shape: {}` must be above 1 and at most 1000", self.shape),
            });
        }
        match self.most {
            Some(most) if most <= self.mean => {
                Err(format!("`most: {most}` must be above `mean: {}`", self.mean))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn shape(&self) -> ParetoShape {
        let (mean, most) = (self.mean.base_units(), self.most.map(Amount::base_units));
        ParetoShape::new(mean, self.shape, most)
    }
}

/// A Pareto distribution from which values are drawn.
#[derive(Debug)]
pub(super) struct ParetoShape {
    mean: f64,
    alpha: f64,
    /// The least value, x_m.
    least: f64,
    most: f64,
}

impl ParetoShape {
    /// Returns the distribution with this mean and shape. Values above `most` count as `most`.
    fn new(mean: f64, alpha: f64, most: Option<f64>) -> Self {
        let least = match most {
            None => mean * (alpha - 1.0) / alpha,
            Some(most) => least_of_cut(mean, alpha, most),
        };
        Self { mean, alpha, least, most: most.unwrap_or(f64::INFINITY) }
    }
}

/// Returns x_m of a Pareto distribution whose tail is cut at `most` and whose mean is `mean`, which
/// must be less. It is the root of m = x_m + x_m/(α − 1)·(1 − (x_m/c)^(α − 1)), which grows with
/// x_m.
fn least_of_cut(mean: f64, alpha: f64, most: f64) -> f64 {
    let mean_with = |x: f64| x + x / (alpha - 1.0) * (1.0 - libm::pow(x / most, alpha - 1.0));
    let (mut low, mut high) = (0.0, mean);
    // A float has 53 binary digits. A root that is many powers of two below the mean takes more
    // halvings than that.
    for _ in 0..128 {
        let middle = low + (high - low) / 2.0;
        match mean_with(middle) < mean {
            true => low = middle,
            false => high = middle,
        }
    }
    low + (high - low) / 2.0
}

impl Shape for ParetoShape {
    fn mean(&self) -> f64 {
        self.mean
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        (self.least * libm::pow(above_zero(stream), -1.0 / self.alpha)).min(self.most)
    }

    /// The inverse of P(R ≤ x), which is x/m up to x_m. From there on it is (x_m + x_m/(α − 1)·(1 −
    /// (x_m/x)^(α − 1)))/m, even if the tail is cut.
    fn residual(&self, stream: &mut Stream) -> f64 {
        let area = self.mean * stream.uniform();
        if area <= self.least {
            return area;
        }
        let beyond = (area / self.least - 1.0) * (self.alpha - 1.0);
        let rest = (1.0 - beyond).max(f64::MIN_POSITIVE);
        (self.least * libm::pow(rest, -1.0 / (self.alpha - 1.0))).min(self.most)
    }

    fn at_most(&self, x: f64) -> f64 {
        match x {
            x if x < self.least => 0.0,
            x if x >= self.most => 1.0,
            x => 1.0 - libm::pow(self.least / x, self.alpha),
        }
    }
}
