//! Means over repeated runs, with confidence intervals by Student's t.

/// The probability with which an interval contains the true mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// 95 %.
    P95,
    /// 99 %.
    P99,
}

/// A mean with half of its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Half of the interval's width. `None` for a single value.
    pub half: Option<f64>,
    /// Square of the standard error of the mean.
    variance: f64,
    count: usize,
}

impl Interval {
    /// Computes the interval of some values, at least one.
    pub fn of(values: &[f64], level: Level) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = if values.len() > 1 { square / (count - 1.0) / count } else { 0.0 };
        let half = (values.len() > 1).then(|| level.student(values.len() - 1) * variance.sqrt());
        Self { mean, half, variance, count: values.len() }
    }

    /// Returns half of the interval of the difference of two means whose variances may differ
    /// (Welch 1947). `None` if one of them is a single value.
    pub fn half_of_difference(&self, other: &Self, level: Level) -> Option<f64> {
        let (a, b) = (self.variance, other.variance);
        if self.count < 2 || other.count < 2 {
            return None;
        }
        if a + b == 0.0 {
            return Some(0.0);
        }
        let of = |variance: f64, count: usize| variance.powi(2) / (count - 1) as f64;
        let freedom = (a + b).powi(2) / (of(a, self.count) + of(b, other.count));
        // Rounded down, the interval is too wide rather than too narrow.
        Some(level.student((freedom as usize).max(1)) * (a + b).sqrt())
    }
}

impl Level {
    /// Returns the quantile of Student's t with `freedom` degrees of freedom that leaves half of
    /// the remaining probability above it.
    fn student(self, freedom: usize) -> f64 {
        const P95: [f64; 15] = [
            12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
            2.160, 2.145, 2.131,
        ];
        const P99: [f64; 15] = [
            63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055,
            3.012, 2.977, 2.947,
        ];
        let (few, normal) = match self {
            Self::P95 => (P95, 1.959_964_f64),
            Self::P99 => (P99, 2.575_829),
        };
        // For more, the normal quantile with the first term of its expansion.
        let many = || normal + (normal.powi(3) + normal) / (4.0 * freedom as f64);
        few.get(freedom.wrapping_sub(1)).copied().unwrap_or_else(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of five runs: mean 10, standard deviation √2.5.
    #[test]
    fn intervals_are_those_of_student() {
        let one = Interval::of(&[8.0, 9.0, 10.0, 11.0, 12.0], Level::P95);
        assert_eq!(one.mean, 10.0);
        assert!((one.half.unwrap() - 2.776 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-9);
        assert_eq!(Interval::of(&[3.0], Level::P99).half, None);
        // From tables: 2.042 and 2.750 for 30 degrees of freedom.
        assert!((Level::P95.student(30) - 2.042).abs() < 0.005);
        assert!((Level::P99.student(30) - 2.750).abs() < 0.02);
    }

    #[test]
    fn a_difference_has_an_interval_if_both_sides_were_repeated() {
        let few = Interval::of(&[1.0, 2.0, 3.0], Level::P95);
        let same = few.half_of_difference(&few, Level::P95).unwrap();
        // Equal variances and sizes: twice the degrees of freedom of one.
        assert!((same - 2.776 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{same}");
        let single = Interval::of(&[1.0], Level::P95);
        assert_eq!(few.half_of_difference(&single, Level::P95), None);
        let exact = Interval::of(&[2.0, 2.0], Level::P95);
        assert_eq!(exact.half_of_difference(&exact, Level::P95), Some(0.0));
    }
}
