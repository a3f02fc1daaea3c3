//! Places on the ground, and how high satellites are above their horizon.

use netloom_units::{Angle, Time};

use super::{Orbiting, circular};
use crate::{Geographic, Point};

/// The angular rate of the Earth, in radians a second.
const TURN: f64 = 7.292_115_9e-5;

/// The shape of the Earth, and how it stands at the zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Earth {
    /// A sphere of 6371 km, whose prime meridian is at the frame's x at the zero: what circular
    /// orbits go with.
    Sphere,
    /// The ellipsoid of WGS 84, whose prime meridian is at this angle (radians) at the zero: what
    /// SGP4 goes with.
    Ellipsoid(f64),
}

impl Earth {
    /// The place on the ground that something is above of, and how high it is above a sphere of
    /// 6371 km. Latitudes are geocentric: off by up to 0.2° on the ellipsoid.
    pub fn below(self, of: &dyn Orbiting, at: Time) -> Geographic {
        let Point { x, y, z } = of.position(at);
        let length = Point::new(x, y, z).length();
        let meridian = match self {
            Self::Sphere => 0.0,
            Self::Ellipsoid(meridian) => meridian,
        };
        let turned = libm::atan2(y, x) - meridian - TURN * at.since(Time::ZERO).as_secs_f64();
        let lon = (turned.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
        let lat = libm::asin((z / length).clamp(-1.0, 1.0)).to_degrees();
        Geographic { lat, lon, alt: length - circular::RADIUS }
    }
}

/// A place that turns with the Earth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroundStation {
    /// In the frame that turns with the Earth, in m.
    place: Point,
    /// Up, there.
    up: Point,
    /// Where the prime meridian is at the zero, in radians.
    meridian: f64,
}

impl GroundStation {
    /// A station at a place.
    ///
    /// # Errors
    /// It is no place.
    pub fn new(place: Geographic, earth: Earth) -> Result<Self, String> {
        place.check()?;
        let (latitude, longitude) = (place.lat.to_radians(), place.lon.to_radians());
        let (sine, cosine) = (libm::sin(latitude), libm::cos(latitude));
        let (east, north) = (libm::cos(longitude), libm::sin(longitude));
        let up = Point::new(cosine * east, cosine * north, sine);
        let (place, meridian) = match earth {
            Earth::Sphere => (up * (circular::RADIUS + place.alt), 0.0),
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

    /// How high something is above the horizon, in radians.
    pub fn elevation(&self, of: &dyn Orbiting, at: Time) -> f64 {
        libm::asin(self.sine(of, at).clamp(-1.0, 1.0))
    }

    /// How much higher something is than an elevation: the difference of sines, which is smooth.
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
