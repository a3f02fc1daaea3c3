//! Probes are made ready while the network comes up, so that a run need not wait for them.

use std::path::Path;
use std::thread::{self, JoinHandle};

use netloom_probes::{Places, Prepared, Probes};
use netloom_scenario::Scenario;
use netloom_units::Duration;

use super::meter::thread_time;

/// A thread that makes probes ready; none for a scenario that wants no probes, or where the machine permits no
/// thread yet.
pub struct Preparation(Option<JoinHandle<(Prepared, Duration)>>);

impl Preparation {
    /// Begins.
    pub fn start(scenario: &Scenario) -> Self {
        let nodes = scenario.nodes.len();
        let tolerated = scenario.monitor.criteria.run_queue.tolerance();
        let prepare = move || (Prepared::new(nodes, tolerated, Path::new("/proc")), thread_time());
        let start = || thread::Builder::new().name("netloom-prepare".into()).spawn(prepare).ok();
        Self(scenario.monitor.enabled.then(start).flatten())
    }

    /// The probes, begun, and the CPU time that the thread has taken.
    pub fn finish(self, places: &Places) -> (Probes, Duration) {
        match self.0.map(JoinHandle::join) {
            Some(Ok((prepared, spent))) => (prepared.start(places), spent),
            // Without a thread, or with one that has died, nothing is prepared.
            _ => (Probes::best(places), Duration::ZERO),
        }
    }
}
