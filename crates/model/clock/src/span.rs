//! Arithmetic of ranges of real numbers.

use std::ops::{Add, Div, Mul, Sub};

/// All numbers from `low` to `high`. It is empty if `low` is above `high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    pub low: f64,
    pub high: f64,
}

impl Span {
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
    pub const ZERO: Self = Self { low: 0.0, high: 0.0 };

    pub fn around(middle: f64, half: f64) -> Self {
        Self { low: middle - half, high: middle + half }
    }

    pub fn middle(self) -> f64 {
        self.low / 2.0 + self.high / 2.0
    }

    /// Half the distance between the ends.
    pub fn half(self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// Numbers that are in both ranges.
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The least range that holds both.
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Moves both ends into a range.
    pub fn clamp(self, least: f64, most: f64) -> Self {
        Self { low: self.low.clamp(least, most), high: self.high.clamp(least, most) }
    }

    /// By how much `other` reaches beyond this range, on the side where it is more.
    pub fn exceeded_by(self, other: Self) -> f64 {
        (self.low - other.low).max(other.high - self.high).max(0.0)
    }

    /// Range of the product with a number that is not negative.
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }
}

/// Range of the sum.
impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { low: self.low + other.low, high: self.high + other.high }
    }
}

/// Range of the difference from a number.
impl Sub<f64> for Span {
    type Output = Self;

    fn sub(self, other: f64) -> Self {
        Self { low: self.low - other, high: self.high - other }
    }
}

/// Range of the product of positive numbers.
impl Mul for Span {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { low: self.low * other.low, high: self.high * other.high }
    }
}

/// Range of the quotient of positive numbers.
impl Div for Span {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self { low: self.low / other.high, high: self.high / other.low }
    }
}
