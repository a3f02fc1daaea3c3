//! How exactly the engine kept its own schedule, and how exactly the machine allowed it to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Timing errors of the engine since it started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timing {
    /// Difference between the time at which each frame left and the time of the model. It includes
    /// the delay after the scheduled release, and the time that this frame, or one before it on its
    /// link, had waited for more than 100 µs until the engine read it.
    pub lateness: LatencySummary,
    /// Delay with which the machine wakes a sleeping thread, sampled beside the engine: the
    /// machine's part of `lateness`.
    pub timer_wakeup: LatencySummary,
    /// Frames lost anywhere except in a pipe's model, by cause. It must be empty in a trustworthy
    /// run.
    pub unmodelled_drops: BTreeMap<String, u64>,
    /// Times between two checks of its devices by a worker that was awake. A frame may have waited
    /// for this long before its arrival was recorded.
    pub unattended: LatencySummary,
    /// Wire frames that reached an interface which its owner had taken down. They are not among
    /// `unmodelled_drops`.
    pub interface_down: u64,
    /// Load of each data-plane worker.
    pub workers: Vec<WorkerLoad>,
    /// Devices that failed, in words. Their links have carried nothing since.
    pub failures: Vec<String>,
}

/// Load of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerLoad {
    /// Share of time spent moving frames and executing commands, 0 to 1.
    pub busy: f64,
    /// Share of time spent awake, waiting for a near deadline, 0 to 1.
    pub spinning: f64,
    /// Scheduling class of the worker's thread.
    pub scheduling: Scheduling,
    /// Number of the worker's dedicated CPU, which runs nothing else of the experiment. Absent if
    /// the scenario asks for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedicated_cpu: Option<usize>,
    /// `lateness` of this worker alone.
    pub lateness: LatencySummary,
}

/// Scheduling class of a data-plane worker, as good as the machine permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Scheduling {
    /// Ahead of all ordinary threads (`SCHED_FIFO`), and as a favoured thread while it does not
    /// sleep.
    RealTime,
    /// An ordinary thread with a larger share of CPU time.
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
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencySummary {
    /// Number of samples.
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
