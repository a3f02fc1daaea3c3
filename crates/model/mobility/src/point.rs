//! Points and vectors in the plane and in space.

use std::ops::{Add, Mul, Sub};

/// A point or a vector, in metres (or m/s): x to the east, y to the north, z up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Coordinate to the east.
    pub x: f64,
    /// Coordinate to the north.
    pub y: f64,
    /// Height.
    pub z: f64,
}

impl Point {
    /// The origin, or the velocity of an object at rest.
    pub const ZERO: Point = Point { x: 0.0, y: 0.0, z: 0.0 };

    /// Creates the point (x, y, z), in metres.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    /// Creates the point (x, y) on the ground, in metres.
    pub const fn flat(x: f64, y: f64) -> Self {
        Self::new(x, y, 0.0)
    }

    /// Returns the scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// Returns the square of the vector's length.
    pub fn square(self) -> f64 {
        self.dot(self)
    }

    /// Returns the length of the vector.
    pub fn length(self) -> f64 {
        libm::sqrt(self.square())
    }

    /// Returns the distance between two points.
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
