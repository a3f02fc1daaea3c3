//! Pipes of a symbiotic run that follow their simulation too late: more than a period after the end
//! of the period that they follow. Two trackers: how late they were, in periods, and periods that
//! they did not follow at all, because two in turn were late, or one was later than three periods.

use netloom_units::{Duration, Time};

use super::nanos;
use crate::names::ResourceId;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

/// Beyond this lateness, in periods, pipes follow another network than the one that real hosts were
/// in.
const LOST: f64 = 3.0;

#[derive(Debug, Clone, Default)]
pub(crate) struct Simulation {
    late: Option<Tracker>,
    lost: Option<Tracker>,
    /// Whether the last period was late.
    was_late: bool,
}

made_of!(Simulation: late, lost);

impl Simulation {
    /// Takes a period of that length, which ended `took` before `at`. Pipes follow it from `at` on.
    pub fn followed(&mut self, at: Time, period: Duration, took: Duration, out: &mut Outbox) {
        let periods = nanos(took) / nanos(period).max(1.0);
        let is_late = periods > 1.0;
        let is_lost = is_late && (self.was_late || periods > LOST);
        self.was_late = is_late;
        let late = self.late.get_or_insert_with(|| {
            Tracker::new(SignalKind::Simulation, ResourceId::Periods, Some(1.0))
        });
        late.lapse(at, out);
        if is_late {
            late.held(at, at, periods, out);
        } else {
            late.saw(periods);
        }
        if is_lost {
            let lost = self.lost.get_or_insert_with(|| {
                Tracker::new(SignalKind::Simulation, ResourceId::LostPeriods, Some(1.0))
            });
            lost.lapse(at, out);
            lost.held(at, at, periods, out);
        }
    }
}
