//! Frames lost outside the model: any is contention. A tracker for each cause; its value is how many were
//! lost in an episode.

use std::collections::BTreeMap;

use netloom_units::Time;

use crate::names::Place;
use crate::party::Party;
use crate::signal::{DropCause, SignalKind};
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone, Default)]
pub(crate) struct Drops {
    causes: BTreeMap<DropCause, Tracker>,
}

made_of!(Drops: causes);

impl Drops {
    pub fn lost(
        &mut self,
        at: Time,
        cause: DropCause,
        party: Party,
        frames: u64,
        out: &mut Outbox,
    ) {
        let tracker = self.causes.entry(cause).or_insert_with(|| {
            Tracker::new(SignalKind::UnmodelledDrop, Place::Losses(cause), Some(0.0))
        });
        if frames > 0 {
            tracker.lapse(at, out);
            let lost = tracker.open_peak().unwrap_or(0.0) + frames as f64;
            tracker.held(at, at, lost, out);
            tracker.add(party, frames);
        }
    }
}
