//! Walker constellations (Walker 1984): planes of the same inclination, spread evenly around the
//! Earth.

use std::collections::BTreeSet;
use std::f64::consts::{PI, TAU};

use netloom_units::{Angle, Length};
use serde::{Deserialize, Serialize};

use super::Circular;

/// A Walker constellation: `i: T/P/F`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WalkerConfig {
    /// The planes' inclination i.
    pub inclination: Angle,
    /// How many planes there are: P.
    pub planes: u32,
    /// How many satellites there are, all together: T, a multiple of P.
    pub satellites: u32,
    /// How much further satellites of the next plane are, in parts of 360°/T: F, below P.
    #[serde(default)]
    pub phasing: u32,
    /// How high they are above the ground.
    pub altitude: Length,
    /// Planes cross the equator within 180° instead of 360°, so that the first and the last one
    /// move against each other: the seam (default: no).
    #[serde(default)]
    pub star: bool,
}

/// The satellites to which one satellite has links, in a grid of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbours {
    /// The next satellite of the same plane.
    pub ahead: u32,
    /// The satellite of the next plane; `None` across the seam of a star.
    pub beside: Option<u32>,
}

/// Maximum number of satellites of a constellation.
pub(super) const MOST_SATELLITES: u32 = 100_000;

impl WalkerConfig {
    /// Rejects constellations that cannot exist.
    ///
    /// # Errors
    /// A sentence about the first invalid key.
    pub fn check(&self) -> Result<(), String> {
        let Self { planes, satellites, phasing, altitude, .. } = self;
        match () {
            () if !(1..=MOST_SATELLITES).contains(satellites) => {
                Err(format!("`satellites: {satellites}` must be from 1 to {MOST_SATELLITES}"))
            }
            () if *planes == 0 || satellites % planes != 0 => {
                Err(format!("`satellites: {satellites}` is no multiple of `planes: {planes}`"))
            }
            () if phasing >= planes => {
                Err(format!("`phasing: {phasing}` must be less than `planes: {planes}`"))
            }
            () if !(100e3..=1e8).contains(&altitude.metres()) => {
                Err(format!("`altitude: {altitude}` must be from 100km to 100000km"))
            }
            () => Ok(()),
        }
    }

    /// Returns the number of satellites in a plane.
    pub fn in_plane(&self) -> u32 {
        self.satellites / self.planes
    }

    /// Returns the orbits, plane by plane.
    pub fn orbits(&self) -> Vec<Circular> {
        let around = if self.star { PI } else { TAU };
        let (planes, all) = (f64::from(self.planes), f64::from(self.satellites));
        let of = |number: u32| {
            let plane = f64::from(number / self.in_plane());
            let place = f64::from(number % self.in_plane());
            let phase = TAU * place * planes / all + TAU * f64::from(self.phasing) * plane / all;
            let ascending = around * plane / planes;
            Circular::new(self.altitude.metres(), self.inclination.radians(), ascending, phase)
        };
        (0..self.satellites).map(of).collect()
    }

    /// Returns each link of the grid once: the links along the planes and those between them,
    /// satellite by satellite.
    pub fn grid(&self) -> Vec<[u32; 2]> {
        let mut known = BTreeSet::new();
        let links = (0..self.satellites).flat_map(|number| {
            let Neighbours { ahead, beside } = self.neighbours(number);
            std::iter::once(ahead).chain(beside).map(move |other| [number, other])
        });
        // In a plane of one or two satellites the links lead back to the same satellite or are
        // there twice.
        links.filter(|[a, b]| a != b && known.insert([*a.min(b), *a.max(b)])).collect()
    }

    /// Returns the neighbours of a satellite in a grid of links. Each satellite has two links in
    /// its plane and one to each plane beside it. Where planes have three satellites or more, the
    /// [`Neighbours`] of all satellites contain each link exactly once.
    pub fn neighbours(&self, number: u32) -> Neighbours {
        let each = self.in_plane();
        let (plane, place) = (number / each, number % each);
        let ahead = plane * each + (place + 1) % each;
        // After the whole circle the phasing adds up to whole places.
        let beside = match plane + 1 < self.planes {
            true => Some((plane + 1) * each + place),
            false if self.star || self.planes == 1 => None,
            false => Some((place + self.phasing) % each),
        };
        Neighbours { ahead, beside }
    }
}
