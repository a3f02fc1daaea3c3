//! The distribution of a constant.

use netloom_units::Stream;

use super::Shape;

/// Always this value.
#[derive(Debug)]
pub(super) struct Constant(pub f64);

impl Shape for Constant {
    fn mean(&self) -> f64 {
        self.0
    }

    fn draw(&self, _: &mut Stream) -> f64 {
        self.0
    }

    fn residual(&self, stream: &mut Stream) -> f64 {
        self.0 * stream.uniform()
    }

    fn at_most(&self, x: f64) -> f64 {
        f64::from(u8::from(x >= self.0))
    }
}
