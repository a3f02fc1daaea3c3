//! Orbits: where satellites are, from where they are seen, and when that changes.
//!
//! Positions are in metres in a frame that does not turn with the Earth: x and y in the plane of
//! the equator, z to the north. Times count from the constellation's zero.
//!
//! | file | what it has |
//! |---|---|
//! | `circular` | circular orbits around a spherical Earth |
//! | `walker` | constellations of planes (Walker 1984), and who is next to whom |
//! | `tle` | two-line elements, by SGP4 |
//! | `ground` | places on the ground, elevation |
//! | `contact` | when satellites rise and set, and which one a place uses |
//! | `schedule` | a distance over time as straight lines |

mod circular;
mod contact;
mod ground;
mod schedule;
mod tle;
mod walker;

use netloom_units::Time;

use crate::Point;
pub use circular::Circular;
pub use contact::{Choice, Pass, attachments, passes, sights};
pub use ground::{Earth, GroundStation};
pub use schedule::{ScheduledDistance, schedule};
pub use tle::{Elements, TleError, TleOrbit};
pub use walker::{Neighbours, WalkerConfig};

/// Something whose place in the frame that does not turn is known at any time.
pub trait Orbiting {
    /// Where it is, in metres.
    fn position(&self, at: Time) -> Point;
}

/// The distance of two, in metres.
pub fn distance(a: &dyn Orbiting, b: &dyn Orbiting, at: Time) -> f64 {
    a.position(at).distance(b.position(at))
}
