//! Mobility models: what can be written, and the trajectory that each makes of it.
//!
//! | file | model |
//! |---|---|
//! | `waypoints` | places one after the other |
//! | `random_walk` | a new direction after each stretch of time or way |
//! | `random_direction` | a new direction after a random time, and a pause |
//! | `random_waypoint` | to random places, with pauses |
//! | `manhattan` | along the streets of a grid |
//! | `gauss_markov` | speed and direction that change little by little |
//! | `group` | around a leader that moves by itself |
//! | `trace` | what was recorded |
//! | `bounce` | straight ways that borders reflect, which some of them share |

mod bounce;
mod gauss_markov;
mod group;
mod manhattan;
mod random_direction;
mod random_walk;
mod random_waypoint;
mod trace;
mod waypoints;

use netloom_units::{DataFile, FileError, Stream, load_files};
use schemars::JsonSchema;
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

/// Everything that a model needs beside its own keys.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The node's name, by which a trace knows it.
    pub node: &'a str,
    /// The node's position, if one is written: where it begins.
    pub position: Option<Point>,
    /// The node's random numbers: the stream `NODE/mobility`.
    pub stream: &'a Stream,
    /// The random numbers that all members of its group share: the stream `GROUP/mobility`.
    pub group: &'a Stream,
    /// The plane that makes metres of degrees.
    pub plane: Option<&'a Plane>,
}

/// The common face of all models' configurations.
trait Configured {
    /// Refuses values that make no sense.
    fn check(&self) -> Result<(), String>;
    /// The values in it that may come from files.
    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        Vec::new()
    }
    /// The trajectory of a node.
    fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError>;
}

/// Declares the models from one table: the name that is written, and the parameters.
macro_rules! models {
    ($($(#[doc = $doc:literal])* $variant:ident($config:ty) = $name:literal;)*) => {
        /// A mobility model and its parameters, written as `{random_waypoint: {…}}`.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "MobilityTable", into = "MobilityTable")]
        #[schemars(with = "MobilityTable")]
        pub enum Mobility {
            $($(#[doc = $doc])* $variant($config),)*
        }

        /// A mobility model.
        #[derive(Serialize, Deserialize, JsonSchema)]
        #[schemars(rename = "Mobility")]
        enum MobilityTable {
            $($(#[doc = $doc])* #[serde(rename = $name)] $variant($config),)*
        }

        impl TryFrom<MobilityTable> for Mobility {
            type Error = String;
            fn try_from(table: MobilityTable) -> Result<Self, String> {
                let model = match table {
                    $(MobilityTable::$variant(config) => Self::$variant(config),)*
                };
                model.checked()
            }
        }

        impl From<Mobility> for MobilityTable {
            fn from(model: Mobility) -> Self {
                match model {
                    $(Mobility::$variant(config) => Self::$variant(config),)*
                }
            }
        }

        impl Mobility {
            /// The names of all models, each with what it is.
            pub const ALL: &[(&str, &str)] = &[$(($name, concat!($($doc),*))),*];

            /// The model's name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            fn configured(&self) -> &dyn Configured {
                match self {
                    $(Self::$variant(config) => config,)*
                }
            }

            fn configured_mut(&mut self) -> &mut dyn Configured {
                match self {
                    $(Self::$variant(config) => config,)*
                }
            }
        }
    };
}

models! {
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
    /// The model, if its parameters make sense.
    ///
    /// # Errors
    /// A sentence about the first key that makes no sense.
    pub fn checked(self) -> Result<Self, String> {
        self.configured().check().map(|()| self)
    }

    /// Everything in it that may come from files.
    pub fn files(&mut self) -> Vec<&mut dyn DataFile> {
        self.configured_mut().files()
    }

    /// Reads in every file that the model names; `read` gives a file's text.
    ///
    /// # Errors
    /// One for each file that cannot be read or is malformed.
    pub fn load<E>(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<String, E>,
    ) -> Result<(), Vec<FileError<E>>> {
        let property = self.name();
        load_files(self.files().into_iter().map(|file| (property, file)), read)
    }

    /// The trajectory of a node. Models that never end draw it as it is extended.
    ///
    /// # Errors
    /// A file has not been read or does not have the node, a position is where there should be
    /// none, or places are in degrees without a plane.
    pub fn trajectory(&self, given: &Surroundings<'_>) -> Result<Trajectory, MobilityError> {
        self.configured().trajectory(given)
    }
}

/// Refuses a position for a model that draws its own.
fn no_position(model: &'static str, given: &Surroundings<'_>) -> Result<(), MobilityError> {
    match given.position {
        Some(_) => Err(MobilityError::OwnStart { model }),
        None => Ok(()),
    }
}

/// Where a node begins in an area: where it is written, or anywhere.
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
