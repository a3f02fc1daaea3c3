//! Positions as functions of time: what moves, where it is, and when two come near each other.
//!
//! A [`Trajectory`] is a list of legs, each a start, a point and a velocity, exact between them.
//! Models draw trajectories from named random streams, traces hold recorded ones. Nothing is
//! sampled: a distance is taken at the time for which it is asked, and [`crossings`] are solved.
//!
//! | module | what lives there |
//! |---|---|
//! | `point` | points and vectors: [`Point`] |
//! | `trajectory` | [`Trajectory`] and its [`Leg`]s |
//! | `geo` | degrees as metres: [`Geographic`], [`Plane`] |
//! | `crossing` | when two trajectories cross a distance: [`crossings`], [`Crossing`] |
//!
//! Not here: radio, files (whoever holds them gives their text), clocks.

mod crossing;
mod geo;
mod point;
mod trajectory;

pub use crossing::{Crossing, crossings, within};
pub use geo::{Geographic, Plane};
pub use point::Point;
pub use trajectory::{Leg, Trajectory};
