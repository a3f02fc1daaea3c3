//! Means over repeated runs, with confidence intervals by Student's t.

use crate::student::student;

/// The probability with which an interval contains the true mean, if nothing else is said.
pub const P95: f64 = 0.95;

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
    /// Computes the interval of some values, at least one. `level` is the probability with which it
    /// contains the true mean, above 0 and below 1.
    pub fn of(values: &[f64], level: f64) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let square: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let variance = if values.len() > 1 { square / (count - 1.0) / count } else { 0.0 };
        let half = (values.len() > 1).then(|| student(level, count - 1.0) * variance.sqrt());
        Self { mean, half, variance, count: values.len() }
    }

    /// Returns half of the interval of the difference of two means whose variances may differ
    /// (Welch 1947). `None` if one of them is a single value.
    pub fn half_of_difference(&self, other: &Self, level: f64) -> Option<f64> {
        let (a, b) = (self.variance, other.variance);
        if self.count < 2 || other.count < 2 {
            return None;
        }
        if a + b == 0.0 {
            return Some(0.0);
        }
        let of = |variance: f64, count: usize| variance.powi(2) / (count - 1) as f64;
        let freedom = (a + b).powi(2) / (of(a, self.count) + of(b, other.count));
        Some(student(level, freedom) * (a + b).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of five runs: mean 10, standard deviation √2.5.
    #[test]
    fn intervals_are_those_of_student() {
        let one = Interval::of(&[8.0, 9.0, 10.0, 11.0, 12.0], P95);
        assert_eq!(one.mean, 10.0);
        assert!((one.half.unwrap() - 2.776_445 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-6);
        assert_eq!(Interval::of(&[3.0], P95).half, None);
    }

    #[test]
    fn a_difference_has_an_interval_if_both_sides_were_repeated() {
        let few = Interval::of(&[1.0, 2.0, 3.0], P95);
        let same = few.half_of_difference(&few, P95).unwrap();
        // Equal variances and sizes: twice the degrees of freedom of one.
        assert!((same - 2.776_445 * (2.0_f64 / 3.0).sqrt()).abs() < 1e-6, "{same}");
        let single = Interval::of(&[1.0], P95);
        assert_eq!(few.half_of_difference(&single, P95), None);
        let exact = Interval::of(&[2.0, 2.0], P95);
        assert_eq!(exact.half_of_difference(&exact, P95), Some(0.0));
    }
}
