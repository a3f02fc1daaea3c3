//! How an experiment goes: its phase, its events, its processes. Not here: the network (`live`).

use std::sync::{Arc, OnceLock};

use netloom_api::event::What;
use netloom_api::state::Phase;
use netloom_units::Time;
use tokio::sync::watch;

use crate::board::Board;
use crate::events::EventLog;

/// Where an experiment is between its start and its end.
pub struct RunState {
    /// What happens.
    pub events: Arc<EventLog>,
    /// The scenario's processes; none where the scenario is deployed, not run.
    pub board: Board,
    phase: watch::Sender<Phase>,
    /// When everything that runs from the start was ready.
    begun: OnceLock<Time>,
}

impl RunState {
    /// An experiment whose network has just become ready.
    pub fn new(events: Arc<EventLog>, board: Board) -> Self {
        let phase = watch::Sender::new(Phase::Starting);
        Self { events, board, phase, begun: OnceLock::new() }
    }

    /// The phase that was entered last.
    pub fn phase(&self) -> Phase {
        *self.phase.borrow()
    }

    /// Enters a phase.
    pub fn enter(&self, phase: Phase) {
        self.events.record(What::Phase { phase });
        self.phase.send_replace(phase);
    }

    /// Notes that everything that runs from the start is ready now.
    pub fn begin(&self) {
        // Nobody else sets it.
        let _ = self.begun.set(self.events.now());
    }

    /// Whether [`begin`](Self::begin) was called.
    pub fn has_begun(&self) -> bool {
        self.begun.get().is_some()
    }

    /// When all was ready: what the times of timeline and processes count from. Zero where nothing
    /// runs from the start, as the network was ready then.
    pub fn begun(&self) -> Time {
        self.begun.get().copied().unwrap_or_default()
    }
}
