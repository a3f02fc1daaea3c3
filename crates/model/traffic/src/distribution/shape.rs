//! The trait of distributions.

use std::fmt;

use netloom_units::Stream;

/// The operations of every distribution. Values are in base units.
pub(super) trait Shape: fmt::Debug + Send + Sync {
    /// Returns the mean.
    fn mean(&self) -> f64;
    /// Draws the next value.
    fn draw(&self, stream: &mut Stream) -> f64;
    /// Draws the part of a value that is left at a random time.
    fn residual(&self, stream: &mut Stream) -> f64;
    /// Returns the probability that a value is at most `x`.
    fn at_most(&self, x: f64) -> f64;
}

/// Draws a number that is uniform in (0, 1], for logarithms and negative powers.
pub(super) fn above_zero(stream: &mut Stream) -> f64 {
    1.0 - stream.uniform()
}
