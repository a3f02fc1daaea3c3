//! How exactly the engine kept its own schedule, and how exactly the machine let it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The engine's own errors since it started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Actual minus scheduled release of every frame that had to wait for one.
    pub lateness: LatencySummary,
    /// How late this machine wakes a sleeping thread, sampled beside the engine: what of
    /// `lateness` is the machine's.
    pub timer_wakeup: LatencySummary,
    /// Frames lost anywhere but in a pipe's model, by cause. Must be empty in a trustworthy run.
    pub unmodelled_drops: BTreeMap<String, u64>,
    /// Share of one CPU that each worker has used, 0 to 1.
    pub worker_busy: Vec<f64>,
}

/// A distribution of latencies in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LatencySummary {
    /// Samples.
    pub count: u64,
    /// Median, µs.
    pub p50_us: f64,
    /// 99th percentile, µs.
    pub p99_us: f64,
    /// 99.9th percentile, µs.
    pub p999_us: f64,
    /// Largest, µs.
    pub max_us: f64,
}
