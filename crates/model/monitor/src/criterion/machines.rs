//! What only an experiment on several machines can suffer: a clock of another machine that is not
//! known exactly enough, a link that is shorter than the way between its machines, and a change
//! that came too late. Not here: lost frames (`drops`), and lost machines, on which nobody is left
//! to observe them.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::nanos;
use crate::names::ResourceId;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone, Default)]
pub(crate) struct Machines {
    clocks: BTreeMap<u32, Tracker>,
    uncovered: BTreeMap<u32, Tracker>,
    changes: Option<Tracker>,
}

made_of!(Machines: clocks, uncovered, changes);

impl Machines {
    /// Takes the bound of a machine's clock, which holds from `at` until the next one.
    pub fn bounded(
        &mut self,
        at: Time,
        machine: u32,
        bound: Duration,
        limit: Duration,
        out: &mut Outbox,
    ) {
        let place = ResourceId::Clock(machine);
        let new = || Tracker::new(SignalKind::Clock, place, None);
        let tracker = self.clocks.entry(machine).or_insert_with(new);
        tracker.threshold = Some(nanos(limit));
        tracker.lapse(at, out);
        tracker.measure(nanos(bound));
        match bound > limit {
            true => tracker.hold(at, at, nanos(bound), out),
            false => tracker.release(at),
        }
    }

    /// Takes a pipe that is shorter by `lacks` than the way between its machines.
    pub fn uncovered(&mut self, at: Time, pipe: u32, lacks: Duration, out: &mut Outbox) {
        let new = || Tracker::new(SignalKind::Tunnel, ResourceId::Pipe(pipe), Some(0.0));
        let tracker = self.uncovered.entry(pipe).or_insert_with(new);
        tracker.lapse(at, out);
        tracker.measure(nanos(lacks));
        tracker.hold(at, at, nanos(lacks), out);
    }

    /// Takes a change that was made at `at`, `late` after its instant.
    pub fn changed_late(&mut self, at: Time, late: Duration, out: &mut Outbox) {
        let tracker = self.changes.get_or_insert_with(|| {
            Tracker::new(SignalKind::ChangeLate, ResourceId::Changes, Some(0.0))
        });
        tracker.lapse(at, out);
        tracker.held(at, at, nanos(late), out);
    }
}
