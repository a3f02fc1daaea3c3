//! Lateness of frames that leave the engine: the 99th percentile of a sliding window, single
//! frames, and pauses of the engine. Frames that arrive in a pause get a time of arrival that is
//! too late.

use netloom_units::{Duration, Time};

use super::nanos;
use crate::criteria::Delays;
use crate::names::ResourceId;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};
use crate::window::PercentileWindow;

#[derive(Debug, Clone)]
pub(crate) struct Lateness {
    frames: PercentileWindow,
    single: Tracker,
    pauses: Tracker,
    hard_limit: Duration,
}

made_of!(Lateness: frames, single, pauses);

impl Lateness {
    pub fn new(criteria: &Delays) -> Self {
        let tracker =
            |place, threshold| Tracker::new(SignalKind::Lateness, place, Some(nanos(threshold)));
        let (tolerance, hard_limit) = (criteria.tolerance(), criteria.hard_limit());
        let percentile = tracker(ResourceId::Frames, tolerance);
        Self {
            frames: PercentileWindow::new(percentile, criteria.window, tolerance),
            single: tracker(ResourceId::SingleFrame, hard_limit),
            pauses: tracker(ResourceId::Engine, hard_limit),
            hard_limit,
        }
    }

    pub fn late(&mut self, at: Time, party: Party, delay: Duration, frames: u64, out: &mut Outbox) {
        if frames == 0 {
            return;
        }
        self.frames.add(at, party, delay, frames, out);
        self.single.saw(nanos(delay));
        if delay > self.hard_limit {
            self.single.held(at - delay, at, nanos(delay), out);
            self.single.add(party, frames);
        }
    }

    pub fn paused(&mut self, at: Time, lasted: Duration, out: &mut Outbox) {
        self.pauses.saw(nanos(lasted));
        if lasted > self.hard_limit {
            self.pauses.held(at - lasted, at, nanos(lasted), out);
            self.pauses.add(Party::Unattributed, lasted.as_nanos());
        }
    }
}
