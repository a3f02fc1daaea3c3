//! Results of a simulation about itself.

use netloom_units::{Dilation, Duration};
use serde::{Deserialize, Serialize};

/// Ratio of the time available to the mean time needed at which a simulation in real time keeps up.
const SPARE: f64 = 1.3;

/// Work and limits of a simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulationSummary {
    /// Number of events.
    pub events: u64,
    /// Number of times that a frame left a pipe.
    pub packet_hops: u64,
    /// Duration in seconds of real time. In a hybrid run, the time for which its thread was busy.
    pub wall_seconds: f64,
    /// In a hybrid run, share of the busiest second for which its thread was busy: about 1 if it
    /// could not keep up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_second: Option<f64>,
    /// In a hybrid run, largest number of seconds of the machine that one second of the experiment
    /// took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest_load: Option<f64>,
    /// Number of processes of the simulation.
    #[serde(default = "one")]
    pub processes: usize,
    /// Number of threads of all processes together.
    pub threads: usize,
    /// Number of cells that the network was divided into.
    pub cells: usize,
    /// Parts of the scenario that were not modelled, one sentence each.
    pub not_modelled: Vec<String>,
    /// Packets that nodes neither forwarded nor received, by reason.
    pub not_forwarded: std::collections::BTreeMap<String, u64>,
    /// Whether nothing in the run was drawn at random, so that it is the same with every seed and
    /// repetitions add no precision.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_for_all_seeds: bool,
    /// In a symbiotic run, how pipes between real hosts followed the simulation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbiosis: Option<SymbiosisSummary>,
}

/// How pipes between real hosts followed a simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SymbiosisSummary {
    /// Time between calibrations.
    pub period: Duration,
    /// Number of periods that were simulated.
    pub periods: u64,
    /// Mean time from the end of a period until its calibrations took effect.
    pub computed_mean: Duration,
    /// Longest time from the end of a period until its calibrations took effect.
    pub computed_most: Duration,
    /// Periods for which that took more than half a period.
    pub late: u64,
    /// Periods for which that took more than a period.
    pub missed: u64,
    /// Pipes between real hosts.
    pub pipes: Vec<FollowingPipe>,
    /// Traffic from one real host to another, for each pair of hosts.
    #[serde(default)]
    pub flows: Vec<FollowingFlow>,
}

/// Traffic from one real host to another, and that of its twins in the simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FollowingFlow {
    /// Host that sent.
    pub from: String,
    /// Host that received.
    pub to: String,
    /// Traffic of the twins that arrived.
    pub twins: ReceivedTotal,
    /// Real traffic that arrived.
    pub real: ReceivedTotal,
    /// Largest difference between the mean delays of real packets and twins over ten periods, as a
    /// share of the twins' delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_difference: Option<f64>,
    /// Largest difference between the bytes of real packets and twins over ten periods, as a share
    /// of the twins' bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_difference: Option<f64>,
}

/// Traffic that a host received from another.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReceivedTotal {
    /// Number of frames.
    pub frames: u64,
    /// Bytes of their IP packets.
    pub bytes: u64,
    /// Mean delay, in ns.
    pub delay_mean_ns: u64,
}

/// How a pipe between real hosts followed its chain in the simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FollowingPipe {
    /// Name of the pipe.
    pub pipe: String,
    /// Pipes of the simulation that it represents, in the order of the path.
    pub stands_for: Vec<String>,
    /// Mean time of twins in queues and on lines of the chain, over all periods (W).
    pub time_mean: Duration,
    /// Mean backlog of the chain at the ends of periods (W₁).
    pub backlog_mean: Duration,
    /// Mean backlog of the pipe when it was calibrated (W₂).
    pub real_backlog_mean: Duration,
    /// Mean difference between the two backlogs.
    pub backlog_difference_mean: Duration,
    /// Frames of twins that entered the chain, were lost in it, and left it.
    pub twins: [u64; 3],
    /// Real frames that entered the pipe, were lost, and left it, up to the last calibration.
    pub real: [u64; 3],
}

/// Older summaries of runs in one process lack the number of processes.
fn one() -> usize {
    1
}

impl SimulationSummary {
    /// Returns the smallest dilation at which a hybrid run like this would not have been late for
    /// lack of CPU time: 1.3 × the highest load, rounded up to a tenth, at least 0.1. `None` if the
    /// load is unknown or too high for any dilation.
    pub fn sufficient_dilation(&self) -> Option<Dilation> {
        let tenths = (self.highest_load? * SPARE * 10.0).ceil().max(1.0);
        format!("{:.1}", tenths / 10.0).parse().ok()
    }

    /// Returns the number of packet-hops per second of real time.
    pub fn packet_hops_per_second(&self) -> f64 {
        self.packet_hops as f64 / self.wall_seconds.max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dilation_suffices_that_leaves_some_time() {
        for (load, dilation) in [
            (Some(3.7), Some("4.9")),
            (Some(1.0), Some("1.3")),
            (Some(0.01), Some("0.1")),
            (Some(769.0), Some("999.7")),
            (Some(800.0), None),
            (None, None),
        ] {
            let summary = SimulationSummary { highest_load: load, ..Default::default() };
            assert_eq!(summary.sufficient_dilation(), dilation.map(|text| text.parse().unwrap()));
        }
    }
}
