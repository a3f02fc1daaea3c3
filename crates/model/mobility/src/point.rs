//! Points and vectors of the plane and of space.

use std::ops::{Add, Mul, Sub};

/// A point, or a vector, in metres (or m/s): x to the east, y to the north, z up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// To the east.
    pub x: f64,
    /// To the north.
    pub y: f64,
    /// Up.
    pub z: f64,
}

impl Point {
    /// The origin, or no movement.
    pub const ZERO: Point = Point { x: 0.0, y: 0.0, z: 0.0 };

    /// The point (x, y, z), in metres.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// The point (x, y) on the ground, in metres.
    pub const fn flat(x: f64, y: f64) -> Self {
        Self::new(x, y, 0.0)
    }

    /// The scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The square of the length of the vector.
    pub fn square(self) -> f64 {
        self.dot(self)
    }

    /// The length of the vector.
    pub fn length(self) -> f64 {
        libm::sqrt(self.square())
    }

    /// The distance between two points.
    pub fn distance(self, other: Self) -> f64 {
        (self - other).length()
    }

    /// Whether all coordinates are finite numbers.
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}
