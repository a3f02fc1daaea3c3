//! The exponential distribution. It has no memory, so the residual has the same law.

use netloom_units::Stream;

use super::{Shape, above_zero};

/// The exponential distribution with this mean.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exponential(pub f64);

impl Exponential {
    /// Draws the next value.
    pub fn next(&self, stream: &mut Stream) -> f64 {
        -libm::log(above_zero(stream)) * self.0
    }
}

impl Shape for Exponential {
    fn mean(&self) -> f64 {
        self.0
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        self.next(stream)
    }

    fn residual(&self, stream: &mut Stream) -> f64 {
        self.next(stream)
    }

    fn at_most(&self, x: f64) -> f64 {
        1.0 - libm::exp(-x.max(0.0) / self.0)
    }
}
