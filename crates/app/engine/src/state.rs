//! The state of an experiment: its phase, its events, its processes. Not here: the network
//! (`live`).

use std::sync::Arc;

use netloom_api::event::What;
use netloom_api::state::Phase;
use netloom_units::Time;
use tokio::sync::watch;

use crate::events::EventLog;
use crate::process_table::ProcessTable;

/// The state of an experiment between its start and its end.
pub struct RunState {
    /// The log of events.
    pub events: Arc<EventLog>,
    /// The scenario's processes. There are none if the scenario is deployed and not run.
    pub process_table: ProcessTable,
    phase: watch::Sender<Phase>,
}

impl RunState {
    /// Makes the state of an experiment whose network is just up.
    pub fn new(events: Arc<EventLog>, process_table: ProcessTable) -> Self {
        let phase = watch::Sender::new(Phase::Starting);
        Self { events, process_table, phase }
    }

    /// Returns the current phase.
    pub fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Enters a phase.
    pub fn enter(&self, phase: Phase) {
        self.events.record(What::Phase { phase });
        self.phase.send_replace(phase);
    }

    /// Whether all that runs from the start is ready.
    pub fn has_begun(&self) -> bool {
        self.events.zero().is_known()
    }

    /// Returns the time of the engine's clock at zero: the origin of times of timeline and
    /// processes.
    pub fn begun(&self) -> Time {
        self.events.zero().at()
    }
}
