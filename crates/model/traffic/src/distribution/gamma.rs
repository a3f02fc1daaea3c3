//! Random numbers from the gamma distribution.

use netloom_units::Stream;

use super::above_zero;

/// Draws from the gamma distribution of this shape and scale 1 (Marsaglia & Tsang 2000).
pub(super) fn draw(shape: f64, stream: &mut Stream) -> f64 {
    if shape < 1.0 {
        let power = libm::pow(above_zero(stream), 1.0 / shape);
        return draw(shape + 1.0, stream) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = stream.gaussian();
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        if libm::log(above_zero(stream)) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}
