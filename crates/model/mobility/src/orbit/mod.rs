//! Orbits: the positions of satellites, the places from which they are visible, and the times at
//! which that changes.
//!
//! Positions are in metres in a frame that does not rotate with the Earth: x and y are in the plane
//! of the equator, z points north. Times are counted from the constellation's time zero.
//!
//! | file | contents |
//! |---|---|
//! | `circular` | circular orbits around a spherical Earth |
//! | `walker` | constellations of planes (Walker 1984), and the neighbours of each satellite |
//! | `tle` | two-line elements, propagated by SGP4 |
//! | `shell` | the neighbours of satellites whose planes nobody has named |
//! | `ground` | places on the ground, elevation |
//! | `contact` | times at which satellites rise and set, and the choice among them |
//! | `schedule` | approximation of a distance over time by straight lines |

mod circular;
mod contact;
mod ground;
mod schedule;
mod shell;
mod tle;
mod walker;

use netloom_units::Time;

use crate::Point;
pub use circular::Circular;
pub use contact::{Choice, Pass, contacts, passes, sights};
pub use ground::{Earth, GroundStation};
pub use schedule::{ScheduledDistance, schedule};
pub use shell::grid_of;
pub use tle::{Elements, TleError, TleOrbit};
pub use walker::{Neighbours, WalkerConfig};

/// An object whose position in the frame that does not rotate is known at any time.
pub trait Orbiting {
    /// Returns the position, in metres.
    fn position(&self, at: Time) -> Point;
}

/// Returns the distance of two objects, in metres.
pub fn distance(a: &dyn Orbiting, b: &dyn Orbiting, at: Time) -> f64 {
    a.position(at).distance(b.position(at))
}
