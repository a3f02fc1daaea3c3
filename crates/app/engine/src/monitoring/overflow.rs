//! Frames that nodes' interfaces dropped because the engine did not read them in time.

use std::collections::HashMap;

use netloom_monitor::{DropCause, Observation, Party};
use netloom_probes::Budget;
use netloom_scenario::Endpoint;
use netloom_units::{Duration, Time};

use crate::experiment::Experiment;

/// Each look enters every node's namespace, some 30 µs each: with many, they are rarer.
const PERIOD: Duration = Duration::from_secs(1);
/// Of a CPU they may use one: 0.03 %.
const PARTS: u64 = 3200;

/// Looks at the interfaces from time to time.
pub struct OverflowProbe {
    due: Time,
    budget: Budget,
    known: HashMap<Endpoint, u64>,
}

impl Default for OverflowProbe {
    fn default() -> Self {
        Self { due: Time::ZERO, budget: Budget::of_equal_looks(PARTS), known: HashMap::new() }
    }
}

impl OverflowProbe {
    /// When it is time to look.
    pub fn due(&self) -> Time {
        self.due
    }

    /// Looks; the CPU time that other threads spent on it.
    pub fn poll(
        &mut self,
        now: Time,
        experiment: &Experiment,
        sink: &mut dyn FnMut(Observation),
    ) -> Duration {
        let drawn = experiment.drawn();
        // Fails only while the experiment is taken down.
        let before = spent(experiment);
        let Ok(overflown) = experiment.not_read_in_time() else { return Duration::ZERO };
        let spent = spent(experiment).saturating_sub(before);
        self.budget.count(spent);
        self.due = now + self.budget.period(PERIOD);
        for (endpoint, frames) in overflown {
            let before = self.known.insert(endpoint.clone(), frames).unwrap_or(0);
            if frames > before {
                let party = drawn.number(&endpoint.node).map(Party::Node);
                sink(Observation::Drops {
                    cause: DropCause::NotReadInTime,
                    party: party.unwrap_or(Party::Engine),
                    frames: frames - before,
                });
            }
        }
        spent
    }
}

/// The CPU time that looking into nodes has taken so far.
pub(super) fn spent(experiment: &Experiment) -> Duration {
    let spent = experiment.with_live(|live| Ok(live.network.spent_in_nodes()));
    let nanos = spent.map_or(0, |spent| spent.as_nanos());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
