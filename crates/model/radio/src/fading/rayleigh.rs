//! Many ways, none of them direct: an exponential factor.

/// The factor.
pub(super) fn factor(draw: &mut dyn FnMut() -> f64) -> f64 {
    -libm::log(draw())
}
