//! Positions as functions of time: how things move, where they are, and when two of them come near
//! each other.
//!
//! A [`Trajectory`] is a list of legs. Each leg has a start, a point and a velocity, and is exact
//! between its ends. Models draw trajectories from named random streams; traces hold recorded ones.
//! Nothing is sampled: a distance is computed for exactly the requested time, and [`crossings`]
//! solves an equation.
//!
//! | module | contents |
//! |---|---|
//! | `point` | points and vectors: [`Point`] |
//! | `trajectory` | [`Trajectory`] and its [`Leg`]s |
//! | `delayed` | a trajectory that begins later |
//! | `contacts` | links and paths that movements result in: [`Contacts`] |
//! | `grid` | search for the points near a place: [`Grid`] |
//! | [`orbit`] | satellites: their positions, and the times at which they are visible |
//! | `geo` | conversion of degrees to metres: [`Geographic`], [`Plane`] |
//! | `model` | mobility models, one in each file, and their configuration: [`Mobility`] |
//! | `place` | places, areas and speeds in a scenario: [`Coordinates`], [`Area`], [`Speeds`] |
//! | `trace` | recorded movements, one format in each file: [`Traces`], [`TraceFormat`] |
//! | `failure` | errors of the creation of trajectories: [`MobilityError`] |
//! | `crossing` | times at which two trajectories cross a distance: [`crossings`], [`Crossing`] |
//!
//! This crate has no radio and no clocks, and it opens no files: the caller passes their text.

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
pub use place::{Area, Coordinates, Speeds};
pub use point::Point;
pub use trace::{Movements, TraceFormat, Traces};
pub use trajectory::{Leg, Trajectory};
