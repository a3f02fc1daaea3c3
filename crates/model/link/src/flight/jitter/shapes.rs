//! The delay distributions that have formulas, in units of their deviation.
//!
//! `normal`, `pareto` and `paretonormal` are the distributions from which iproute2 generates its
//! tables of these names (`netem/*.c`), with the same limits. Here values come from the formula,
//! not from a table of 4096 steps.

/// Largest distance of a value from zero: the limit of 16-bit numbers in units of 1/8192.
pub(super) const CLIP: f64 = 4.0;

/// Mean of the Pareto distribution with exponent 3, before it is moved to zero.
const PARETO_MEAN: f64 = 1.5;

/// Uniform distribution from -1 to 1, at the quantile `u` from 0 to 1.
pub(super) fn uniform(u: f64) -> f64 {
    2.0 * u - 1.0
}

/// Standard normal value `z`, limited to [`CLIP`] on both sides.
pub(super) fn normal(z: f64) -> f64 {
    z.clamp(-CLIP, CLIP)
}

/// Pareto distribution with exponent 3, moved to mean 0 and scaled by 4/3, at the quantile `u` from
/// 0 to 1: `((1 - u)^(-1/3) - 3/2) · 4/3`, from -2/3 on.
pub(super) fn pareto(u: f64) -> f64 {
    ((1.0 / libm::cbrt(1.0 - u) - PARETO_MEAN) * 4.0 / 3.0).min(CLIP)
}

/// A quarter of the normal distribution plus three quarters of the Pareto distribution, both at the
/// quantile that `z` has in the standard normal distribution.
pub(super) fn paretonormal(z: f64) -> f64 {
    0.25 * normal(z) + 0.75 * pareto(distribution(z))
}

/// The distribution function of the standard normal distribution.
pub(super) fn distribution(z: f64) -> f64 {
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with the 4096 values of iproute2's `pareto.c`, computed by its steps. iproute2 cuts
    /// the largest ones to 16 bits.
    #[test]
    fn the_formula_gives_the_table() {
        for entry in 0..4096u32 {
            let power = 1.0 / f64::from(65_536 - 16 * entry) * 65_536.0;
            let generated = (power.powf(1.0 / 3.0) - 1.5) * (4.0 / 3.0) * 8192.0;
            let ours = pareto(f64::from(entry) / 4096.0) * 8192.0;
            assert!((ours.min(32_767.0) - generated.min(32_767.0)).abs() < 1e-6, "{entry}");
        }
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        for (z, u) in [(0.0, 0.5), (1.0, 0.841_344_746_068_542_9), (-2.0, 0.022_750_131_948_179_2)]
        {
            assert!((distribution(z) - u).abs() < 1e-15, "{z}");
        }
        assert_eq!((distribution(f64::NEG_INFINITY), distribution(f64::INFINITY)), (0.0, 1.0));
    }

    #[test]
    fn nothing_is_further_from_zero_than_four_deviations() {
        assert_eq!((normal(-7.0), normal(7.0)), (-4.0, 4.0));
        assert_eq!(pareto(1.0), 4.0);
        assert_eq!((paretonormal(-9.0), paretonormal(9.0)), (-1.5, 4.0));
    }
}
