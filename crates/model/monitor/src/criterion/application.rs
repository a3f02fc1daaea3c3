//! Values that applications report, each with a limit of its own or with none. An episode is a
//! series of reports above the limit by the same node. A value that is not a number is above every
//! limit.

use std::collections::BTreeMap;

use netloom_units::Time;

use crate::names::ResourceId;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Applications {
    limits: BTreeMap<String, f64>,
    metrics: BTreeMap<(u32, Party), Tracker>,
}

made_of!(Applications: metrics);

impl Applications {
    pub fn new(limits: &BTreeMap<String, f64>) -> Self {
        Self { limits: limits.clone(), metrics: BTreeMap::new() }
    }

    /// Takes a value of the metric `name`, by which the criteria refer to it.
    pub fn reported(
        &mut self,
        at: Time,
        (metric, name): (u32, &str),
        party: Party,
        value: f64,
        out: &mut Outbox,
    ) {
        let limit = self.limits.get(name).copied();
        let tracker = self.metrics.entry((metric, party)).or_insert_with(|| {
            Tracker::new(SignalKind::Application, ResourceId::Metric(metric, party), limit)
        });
        let value = if value.is_finite() { value } else { f64::MAX };
        tracker.lapse(at, out);
        tracker.saw(value);
        let Some(limit) = limit else { return };
        if value <= limit {
            tracker.release(at);
        } else {
            tracker.hold(at, at, value, out);
            tracker.add(party, 1);
        }
    }
}
