//! Prepares probes while the network comes up.

use std::path::Path;
use std::thread::{self, JoinHandle};

use netloom_probes::{Prepared, Probes, ProcRoots};
use netloom_scenario::Scenario;
use netloom_units::Duration;

use super::meter::thread_time;
use super::places::tolerated_wait;

/// Probes that are being prepared, or are ready.
pub enum Preparation {
    /// A thread prepares them.
    UnderWay(JoinHandle<Ready>),
    Done(Ready),
    /// The scenario wants no probes, or the machine did not permit a thread.
    None,
}

/// Probes that only have to begin, and the CPU time of their preparation.
type Ready = Box<(Prepared, Duration)>;

impl Preparation {
    /// Starts the preparation.
    pub fn start(scenario: &Scenario) -> Self {
        let nodes = scenario.nodes.len();
        let tolerated = tolerated_wait(&scenario.monitor);
        let prepare = move || {
            let prepared = Prepared::new(nodes, tolerated, Path::new("/proc"));
            Box::new((prepared, thread_time()))
        };
        let start = || thread::Builder::new().name("netloom-prepare".into()).spawn(prepare).ok();
        scenario.monitor.enabled.then(start).flatten().map_or(Self::None, Self::UnderWay)
    }

    /// Waits for its end. Events before the probes have begun would be missed, and that time would
    /// count as quiet.
    pub fn wait(self) -> Self {
        match self {
            // A thread that has died has prepared nothing.
            Self::UnderWay(thread) => thread.join().map_or(Self::None, Self::Done),
            over => over,
        }
    }

    /// Starts the probes. Returns them with the CPU time of their preparation.
    pub fn finish(self, places: &ProcRoots) -> (Probes, Duration) {
        match self.wait() {
            Self::Done(ready) => {
                let (prepared, spent) = *ready;
                (prepared.start(places), spent)
            }
            _ => (Probes::best(places), Duration::ZERO),
        }
    }
}
