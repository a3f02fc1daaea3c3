//! Losses: frames outside the model, and packets without room in a socket's buffer. Any loss is
//! contention. Each place has a tracker, whose value is the number lost in an episode.

use std::collections::BTreeMap;

use netloom_units::Time;

use crate::names::ResourceId;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Drops {
    signal: SignalKind,
    places: BTreeMap<ResourceId, Tracker>,
}

made_of!(Drops: places);

impl Drops {
    pub fn new(signal: SignalKind) -> Self {
        Self { signal, places: BTreeMap::new() }
    }

    pub fn lost(
        &mut self,
        at: Time,
        place: ResourceId,
        party: Party,
        number: u64,
        out: &mut Outbox,
    ) {
        let new = || Tracker::new(self.signal, place, Some(0.0));
        let tracker = self.places.entry(place).or_insert_with(new);
        if number > 0 {
            tracker.lapse(at, out);
            let lost = tracker.open_peak().unwrap_or(0.0) + number as f64;
            tracker.held(at, at, lost, out);
            tracker.add(party, number);
        }
    }
}
