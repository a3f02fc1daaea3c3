//! How long tasks of a node waited for a CPU: the 99th percentile of a sliding window, for each node.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::nanos;
use crate::criteria::Delays;
use crate::names::Place;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};
use crate::window::PercentileWindow;

#[derive(Debug, Clone)]
pub(crate) struct RunQueues {
    criteria: Delays,
    parties: BTreeMap<Party, PercentileWindow>,
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
        let (tolerance, length) = (self.criteria.tolerance(), self.criteria.window);
        let window = self.parties.entry(party).or_insert_with(|| {
            let place = Place::RunQueue(party);
            let tracker = Tracker::new(SignalKind::RunQueue, place, Some(nanos(tolerance)));
            PercentileWindow::new(tracker, length, tolerance)
        });
        if times > 0 {
            window.add(at, party, delay, times, out);
        }
    }
}
