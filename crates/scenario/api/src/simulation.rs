//! How a simulation went.

use netloom_units::{Dilation, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much more time than it takes on average a simulation in real time needs, to be in time.
const SPARE: f64 = 1.3;

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
    /// In a hybrid run, seconds of the machine that a second of the experiment took, of that which
    /// took most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest_load: Option<f64>,
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
    /// Of a symbiotic run: how pipes between real hosts followed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbiosis: Option<SymbiosisSummary>,
}

/// How pipes between real hosts followed a simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SymbiosisSummary {
    /// How often they were calibrated.
    pub period: Duration,
    /// How many periods were simulated.
    pub periods: u64,
    /// How long after a period's end its calibrations held: the mean.
    pub computed_mean: Duration,
    /// The longest.
    pub computed_most: Duration,
    /// Periods of which it took more than half a period.
    pub late: u64,
    /// Periods of which it took more than a period.
    pub missed: u64,
    /// The pipes.
    pub pipes: Vec<FollowingPipe>,
    /// All that went from one real host to another, for each two of them.
    #[serde(default)]
    pub flows: Vec<FollowingFlow>,
}

/// What came from one real host to another, beside what came of its twins in the simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FollowingFlow {
    /// The host that sent.
    pub from: String,
    /// The host that received.
    pub to: String,
    /// What came of twins.
    pub twins: ReceivedTotal,
    /// What came of real packets.
    pub real: ReceivedTotal,
    /// By how much the mean delay of real packets differed from that of twins over ten periods, as
    /// a share of the latter: the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_difference: Option<f64>,
    /// By how much the bytes of real packets differed so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_difference: Option<f64>,
}

/// What came to a host from another.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReceivedTotal {
    /// Frames.
    pub frames: u64,
    /// Bytes of their IP packets.
    pub bytes: u64,
    /// Their mean delay, in ns.
    pub delay_mean_ns: u64,
}

/// How a pipe between real hosts followed its chain in the simulation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FollowingPipe {
    /// Its name.
    pub pipe: String,
    /// The pipes of the simulation that it stands for, in the order of the way.
    pub stands_for: Vec<String>,
    /// Mean time of twins in queues and on lines of the chain, over all periods (W).
    pub time_mean: Duration,
    /// Mean backlog of the chain at the ends of periods (W₁).
    pub backlog_mean: Duration,
    /// Mean backlog of the pipe when it was calibrated (W₂).
    pub real_backlog_mean: Duration,
    /// Mean of how much the two differ.
    pub backlog_difference_mean: Duration,
    /// Frames of twins that came to the chain, were lost in it, and left it.
    pub twins: [u64; 3],
    /// Real frames that came to the pipe, were lost, and left it until it was calibrated last.
    pub real: [u64; 3],
}

/// Summaries of runs in one process did not always say so.
fn one() -> usize {
    1
}

impl SimulationSummary {
    /// The least dilation at which a hybrid run like this would not have been late for want of CPU
    /// time: 1.3 × the highest load, rounded up to a tenth, 0.1 at least. Nothing where the load is
    /// not known or too high for any dilation.
    pub fn sufficient_dilation(&self) -> Option<Dilation> {
        let tenths = (self.highest_load? * SPARE * 10.0).ceil().max(1.0);
        format!("{:.1}", tenths / 10.0).parse().ok()
    }

    /// Packet-hops in a second of real time.
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
