//! Events of a run's timeline: one that happens later than the tolerance, or not at all, is
//! contention. Two trackers: how late events were, and for how long events had been due when the
//! run ended without them.

use netloom_units::{Duration, Time};

use super::nanos;
use crate::criteria::Punctuality;
use crate::names::Place;
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

    /// An event happened at `at`, this long after its time.
    pub fn happened(&mut self, at: Time, late: Duration, out: &mut Outbox) {
        let tolerance = self.tolerance;
        let tracker = self.late.get_or_insert_with(|| {
            Tracker::new(SignalKind::Timeline, Place::Events, Some(nanos(tolerance)))
        });
        tracker.lapse(at, out);
        if late > tolerance {
            tracker.held(at, at, nanos(late), out);
        } else {
            tracker.saw(nanos(late));
        }
    }

    /// The run ended at `at`, and an event that had been due for so long had not happened.
    pub fn missed(&mut self, at: Time, due_for: Duration, out: &mut Outbox) {
        let tracker = self.missed.get_or_insert_with(|| {
            Tracker::new(SignalKind::Timeline, Place::MissedEvents, Some(0.0))
        });
        tracker.held(at, at, nanos(due_for).max(1.0), out);
    }
}
