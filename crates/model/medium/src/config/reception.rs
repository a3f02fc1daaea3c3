//! The configuration of reception.

use netloom_units::Loss;
use serde::{Deserialize, Serialize};

/// When a signal is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReceptionRule {
    /// With the probability that follows from its power, and from noise and interference at each
    /// time.
    #[default]
    Sinr,
    /// If it was stronger by `capture.margin` than all interference together, at any time; noise
    /// does not matter.
    Threshold,
    /// If nothing else that can be sensed reached the receiver at any time.
    Collision,
}

/// When a stronger signal takes over from the one that is being received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Capture {
    /// How much stronger (default `10dB`). With `reception: threshold`, a signal also has to be
    /// stronger than interference by so much.
    pub margin: Loss,
    /// When (default `preamble`). With `reception: collision`, never.
    pub when: CaptureWhen,
}

impl Default for Capture {
    fn default() -> Self {
        Self { margin: Loss::from_millionths(10_000_000), when: CaptureWhen::Preamble }
    }
}

/// When a stronger signal may take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CaptureWhen {
    /// During the preamble of the one that is being received.
    #[default]
    Preamble,
    /// At any time.
    Any,
    /// Never.
    None,
}

/// Signals that a free radio begins to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// Signals that it can decode.
    #[default]
    Decodable,
    /// Also what it can only sense, as ns-2 does: it misses what comes meanwhile.
    Any,
}
