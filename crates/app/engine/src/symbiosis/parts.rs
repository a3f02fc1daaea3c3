//! What the loop consists of, and what it acts on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use netloom_api::path::PathStatus;
use netloom_dataplane::Clock;
use netloom_monitor::Observation;
use netloom_simulate::symbiosis::{Calibrators, Large, Shrunk};
use netloom_units::Time;

use crate::events::EventLog;
use crate::simulated::Simulated;

/// The parts that determine the settings of small pipes.
pub struct Parts {
    /// The whole network.
    pub large: Large,
    /// The network that the small one stands for.
    pub shrunk: Shrunk,
    /// What sets the small pipes.
    pub calibrators: Calibrators,
}

/// The state that the thread shares with others while it runs.
#[derive(Default)]
pub struct Shared {
    /// Time at which the run began, by the experiment's clock.
    pub zero: Time,
    /// Time at which foreground traffic of simulated nodes is over, since the start of the run.
    pub done_at: Option<Time>,
    /// Whether the loop has ended, so that there will be no more news.
    pub has_ended: bool,
    /// The paths between real hosts in the last period.
    pub paths: Vec<PathStatus>,
}

/// The parts of the experiment that a loop acts on and reports to.
pub struct Surroundings {
    /// The small network.
    pub simulated: Arc<Simulated>,
    /// The log of events.
    pub events: Arc<EventLog>,
    /// Reports to the monitor, which judges lateness.
    pub observe: Arc<dyn Fn(&Observation) + Send + Sync>,
    /// The experiment's clock.
    pub clock: Clock,
    /// Time at which the run began, by that clock.
    pub zero: Time,
}

/// Locks a value that each step leaves whole.
pub fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
