//! Frames that nodes' interfaces dropped because the engine did not read them in time.

use std::collections::HashMap;

use netloom_monitor::{DropCause, Observation, Party};
use netloom_scenario::Endpoint;
use netloom_units::{Duration, Time};

use super::node_looks::NodeLooks;
use crate::live::LiveNetwork;

/// Shortest period. Each look enters every node's namespace, at some 30 µs each; with many nodes,
/// looks are rarer.
const PERIOD: Duration = Duration::from_secs(1);

/// Looks at the interfaces periodically.
pub struct OverflowProbe {
    looks: NodeLooks,
    known: HashMap<Endpoint, u64>,
}

impl Default for OverflowProbe {
    fn default() -> Self {
        Self { looks: NodeLooks::new(Time::ZERO, PERIOD), known: HashMap::new() }
    }
}

impl OverflowProbe {
    /// Returns the time of the next look.
    pub fn due(&self) -> Time {
        self.looks.due()
    }

    /// Looks. Returns the CPU time that other threads spent on it.
    pub fn poll(
        &mut self,
        now: Time,
        network: &LiveNetwork,
        sink: &mut dyn FnMut(Observation),
    ) -> Duration {
        let deployment = network.deployment();
        let look = || network.with_deployment(|live, deployed| live.not_read_in_time(deployed));
        let (overflown, spent) = self.looks.look(now, network, look);
        // Fails only while the experiment is taken down.
        for (endpoint, frames) in overflown.into_iter().flatten() {
            let before = self.known.insert(endpoint.clone(), frames).unwrap_or(0);
            if frames > before {
                let party = deployment.number(&endpoint.node).map(Party::Node);
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
