//! Thresholds and windows of the signals, as a scenario may set them. They decide when a signal
//! counts as contention. Not here: how they are tested (`criterion`).

use std::collections::BTreeMap;

use netloom_units::{Duration, Probability, Rate};
use serde::{Deserialize, Serialize};

/// Thresholds of all signals. Names and defaults follow Maier 2011 ch. 4, including θ and δ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Criteria {
    /// How late frames may leave the engine.
    pub lateness: Delays,
    /// How long tasks of a node may wait for a CPU.
    pub run_queue: Delays,
    /// How long a CPU may have no idle moment (θ_c).
    pub cpu: Busy,
    /// How much nodes of this machine may send each other. The rate is calibrated; without one, it
    /// is not tested.
    pub net_internal: Traffic,
    /// How much nodes may send through an uplink. The rate is calibrated; without one, it is not
    /// tested.
    pub net_external: Traffic,
    /// How many pages may be swapped in.
    pub memory_in: Pages,
    /// How many pages may be swapped out.
    pub memory_out: Pages,
    /// How many major faults and refaults the nodes may have together.
    pub faults: Pages,
    /// How long a disk may have requests pending (θ_d).
    pub disk: Busy,
    /// How much of a CPU's time the hypervisor may take.
    pub steal: Part,
    /// How much of the time a task of a node may stand still for lack of a CPU or of memory.
    /// Waiting for a disk is not tested, because every write to a disk waits, even if the disk is
    /// idle. Contention of a disk is tested by `disk`.
    pub pressure: Part,
    /// The highest value of each metric that applications report.
    pub application: BTreeMap<String, f64>,
    /// How late events of the timeline may happen.
    pub timeline: Punctuality,
    /// How long a metric of an application may be above its highest value, in all, to count as
    /// brief. Then the run is suspect, not invalid.
    pub brief: Duration,
}

impl Default for Criteria {
    fn default() -> Self {
        let ten_ms = Duration::from_millis(10);
        let second = Duration::from_secs(1);
        let share = |value| Probability::new(value).expect("between 0 and 1");
        Self {
            lateness: Delays::default(),
            run_queue: Delays::default(),
            cpu: Busy { longest: Duration::from_millis(200) },
            net_internal: Traffic::default(),
            net_external: Traffic::default(),
            memory_in: Pages { limit: 1, window: ten_ms },
            memory_out: Pages { limit: 1, window: ten_ms },
            // A major fault takes some 100 µs of an SSD: a thousand take a tenth of a task's time.
            faults: Pages { limit: 1000, window: second },
            disk: Busy { longest: Duration::from_millis(100) },
            // The kernel counts steal in ticks of 10 ms: in one second, 1 % is a single tick.
            steal: Part { limit: share(0.01), window: Duration::from_secs(10) },
            pressure: Part { limit: share(0.2), window: second },
            application: BTreeMap::new(),
            timeline: Punctuality { tolerance: ten_ms },
            brief: second,
        }
    }
}

/// How late is too late.
///
/// Frames: contention holds if more than 1 % of those in a window are later than the tolerance, so
/// that the 99th percentile is above it. A window with fewer than 100 frames counts as filled up
/// with punctual ones. A single frame that is later than ten times the tolerance is contention,
/// too. Waits for a CPU: contention holds if, for more than 1 % of a window, a task had waited for
/// longer than the tolerance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Delays {
    /// The largest delay that is not late. By default `trust.delay`: 1 % of the smallest link
    /// delay, but at least 1 ms and at most 2 ms.
    pub tolerance: Option<Duration>,
    /// The length of the sliding window.
    pub window: Duration,
}

impl Delays {
    const TOLERANCE: Duration = Duration::from_millis(1);
    /// The part of the frames, or of the time, that may be later than the tolerance, so that the
    /// 99th percentile is not.
    pub(crate) const PART: f64 = 0.01;

    /// The tolerance, or the default of an experiment without delays.
    pub fn tolerance(&self) -> Duration {
        self.tolerance.unwrap_or(Self::TOLERANCE)
    }

    /// How late a single frame may be, and how long the engine may pause: ten times the tolerance.
    pub fn hard_limit(&self) -> Duration {
        Duration::from_nanos(self.tolerance().as_nanos().saturating_mul(10))
    }
}

impl Default for Delays {
    fn default() -> Self {
        Self { tolerance: None, window: Duration::from_secs(1) }
    }
}

/// How late is too late for an event that has a scheduled time. Contention holds if one is later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Punctuality {
    /// The largest delay that is not late.
    pub tolerance: Duration,
}

/// How long something may be busy without a break (θ_c, θ_d). Contention holds from that length on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Busy {
    /// The length.
    pub longest: Duration,
}

/// How much may be sent in a sliding window (θ_n and δ). Contention holds from the rate on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TrafficLimit"))]
#[serde(deny_unknown_fields, default)]
pub struct Traffic {
    /// The rate; without one, the signal is not tested.
    pub rate: Option<Rate>,
    /// The length of the window.
    pub window: Duration,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { rate: None, window: Duration::from_millis(10) }
    }
}

/// How many pages may be moved in a sliding window (Π_m = θ_m δ, and δ).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pages {
    /// Contention holds from this number of pages in a window on. With 1, any page is contention,
    /// and the threshold is reported as 0.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub limit: u64,
    /// The length of the window.
    pub window: Duration,
}

/// The part of a sliding window that something may take. Contention holds above it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PartLimit"))]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The part.
    pub limit: Probability,
    /// The length of the window.
    pub window: Duration,
}
