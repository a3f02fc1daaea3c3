//! Probes are made ready while the network comes up.

use std::path::Path;
use std::thread::{self, JoinHandle};

use netloom_probes::{Places, Prepared, Probes};
use netloom_scenario::Scenario;
use netloom_units::Duration;

use super::meter::thread_time;
use super::places::tolerated_wait;

/// Probes that are being made ready, or are.
pub enum Preparation {
    /// By a thread.
    UnderWay(JoinHandle<Ready>),
    Done(Ready),
    /// A scenario that wants no probes, or a machine that permitted no thread yet.
    None,
}

/// Probes that have only to begin, and the CPU time that it took to make them ready.
type Ready = Box<(Prepared, Duration)>;

impl Preparation {
    /// Begins.
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

    /// Waits for its end: what probes do not see because they have yet to begin would pass for
    /// quiet.
    pub fn wait(self) -> Self {
        match self {
            // A thread that has died has prepared nothing.
            Self::UnderWay(thread) => thread.join().map_or(Self::None, Self::Done),
            over => over,
        }
    }

    /// The probes, which watch from now on, and the CPU time that it took to make them ready.
    pub fn finish(self, places: &Places) -> (Probes, Duration) {
        match self.wait() {
            Self::Done(ready) => {
                let (prepared, spent) = *ready;
                (prepared.start(places), spent)
            }
            _ => (Probes::best(places), Duration::ZERO),
        }
    }
}
