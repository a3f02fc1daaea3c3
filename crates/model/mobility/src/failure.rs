//! Why a model gives no trajectory.

use thiserror::Error;

use crate::TraceFormat;

/// Why a model gives no trajectory.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MobilityError {
    /// A place in degrees, without a place for the plane's origin.
    #[error(
        "places in degrees need to know where the plane's origin is, like \
         `origin: {{lat: 48.78, lon: 9.18}}`"
    )]
    NoOrigin,
    /// A file has not been read.
    #[error("the file {0} has not been read")]
    Unread(String),
    /// A trace of another format than is written.
    #[error("`format: {written}`, but the file is {found}")]
    OtherFormat {
        /// The format in the scenario.
        written: TraceFormat,
        /// The format of the file.
        found: TraceFormat,
    },
    /// A trace without the node.
    #[error("the trace has no node `{node}`; {known}; `node:` says which one it is")]
    UnknownNode {
        /// Who was asked for.
        node: String,
        /// Who is there, in words.
        known: String,
    },
    /// A position for a model that has its own start.
    #[error("`{model}` draws or reads where a node begins; leave its `position` away")]
    OwnStart {
        /// The model's name.
        model: &'static str,
    },
    /// Waypoints that begin with a pause, without a position.
    #[error("nothing says where the node begins: give it a `position`, or begin with a `to`")]
    NoStart,
    /// Waypoints that begin with a place, and a position.
    #[error(
        "the node has a `position`, and its first waypoint is another start; say how it gets \
         there, with `speed`, `by` or `at`, or leave one of them away"
    )]
    TwoStarts,
    /// A position outside the area.
    #[error("the node's position ({x} m, {y} m) is outside the area of `{model}`")]
    Outside {
        /// The model's name.
        model: &'static str,
        /// In m.
        x: f64,
        /// In m.
        y: f64,
    },
}
