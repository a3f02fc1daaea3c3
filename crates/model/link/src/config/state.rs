//! Whether a pipe carries frames.

use serde::{Deserialize, Serialize};

/// Whether a pipe carries frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// Frames pass.
    #[default]
    Up,
    /// Frames offered are dropped.
    Down,
}

/// Treatment of frames in flight when a pipe goes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum InFlight {
    /// They are lost.
    #[default]
    Drop,
    /// They still arrive.
    Deliver,
}
