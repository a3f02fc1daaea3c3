//! The uniform distribution.

use netloom_units::Stream;
use serde::{Deserialize, Serialize};

use super::{Amount, Shape, positive};

/// Uniform between two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UniformOf{T}"))]
#[serde(deny_unknown_fields)]
pub struct Uniform<T> {
    /// The least value.
    pub from: T,
    /// The greatest value.
    pub to: T,
}

impl<T: Amount> Uniform<T> {
    pub(super) fn check(&self) -> Result<(), String> {
        match self.from < self.to {
            true => positive(self.to, "`to`"),
            false => Err(format!("`to: {}` must be above `from: {}`", self.to, self.from)),
        }
    }

    pub(super) fn shape(&self) -> UniformShape {
        UniformShape { from: self.from.base_units(), to: self.to.base_units() }
    }
}

#[derive(Debug)]
pub(super) struct UniformShape {
    from: f64,
    to: f64,
}

impl Shape for UniformShape {
    fn mean(&self) -> f64 {
        (self.from + self.to) / 2.0
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        self.from + stream.uniform() * (self.to - self.from)
    }

    /// A uniform part of a value, which is drawn with a probability proportional to its length:
    /// with density x / (mean · (to − from)).
    fn residual(&self, stream: &mut Stream) -> f64 {
        let (low, high) = (self.from * self.from, self.to * self.to);
        let length = libm::sqrt(low + stream.uniform() * (high - low));
        length * stream.uniform()
    }

    fn at_most(&self, x: f64) -> f64 {
        ((x - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}
