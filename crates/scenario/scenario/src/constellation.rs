//! Names and positions of the satellites of constellations.

use netloom_mobility::orbit::{Earth, Orbiting, TleError};
use netloom_units::Duration;

use crate::spec::{Constellation, Orbits};

/// Satellites of a constellation with computed orbits, and the Earth. Times count from the
/// beginning of a run.
pub(crate) struct Sky {
    pub satellites: Vec<Box<dyn Orbiting>>,
    pub earth: Earth,
}

impl Sky {
    /// Returns all satellites.
    pub(crate) fn all(&self) -> Vec<&dyn Orbiting> {
        self.satellites.iter().map(AsRef::as_ref).collect()
    }
}

impl Constellation {
    /// Returns the name of a satellite's node: by plane and place, or by the order of its elements.
    pub(crate) fn satellite(&self, number: usize) -> String {
        let name = &self.name;
        match &self.orbits {
            Orbits::Walker(walker) => {
                let each = walker.in_plane() as usize;
                format!("{name}-{}-{}", number / each + 1, number % each + 1)
            }
            Orbits::Tle(_) => format!("{name}-{}", number + 1),
        }
    }

    /// Computes the satellites' orbits for `time` from the beginning of a run.
    pub(crate) fn sky(&self, time: Duration) -> Result<Sky, TleError> {
        fn boxed<O: Orbiting + 'static>(orbits: Vec<O>) -> Vec<Box<dyn Orbiting>> {
            orbits.into_iter().map(|orbit| Box::new(orbit) as Box<dyn Orbiting>).collect()
        }
        Ok(match &self.orbits {
            Orbits::Walker(walker) => {
                let earth = Earth::Sphere(self.meridian.radians());
                Sky { satellites: boxed(walker.orbits()), earth }
            }
            Orbits::Tle(elements) => {
                let (orbits, earth) = elements.orbits(time)?;
                Sky { satellites: boxed(orbits), earth }
            }
        })
    }
}
