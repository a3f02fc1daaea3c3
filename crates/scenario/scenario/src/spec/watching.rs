//! The measurements of a run, and the conditions under which it counts as disturbed.

use netloom_monitor::{Criteria, Trust};
use netloom_units::Duration;
use serde::{Deserialize, Serialize};

use super::Endpoint;

/// Frames at an interface, captured into the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InterfaceCapture"))]
pub struct Capture {
    /// The interface.
    pub interface: Endpoint,
    /// Whether it has what the link drops on its way from or to the interface, with the reasons.
    pub drops: bool,
}

/// When a run counts as disturbed by its own machine, and what is done then.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Monitor {
    /// Whether the run is watched. One that is not is never said to be valid.
    pub enabled: bool,
    /// Reaction to the beginning of contention.
    pub on_contention: OnContention,
    /// How long the experiment warms up: contention that ends before is reported, but not held
    /// against the run.
    pub warm_up: Duration,
    /// Needs of the run: how much of its machine may show in it.
    pub trust: Trust,
    /// Thresholds and windows.
    pub criteria: Criteria,
}

/// Reactions to the beginning of contention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnContention {
    /// It is reported, and the run goes on.
    #[default]
    Report,
    /// The run ends; what it has measured is kept.
    Abort,
}

/// Measurements of a run beside those that it always makes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measure {
    /// How often the statistics of every pipe are sampled.
    pub interval: Duration,
    /// How often the counters of every flow are sampled, if not as often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flows: Option<Duration>,
    /// Interfaces whose frames are captured into the results.
    pub capture: Vec<Capture>,
    /// Links of which it is logged what happens to every frame.
    pub frames: Vec<String>,
    /// Shared media of which it is logged what happens on the air.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub air: Vec<String>,
    /// Whether everything that the contention monitor observes is kept.
    #[serde(default)]
    pub observations: bool,
}

impl Measure {
    /// How often the counters of every flow are sampled.
    pub fn flow_interval(&self) -> Duration {
        self.flows.unwrap_or(self.interval)
    }
}
