//! Options of symbiotic runs.

use netloom_units::Duration;
use serde::{Deserialize, Serialize};

/// Options of a symbiotic run: real hosts, joined by pipes that follow a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Symbiosis {
    /// Time between calibrations of the pipes. Absent: the shortest that the network's rates allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
    /// Method that converts the simulation's reports to settings of the pipes.
    pub calibration: CalibrationMethod,
    /// Whether each chain of links becomes one pipe.
    pub downscale: bool,
    /// Which frames are lost.
    pub loss: LossMethod,
    /// Representation of real TCP in the simulation.
    #[serde(default)]
    pub twins: TwinMethod,
}

/// Method that converts the reports of a simulation to settings of pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CalibrationMethod {
    /// The line of an M/D/1 system in which real frames alone spend as much time as they spend in
    /// the network among other frames.
    #[default]
    Md1,
    /// The network's own links, with the other traffic of the last period repeated on them.
    CrossTraffic,
}

/// Representation of the TCP connections of real programs in the simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TwinMethod {
    /// Each packet of the connection, at the time when it was sent.
    #[default]
    Packets,
    /// Simulated connections, over which the same bytes are written at the same times.
    Connections,
}

/// Selection of the frames that a calibrated pipe loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LossMethod {
    /// Those that the network lost, identified by their numbers in the period.
    #[default]
    Positions,
    /// As large a share as the network lost, drawn independently for each frame.
    Bernoulli,
    /// As large a share as the network lost, evenly spaced.
    Systematic,
}
