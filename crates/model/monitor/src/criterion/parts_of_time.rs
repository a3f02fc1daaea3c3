//! Signals that are a part of the time: how much of each CPU the hypervisor took, and how long
//! tasks stood still for lack of a resource. Contention holds above a share of a sliding window.
//! Waiting for a disk is only measured, because a program that writes synchronously waits for its
//! own writes on an idle disk, too.

use netloom_units::{Duration, Time};

use super::parts::Many;
use crate::criteria::Part;
use crate::names::ResourceId;
use crate::party::Party;
use crate::signal::{Pressure, SignalKind};
use crate::tracker::{Outbox, Tracker};
use crate::window::SumWindow;

#[derive(Debug, Clone)]
pub(crate) struct PartsOfTime {
    signal: SignalKind,
    criteria: Part,
    places: Many<ResourceId, SumWindow>,
}

made_of!(PartsOfTime: places);

impl PartsOfTime {
    pub fn new(signal: SignalKind, criteria: &Part) -> Self {
        Self { signal, criteria: criteria.clone(), places: Many::new() }
    }

    /// The tracker of a place, if something was observed there.
    pub fn tracker(&self, place: ResourceId) -> Option<&Tracker> {
        self.places.get(&place).map(|window| &window.tracker)
    }

    /// Adds `part` of the interval `over` that ended at `at`.
    pub fn took(
        &mut self,
        at: Time,
        place: ResourceId,
        party: Party,
        part: Duration,
        over: Duration,
        out: &mut Outbox,
    ) {
        let (signal, criteria) = (self.signal, &self.criteria);
        let new = || window(signal, place, criteria);
        let add = |window: &mut SumWindow| window.add(at, party, part.as_nanos(), over, out);
        self.places.change(place, new, add);
    }
}

/// A window of nanoseconds. Contention holds above the limit, from the next whole nanosecond on.
fn window(signal: SignalKind, place: ResourceId, criteria: &Part) -> SumWindow {
    let nanos = criteria.window.as_nanos() as f64;
    let limit = (criteria.limit.value() * nanos).floor() as u64 + 1;
    let tested = !matches!(place, ResourceId::Pressure(Pressure::Io, _));
    let tracker = Tracker::new(signal, place, tested.then_some(criteria.limit.value()));
    SumWindow::new(tracker, criteria.window, tested.then_some(limit), 1.0 / nanos)
}
