//! Places on the Earth, and a plane that touches it.

use serde::{Deserialize, Serialize};

use crate::Point;

/// A place on the WGS 84 ellipsoid.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Geographic {
    /// Latitude in degrees, north positive, −90 to 90.
    pub lat: f64,
    /// Longitude in degrees, east positive, −180 to 180.
    pub lon: f64,
    /// Altitude in m (default 0).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alt: f64,
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Geographic {
    /// Rejects values that are not a place on the Earth.
    ///
    /// # Errors
    /// A sentence about the value that is out of range.
    pub fn check(&self) -> Result<(), String> {
        if !(-90.0..=90.0).contains(&self.lat) {
            return Err(format!("`lat: {}` must be from -90 to 90", self.lat));
        }
        if !(-180.0..=180.0).contains(&self.lon) {
            return Err(format!("`lon: {}` must be from -180 to 180", self.lon));
        }
        if self.alt.abs() <= 1e9 { Ok(()) } else { Err(format!("`alt: {}` is too far", self.alt)) }
    }
}

/// The plane around an origin, which converts degrees to metres: x = N·cos φ₀·Δλ, y = M·Δφ. N and M
/// are the radii of curvature of WGS 84 at the origin.
///
/// The plane is exact at the origin. At a distance d to the north or south of it, at 50° latitude,
/// the relative error of distances is some (d/9000 km)², which is 30 ppm at 50 km. That of
/// distances between east and west is tan φ₀·Δφ, which is 0.9 % at 50 km.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    origin: Geographic,
    /// Metres for each degree, to the east and to the north.
    east: f64,
    north: f64,
}

/// Equatorial radius of WGS 84, in m.
const RADIUS: f64 = 6_378_137.0;
/// Square of the eccentricity of WGS 84.
const ECCENTRICITY: f64 = 6.694_379_990_141_316e-3;

impl Plane {
    /// Creates the plane around `origin`. Its height 0 is the altitude of the origin. There is no
    /// plane around the poles.
    ///
    /// # Errors
    /// If the origin is not a place on the Earth, or is within a degree of a pole.
    pub fn new(origin: Geographic) -> Result<Self, String> {
        origin.check()?;
        if origin.lat.abs() > 89.0 {
            return Err(format!("`lat: {}` is at a pole, where no direction is north", origin.lat));
        }
        let latitude = origin.lat.to_radians();
        let sine = libm::sin(latitude);
        let flattened = 1.0 - ECCENTRICITY * sine * sine;
        let across = RADIUS / libm::sqrt(flattened);
        let along = across * (1.0 - ECCENTRICITY) / flattened;
        let east = (across * libm::cos(latitude)).to_radians();
        Ok(Self { origin, east, north: along.to_radians() })
    }

    /// Converts a place to a point, the shorter way around the Earth.
    pub fn point(&self, place: Geographic) -> Point {
        let across = place.lon - self.origin.lon;
        let across = across - 360.0 * libm::round(across / 360.0);
        let north = place.lat - self.origin.lat;
        Point::new(across * self.east, north * self.north, place.alt - self.origin.alt)
    }

    /// Converts a point to a place.
    pub fn place(&self, point: Point) -> Geographic {
        let lon = self.origin.lon + point.x / self.east;
        Geographic {
            lat: self.origin.lat + point.y / self.north,
            lon: lon - 360.0 * libm::round(lon / 360.0),
            alt: point.z + self.origin.alt,
        }
    }
}
