//! The state of an experiment: its phase, its events, its processes. Not here: the network
//! (`live`).

use std::sync::{Arc, OnceLock};

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
    /// Time at which all programs that run from the start were ready.
    begun: OnceLock<Time>,
}

impl RunState {
    /// Makes the state of an experiment whose network has just become ready.
    pub fn new(events: Arc<EventLog>, process_table: ProcessTable) -> Self {
        let phase = watch::Sender::new(Phase::Starting);
        Self { events, process_table, phase, begun: OnceLock::new() }
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

    /// Records that all programs that run from the start are ready now.
    pub fn begin(&self) {
        // Nobody else sets it.
        let _ = self.begun.set(self.events.now());
    }

    /// Whether [`begin`](Self::begin) was called.
    pub fn has_begun(&self) -> bool {
        self.begun.get().is_some()
    }

    /// Returns the time at which all programs were ready: the origin of times of timeline and
    /// processes. It is zero if no programs run from the start, since the network was ready then.
    pub fn begun(&self) -> Time {
        self.begun.get().copied().unwrap_or_default()
    }
}
