//! Rician fading: one path is stronger than the others. The factor is |√(K/(K+1)) + CN(0,
//! 1/(K+1))|².

use crate::normal;

/// Draws a factor. `ratio` is K: the power of the direct path, divided by that of all other paths.
pub(super) fn factor(ratio: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
    let direct = libm::sqrt(ratio / (ratio + 1.0));
    // The real and the imaginary part have half of the scattered power each.
    let scattered = libm::sqrt(0.5 / (ratio + 1.0));
    let real = direct + scattered * normal::quantile(draw());
    let imaginary = scattered * normal::quantile(draw());
    real * real + imaginary * imaginary
}
