//! How a symbiotic run is made.

use netloom_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a symbiotic run is made: real hosts, joined by pipes that follow a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Symbiosis {
    /// How often pipes are calibrated; without it, as often as the network's rates allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
    /// By which method.
    pub calibration: CalibrationMethod,
    /// Whether one pipe stands for each chain of links.
    pub downscale: bool,
    /// Which frames are lost.
    pub loss: LossMethod,
    /// What stands for real TCP in the simulation.
    #[serde(default)]
    pub twins: TwinMethod,
}

/// How the reports of a simulation become what pipes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationMethod {
    /// The line of an M/D/1 system in which real frames alone spend the time that they spend in the
    /// network among others.
    #[default]
    Md1,
    /// The network's own links, to which the other traffic of the last period comes again.
    CrossTraffic,
}

/// What stands in the simulation for the TCP connections of real programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TwinMethod {
    /// Each of their packets, when it was sent.
    #[default]
    Packets,
    /// Simulated connections, over which the same bytes are written at the same times.
    Connections,
}

/// Which frames a calibrated pipe loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossMethod {
    /// Those that the network lost, by their numbers in the period.
    #[default]
    Positions,
    /// The network's share, each frame by itself.
    Bernoulli,
    /// The network's share, evenly.
    Systematic,
}
