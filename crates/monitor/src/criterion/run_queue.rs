//! For how much of the time a task of a node had waited for a CPU for longer than is tolerated, for each node:
//! what comes to the node at any moment, a frame or a timer, waits so long with that probability. (The
//! percentile of the waits themselves would not say: a task that waits for 20 ms once a second and for nothing
//! a thousand times has a good percentile and is late for 2 % of what comes, and one that waits twice a second
//! has a bad one through a single wait.)

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use crate::criteria::Delays;
use crate::names::Place;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};
use crate::window::SumWindow;

#[derive(Debug, Clone)]
pub(crate) struct RunQueues {
    criteria: Delays,
    parties: BTreeMap<Party, SumWindow>,
}

made_of!(RunQueues: parties);

impl RunQueues {
    pub fn new(criteria: &Delays) -> Self {
        Self { criteria: criteria.clone(), parties: BTreeMap::new() }
    }

    pub fn waited(
        &mut self,
        at: Time,
        party: Party,
        delay: Duration,
        times: u64,
        out: &mut Outbox,
    ) {
        let criteria = &self.criteria;
        let window = self.parties.entry(party).or_insert_with(|| window(party, criteria));
        let beyond = delay.saturating_sub(criteria.tolerance()).as_nanos();
        // That nobody waited is worth one entry a time.
        if beyond > 0 || window.last() < Some(at) {
            window.add(at, party, beyond.saturating_mul(times), Duration::ZERO, out);
        }
    }
}

/// A window of nanoseconds: contended above the limit, from the next whole nanosecond on.
fn window(party: Party, criteria: &Delays) -> SumWindow {
    let nanos = criteria.window.as_nanos() as f64;
    let limit = (Delays::PART * nanos).floor() as u64 + 1;
    let tracker = Tracker::new(SignalKind::RunQueue, Place::RunQueue(party), Some(Delays::PART));
    SumWindow::new(tracker, criteria.window, Some(limit), 1.0 / nanos)
}
