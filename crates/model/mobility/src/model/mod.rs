//! Mobility models: their configurations, and the trajectories that they create.
//!
//! | file | model |
//! |---|---|
//! | `waypoints` | a list of places |
//! | `random_walk` | a new direction after each interval of time or distance |
//! | `random_direction` | a new direction after a random time, and a pause |
//! | `random_waypoint` | movement to random places, with pauses |
//! | `manhattan` | movement along the streets of a grid |
//! | `gauss_markov` | speed and direction that change gradually |
//! | `group` | movement around a leader that has its own model |
//! | `trace` | recorded movements |
//! | `bounce` | straight movements that borders reflect, which several models use |

mod bounce;
mod gauss_markov;
mod group;
mod manhattan;
mod random_direction;
mod random_walk;
mod random_waypoint;
mod trace;
mod waypoints;

use netloom_units::{DataFile, FileError, Stream, load_files, variants};
use serde::{Deserialize, Serialize};

use crate::{Area, MobilityError, Plane, Point, Trajectory};
pub use gauss_markov::GaussMarkovConfig;
pub use group::GroupConfig;
pub use manhattan::ManhattanConfig;
pub use random_direction::RandomDirectionConfig;
pub use random_walk::{RandomWalkConfig, Stretch};
pub use random_waypoint::{RandomWaypointConfig, Start};
pub use trace::TraceConfig;
pub use waypoints::{Waypoint, WaypointsConfig};

/// Everything that a model needs in addition to its own configuration.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Name of the node, which identifies it in a trace.
    pub node: &'a str,
    /// Position of the node, if the scenario gives one. The node begins there.
    pub position: Option<Point>,
    /// Random numbers of the node: the stream `NODE/mobility`.
    pub stream: &'a Stream,
    /// Random numbers that all members of the node's group share: the stream `GROUP/mobility`.
    pub group: &'a Stream,
    /// The plane that converts degrees to metres.
    pub plane: Option<&'a Plane>,
}

/// The common interface of all models' configurations.
trait Configured {
    /// Rejects invalid values.
    fn check(&self) -> Result<(), String>;
    /// Returns all parts that may come from files.
    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        Vec::new()
    }
    /// Returns what is odd about files that were read, and what helps.
    fn warning(&self) -> Option<String> {
        None
    }
    /// Creates the trajectory of a node.
    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError>;
}

variants! {
    /// A mobility model and its parameters, written as `{random_waypoint: {…}}`.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(try_from = "MobilityTable", into = "MobilityTable")]
    #[cfg_attr(feature = "schema", schemars(with = "MobilityTable"))]
    pub enum Mobility, written as MobilityTable ("Mobility", "A mobility model."),
        matched by each_model;
    /// Places one after the other.
    Waypoints(WaypointsConfig) = "waypoints";
    /// A new direction after each stretch of time or way.
    RandomWalk(RandomWalkConfig) = "random_walk";
    /// A new direction after a random time, and a pause.
    RandomDirection(RandomDirectionConfig) = "random_direction";
    /// To random places, with pauses.
    RandomWaypoint(RandomWaypointConfig) = "random_waypoint";
    /// Along the streets of a grid.
    Manhattan(ManhattanConfig) = "manhattan";
    /// Speed and direction that change little by little (Liang & Haas 1999).
    GaussMarkov(GaussMarkovConfig) = "gauss_markov";
    /// Around a leader that moves by a model of its own (Hong, Gerla, Pei & Chiang 1999).
    Group(GroupConfig) = "group";
    /// As it was recorded.
    Trace(TraceConfig) = "trace";
}

impl Mobility {
    fn configured(&self) -> &dyn Configured {
        each_model!(self, config => config)
    }

    fn configured_mut(&mut self) -> &mut dyn Configured {
        each_model!(self, config => config)
    }

    /// Returns the model if its parameters are valid.
    ///
    /// # Errors
    /// A sentence about the first invalid key.
    pub fn checked(self) -> Result<Self, String> {
        self.configured().check().map(|()| self)
    }

    /// Returns all parts that may come from files.
    pub fn files(&mut self) -> Vec<&mut dyn DataFile> {
        self.configured_mut().files()
    }

    /// Reads every file that the model names. `read` returns a file's text.
    ///
    /// # Errors
    /// One error for each file that cannot be read or is malformed.
    pub fn load<E>(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<String, E>,
    ) -> Result<(), Vec<FileError<E>>> {
        let property = self.name();
        load_files(self.files().into_iter().map(|file| (property, file)), read)
    }

    /// Returns what is odd about files that were read, if anything is: the problem, then `; ` and
    /// what helps.
    pub fn warning(&self) -> Option<String> {
        self.configured().warning()
    }

    /// Creates the trajectory of a node. A model that never ends draws it as it is extended.
    ///
    /// # Errors
    /// If a file has not been read or does not contain the node, if the node has a position that
    /// the model does not allow, or if places are in degrees and there is no plane.
    pub fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        self.configured().trajectory(given)
    }
}

/// Rejects a position for a model that draws the start itself.
fn no_position(model: &'static str, given: &Surroundings<'_>) -> Result<(), MobilityError> {
    match given.position {
        Some(_) => Err(MobilityError::OwnStart { model }),
        None => Ok(()),
    }
}

/// Returns the place in the area where a node begins: its position if it has one, else a random
/// place.
fn begin(
    model: &'static str,
    area: &Area,
    given: &Surroundings<'_>,
    stream: &mut Stream,
) -> Result<Point, MobilityError> {
    match given.position {
        Some(at) if !area.contains(at) => Err(MobilityError::Outside { model, x: at.x, y: at.y }),
        Some(at) => Ok(at),
        None => Ok(area.draw(0.0, stream)),
    }
}
