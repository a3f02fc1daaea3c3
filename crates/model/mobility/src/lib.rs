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
//! | `delayed` | a trajectory that begins later |
//! | `contacts` | what movements mean for a network: [`Contacts`] |
//! | `grid` | who may be near a place: [`Grid`] |
//! | [`orbit`] | satellites: where they are, and when they are seen |
//! | `geo` | degrees as metres: [`Geographic`], [`Plane`] |
//! | `model` | mobility models, one file each, and what can be written: [`Mobility`] |
//! | `place` | places, areas and speeds as they are written: [`Place`], [`Area`], [`Speeds`] |
//! | `trace` | recorded movements, one file a format: [`Traces`], [`TraceFormat`] |
//! | `failure` | why a model gives no trajectory: [`MobilityError`] |
//! | `crossing` | when two trajectories cross a distance: [`crossings`], [`Crossing`] |
//!
//! Not here: radio, files (whoever holds them gives their text), clocks.

mod contacts;
mod crossing;
mod delayed;
mod failure;
mod geo;
mod grid;
mod model;
pub mod orbit;
mod place;
mod point;
mod trace;
mod trajectory;

pub use contacts::Contacts;
pub use crossing::{Crossing, crossings, within};
pub use failure::MobilityError;
pub use geo::{Geographic, Plane};
pub use grid::Grid;
pub use model::{
    GaussMarkovConfig, GroupConfig, ManhattanConfig, Mobility, RandomDirectionConfig,
    RandomWalkConfig, RandomWaypointConfig, Start, Stretch, Surroundings, TraceConfig, Waypoint,
    WaypointsConfig,
};
pub use place::{Area, Place, Speeds};
pub use point::Point;
pub use trace::{Movements, TraceFormat, Traces};
pub use trajectory::{Leg, Trajectory};
