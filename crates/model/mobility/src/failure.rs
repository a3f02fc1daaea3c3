//! Errors of the creation of trajectories.

use thiserror::Error;

/// The reason why a model cannot create a trajectory.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MobilityError {
    /// A place is in degrees, but the plane has no origin.
    #[error(
        "places in degrees need to know where the plane's origin is, like \
         `origin: {{lat: 48.78, lon: 9.18}}`"
    )]
    NoOrigin,
    /// A file has not been read.
    #[error("the file {0} has not been read")]
    Unread(String),
    /// The format of a trace differs from the configured one.
    #[error("`format: {written}`, but the file is {found}")]
    OtherFormat {
        /// The format in the scenario.
        written: &'static str,
        /// The format of the file.
        found: &'static str,
    },
    /// The places of a format that has speeds cannot be degrees.
    #[error(
        "`degrees: true`, but speeds of ns-2 are metres a second; convert the file to metres first"
    )]
    SpeedsInMetres,
    /// The places of a format that is always in degrees cannot be metres.
    #[error("`degrees: false`, but the file says that its places are degrees")]
    AlwaysDegrees,
    /// A place that should be in degrees is none on the Earth.
    #[error("`degrees: true`, but node {node} of the file is elsewhere: {problem}")]
    NoPlace {
        /// The node of the file.
        node: String,
        /// The value that is out of range.
        problem: String,
    },
    /// The trace does not contain the node.
    #[error("the trace has no node `{node}`; {known}; `node:` says which one it is")]
    UnknownNode {
        /// The requested node.
        node: String,
        /// The nodes of the trace, in words.
        known: String,
    },
    /// The node has a position, but its model determines the start itself.
    #[error("`{model}` draws or reads where a node begins; leave its `position` away")]
    OwnStart {
        /// Name of the model.
        model: &'static str,
    },
    /// The waypoints begin with a pause, and the node has no position.
    #[error("nothing says where the node begins: give it a `position`, or begin with a `to`")]
    NoStart,
    /// The waypoints begin with a place, and the node has a position, too.
    #[error(
        "the node has a `position`, and its first waypoint is another start; say how it gets \
         there, with `speed`, `by` or `at`, or leave one of them away"
    )]
    TwoStarts,
    /// The position is outside the area.
    #[error("the node's position ({x} m, {y} m) is outside the area of `{model}`")]
    Outside {
        /// Name of the model.
        model: &'static str,
        /// Coordinate to the east, in m.
        x: f64,
        /// Coordinate to the north, in m.
        y: f64,
    },
}
