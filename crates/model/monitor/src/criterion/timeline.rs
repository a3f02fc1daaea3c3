//! Events of a run's timeline. An event that happens later than the tolerance, or never, is
//! contention. Two trackers: how late events were, and how long events had been due when the run
//! ended without them.

use netloom_units::{Duration, Time};

use super::nanos;
use crate::criteria::Punctuality;
use crate::names::ResourceId;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Timeline {
    tolerance: Duration,
    late: Option<Tracker>,
    missed: Option<Tracker>,
}

made_of!(Timeline: late, missed);

impl Timeline {
    pub fn new(criteria: &Punctuality) -> Self {
        Self { tolerance: criteria.tolerance, late: None, missed: None }
    }

    /// Takes an event that happened at `at`, `late` after its time.
    pub fn happened(&mut self, at: Time, late: Duration, out: &mut Outbox) {
        let tolerance = self.tolerance;
        let tracker = self.late.get_or_insert_with(|| {
            Tracker::new(SignalKind::Timeline, ResourceId::Events, Some(nanos(tolerance)))
        });
        tracker.lapse(at, out);
        if late > tolerance {
            tracker.held(at, at, nanos(late), out);
        } else {
            tracker.saw(nanos(late));
        }
    }

    /// Takes an event that had not happened when the run ended at `at`, although it had been due
    /// for `due_for`.
    pub fn missed(&mut self, at: Time, due_for: Duration, out: &mut Outbox) {
        let tracker = self.missed.get_or_insert_with(|| {
            Tracker::new(SignalKind::Timeline, ResourceId::MissedEvents, Some(0.0))
        });
        tracker.held(at, at, nanos(due_for).max(1.0), out);
    }
}
