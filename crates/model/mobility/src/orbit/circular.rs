//! Circular orbits around a spherical Earth.

use netloom_units::Time;

use super::Orbiting;
use crate::Point;

/// The Earth's mean radius, in m.
pub(super) const RADIUS: f64 = 6_371_000.0;

/// The Earth's gravitational parameter, in m³/s².
const GRAVITY: f64 = 3.986_004_418e14;

/// A circular orbit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Circular {
    /// Radius of the orbit, in m.
    radius: f64,
    /// Angle along the orbit at time zero, in radians. It is counted from the point where the
    /// satellite crosses the equator northwards.
    phase: f64,
    /// Angular rate, in radians a second.
    rate: f64,
    /// The unit vector to the point where the satellite crosses the equator northwards, and the one
    /// a quarter of a turn later.
    node: Point,
    quarter: Point,
}

impl Circular {
    /// Creates an orbit from its altitude (m), inclination, ascending node and phase (radians).
    pub fn new(altitude: f64, inclination: f64, ascending: f64, phase: f64) -> Self {
        let radius = RADIUS + altitude;
        let (sine, cosine) = (libm::sin(ascending), libm::cos(ascending));
        let (tilt, flat) = (libm::sin(inclination), libm::cos(inclination));
        Self {
            radius,
            phase,
            rate: libm::sqrt(GRAVITY / (radius * radius * radius)),
            node: Point::flat(cosine, sine),
            quarter: Point::new(-sine * flat, cosine * flat, tilt),
        }
    }

    /// Returns the time of one turn, in s.
    pub fn period(&self) -> f64 {
        std::f64::consts::TAU / self.rate
    }
}

impl Orbiting for Circular {
    fn position(&self, at: Time) -> Point {
        let angle = self.phase + self.rate * at.since(Time::ZERO).as_secs_f64();
        (self.node * libm::cos(angle) + self.quarter * libm::sin(angle)) * self.radius
    }
}
