//! Metrics that applications in nodes report: `POST /v1/metrics` on the Unix socket in the
//! environment variable [`SOCKET_VARIABLE`], which every process in a node has. The engine
//! recognises the node by the process that connects.

use netloom_units::Time;
use serde::{Deserialize, Serialize};

/// Environment variable with the path of the socket.
pub const SOCKET_VARIABLE: &str = "NETLOOM_METRICS";
/// Command in nodes that reports a value.
pub const COMMAND: &str = "netloom-report";

/// A value to report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MetricReport {
    /// Name of the metric. The scenario's `monitor.criteria.application` may have a threshold for
    /// it.
    pub name: String,
    /// Value, in the metric's own unit.
    pub value: f64,
}

/// A reported value, as a line of `metrics.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Metric {
    /// Time of the report, in ns since zero; negative before.
    pub time: Time,
    /// Name of the node.
    pub node: String,
    /// Name of the metric.
    pub name: String,
    /// Value, in the metric's own unit.
    pub value: f64,
}
