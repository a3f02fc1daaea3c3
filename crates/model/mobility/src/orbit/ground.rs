//! Places on the ground, and the elevation of satellites above their horizon.

use netloom_units::{Angle, Time};

use super::{Orbiting, circular};
use crate::{Geographic, Point};

/// Angular rate of the Earth, in radians a second.
const TURN: f64 = 7.292_115_9e-5;

/// The shape of the Earth, and its rotation angle at time zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Earth {
    /// A sphere of 6371 km. Its prime meridian is at this angle (radians) at time zero, counted
    /// eastwards from the frame's x axis. This shape belongs to circular orbits.
    Sphere(f64),
    /// The ellipsoid of WGS 84. Its prime meridian is at this angle (radians) at time zero. This
    /// shape belongs to SGP4.
    Ellipsoid(f64),
}

impl Earth {
    /// Returns the place on the ground below a satellite, with the satellite's height above a
    /// sphere of 6371 km. Latitudes are geocentric: on the ellipsoid their error is up to 0.2°.
    pub fn below(self, of: &dyn Orbiting, at: Time) -> Geographic {
        let Point { x, y, z } = of.position(at);
        let length = Point::new(x, y, z).length();
        let meridian = match self {
            Self::Sphere(meridian) | Self::Ellipsoid(meridian) => meridian,
        };
        let turned = libm::atan2(y, x) - meridian - TURN * at.since(Time::ZERO).as_secs_f64();
        let lon = (turned.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
        let lat = libm::asin((z / length).clamp(-1.0, 1.0)).to_degrees();
        Geographic { lat, lon, alt: length - circular::RADIUS }
    }
}

/// A place that rotates with the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundStation {
    /// Position in the frame that rotates with the Earth, in m.
    place: Point,
    /// Unit vector that points up at this place.
    up: Point,
    /// Angle of the prime meridian at time zero, in radians.
    meridian: f64,
}

impl GroundStation {
    /// Creates a station at a place.
    ///
    /// # Errors
    /// If the coordinates are not a place on the Earth.
    pub fn new(place: Geographic, earth: Earth) -> Result<Self, String> {
        place.check()?;
        let (latitude, longitude) = (place.lat.to_radians(), place.lon.to_radians());
        let (sine, cosine) = (libm::sin(latitude), libm::cos(latitude));
        let (east, north) = (libm::cos(longitude), libm::sin(longitude));
        let up = Point::new(cosine * east, cosine * north, sine);
        let (place, meridian) = match earth {
            Earth::Sphere(meridian) => (up * (circular::RADIUS + place.alt), meridian),
            Earth::Ellipsoid(meridian) => {
                let flattened = 1.0 - ECCENTRICITY * sine * sine;
                let across = EQUATOR / libm::sqrt(flattened);
                let flat = (across + place.alt) * cosine;
                let z = (across * (1.0 - ECCENTRICITY) + place.alt) * sine;
                (Point::new(flat * east, flat * north, z), meridian)
            }
        };
        Ok(Self { place, up, meridian })
    }

    /// Returns the elevation of a satellite above the horizon, in radians.
    pub fn elevation(&self, of: &dyn Orbiting, at: Time) -> f64 {
        libm::asin(self.sine(of, at).clamp(-1.0, 1.0))
    }

    /// Returns how far a satellite is above an elevation, as the difference of the sines, which is
    /// a smooth function.
    pub(super) fn above(&self, of: &dyn Orbiting, elevation: Angle, at: Time) -> f64 {
        self.sine(of, at) - libm::sin(elevation.radians())
    }

    fn sine(&self, of: &dyn Orbiting, at: Time) -> f64 {
        let way = of.position(at) - self.position(at);
        way.dot(self.turned(self.up, at)) / way.length()
    }

    fn turned(&self, vector: Point, at: Time) -> Point {
        let angle = self.meridian + TURN * at.since(Time::ZERO).as_secs_f64();
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let Point { x, y, z } = vector;
        Point::new(cosine * x - sine * y, sine * x + cosine * y, z)
    }
}

impl Orbiting for GroundStation {
    fn position(&self, at: Time) -> Point {
        self.turned(self.place, at)
    }
}

/// Equatorial radius of WGS 84, in m.
const EQUATOR: f64 = 6_378_137.0;
/// Square of the eccentricity of WGS 84.
const ECCENTRICITY: f64 = 6.694_379_990_141_316e-3;
