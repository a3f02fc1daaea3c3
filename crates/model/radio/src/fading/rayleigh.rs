//! Rayleigh fading: many paths and none of them direct. The factor is exponential.

/// Draws a factor.
pub(super) fn factor(draw: &mut dyn FnMut() -> f64) -> f64 {
    -libm::log(draw())
}
