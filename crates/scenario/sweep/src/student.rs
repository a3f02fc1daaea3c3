//! Quantiles of Student's t, for any confidence and any number of degrees of freedom.

use libm::lgamma;

/// Returns the `t` for which a variable of Student's distribution with `freedom` degrees of freedom
/// is within ± `t` with the probability `level`, from 0 to below 1.
pub(crate) fn student(level: f64, freedom: f64) -> f64 {
    // P(|T| > t) = I(freedom / (freedom + t²); freedom / 2, 1/2), which falls with t.
    let outside = |t: f64| incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5);
    let wanted = 1.0 - level;
    let (mut low, mut high) = (0.0, 1.0);
    while outside(high) > wanted && high < 1e12 {
        (low, high) = (high, high * 2.0);
    }
    // A bit of the result each.
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if outside(middle) > wanted { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// Returns the regularised incomplete beta function (DLMF 8.17).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast on this side; the other one is by symmetry (8.17.4).
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let log = a * x.ln() + b * (1.0 - x).ln() + lgamma(a + b) - lgamma(a) - lgamma(b);
    log.exp() / a * fraction(x, a, b)
}

/// Evaluates the continued fraction of DLMF 8.17.22 from the back, with more terms than it needs
/// where it is used, whose number grows with the root of the parameters.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let term = |index: u32| {
        let m = f64::from(index / 2);
        if index.is_multiple_of(2) {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        }
    };
    let terms = 40 + 4 * a.max(b).sqrt() as u32;
    1.0 / (1..=terms).rev().fold(1.0, |below, index| 1.0 + term(index) / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From published tables of t (two-sided).
    #[test]
    fn quantiles_are_those_of_tables() {
        let tables = [
            (0.95, 1.0, 12.706),
            (0.95, 2.0, 4.303),
            (0.95, 4.0, 2.776),
            (0.95, 9.0, 2.262),
            (0.95, 30.0, 2.042),
            (0.95, 120.0, 1.980),
            (0.99, 1.0, 63.657),
            (0.99, 4.0, 4.604),
            (0.99, 60.0, 2.660),
            (0.999, 3.0, 12.924),
            (0.5, 5.0, 0.727),
        ];
        for (level, freedom, t) in tables {
            let got = student(level, freedom);
            assert!((got - t).abs() < 6e-4, "{level} {freedom}: {got}, not {t}");
        }
        assert!((student(0.95, 1e7) - 1.959_964).abs() < 1e-5, "the normal distribution's");
    }
}
