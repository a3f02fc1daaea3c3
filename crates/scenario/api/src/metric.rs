//! What an application in a node reports: `POST /v1/metrics` on the Unix socket that every process
//! in a node finds in [`SOCKET_VARIABLE`]. The node is known by the process that connects.

use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The environment variable with the path of the socket.
pub const SOCKET_VARIABLE: &str = "NETLOOM_METRICS";
/// The command that reports a value, as it is called in nodes.
pub const COMMAND: &str = "netloom-report";

/// A value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricReport {
    /// The metric's name; the scenario's `monitor.criteria.application` may have a threshold for
    /// it.
    pub name: String,
    /// The value, in the metric's own unit.
    pub value: f64,
}

/// A value that was reported, as a line of `metrics.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// When, in ns since the network was ready.
    pub time: Time,
    /// The node.
    pub node: String,
    /// The metric.
    pub name: String,
    /// The value.
    pub value: f64,
}
