//! How exactly the engine kept its own schedule, and how exactly the machine let it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The engine's own errors since it started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// How much later than by the model every frame left: after its scheduled release, and because
    /// it, or one before it on its link, had waited for more than 100 µs until the engine saw it.
    pub lateness: LatencySummary,
    /// How late this machine wakes a sleeping thread, sampled beside the engine: what of
    /// `lateness` is the machine's.
    pub timer_wakeup: LatencySummary,
    /// Frames lost anywhere but in a pipe's model, by cause. Must be empty in a trustworthy run.
    pub unmodelled_drops: BTreeMap<String, u64>,
    /// For how long an awake worker did not look at its devices: a frame may have waited that long
    /// before it got its time of arrival.
    pub unattended: LatencySummary,
    /// Wire frames that reached an interface which its owner had taken down; not counted above.
    pub interface_down: u64,
    /// What each data-plane worker did with its time.
    pub workers: Vec<WorkerLoad>,
    /// Devices that failed, in words; their links carry nothing since.
    pub failures: Vec<String>,
}

/// What a worker did with its time.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct WorkerLoad {
    /// Share of the time spent moving frames and obeying commands, 0 to 1.
    pub busy: f64,
    /// Share of the time spent awake waiting for a deadline that was near, 0 to 1.
    pub spinning: f64,
    /// How the machine schedules it.
    pub scheduling: Scheduling,
    /// The CPU, by its number, on which nothing else of the experiment runs, if the scenario wants
    /// that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedicated_cpu: Option<usize>,
    /// As `lateness` above, of this worker alone.
    pub lateness: LatencySummary,
}

/// How the machine schedules a data-plane worker, as far as it permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// Ahead of all ordinary threads (`SCHED_FIFO`); as a favoured one while it does not sleep.
    RealTime,
    /// An ordinary thread with a larger share.
    Favoured,
    /// An ordinary thread.
    #[default]
    Normal,
}

impl std::fmt::Display for Scheduling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::RealTime => "real-time",
            Self::Favoured => "favoured",
            Self::Normal => "normal",
        })
    }
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
