//! One way that is stronger than the others: |√(K/(K+1)) + CN(0, 1/(K+1))|².

use crate::normal;

/// The factor for a plain ratio K of the direct way's power to that of all others.
pub(super) fn factor(ratio: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
    let direct = libm::sqrt(ratio / (ratio + 1.0));
    // Half of the scattered power in each of the two parts of a complex number.
    let scattered = libm::sqrt(0.5 / (ratio + 1.0));
    let real = direct + scattered * normal::quantile(draw());
    let imaginary = scattered * normal::quantile(draw());
    real * real + imaginary * imaginary
}
