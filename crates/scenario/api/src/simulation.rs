//! How a simulation went.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a simulation has done, and what it did not model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SimulationSummary {
    /// Events.
    pub events: u64,
    /// Frames that came out of a pipe.
    pub packet_hops: u64,
    /// How long it took, in seconds of real time; in a hybrid run, how long its thread was busy.
    pub wall_seconds: f64,
    /// In a hybrid run, how long its thread was busy in the second in which it was most: about 1 if
    /// it could not keep up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_second: Option<f64>,
    /// Processes that it ran in.
    #[serde(default = "one")]
    pub processes: usize,
    /// Threads that it ran on, of all processes.
    pub threads: usize,
    /// Parts that it was divided into.
    pub cells: usize,
    /// What of the scenario it did not model, a sentence each.
    pub not_modelled: Vec<String>,
    /// Packets that nodes did not pass on or take, by reason.
    pub not_forwarded: std::collections::BTreeMap<String, u64>,
}

/// Summaries of runs in one process did not always say so.
fn one() -> usize {
    1
}

impl SimulationSummary {
    /// Packet-hops in a second of real time.
    pub fn packet_hops_per_second(&self) -> f64 {
        self.packet_hops as f64 / self.wall_seconds.max(1e-9)
    }
}
