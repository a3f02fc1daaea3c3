//! What satellites of constellations are called, and where they are at which time.

use netloom_mobility::orbit::{Earth, Orbiting, TleError};
use netloom_units::Duration;

use crate::spec::{Constellation, Orbits};

/// The satellites of a constellation at work, and the Earth below them. Times count from when a run
/// begins.
pub(crate) struct Sky {
    pub satellites: Vec<Box<dyn Orbiting>>,
    pub earth: Earth,
}

impl Constellation {
    /// The node that is a satellite: by plane and place, or by the order of its elements.
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

    /// Its satellites for `time` from the beginning of a run on.
    pub(crate) fn sky(&self, time: Duration) -> Result<Sky, TleError> {
        fn boxed<O: Orbiting + 'static>(orbits: Vec<O>) -> Vec<Box<dyn Orbiting>> {
            orbits.into_iter().map(|orbit| Box::new(orbit) as Box<dyn Orbiting>).collect()
        }
        Ok(match &self.orbits {
            Orbits::Walker(walker) => {
                Sky { satellites: boxed(walker.orbits()), earth: Earth::Sphere }
            }
            Orbits::Tle(elements) => {
                let (orbits, earth) = elements.orbits(time)?;
                Sky { satellites: boxed(orbits), earth }
            }
        })
    }
}
