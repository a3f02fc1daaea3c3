//! Real flows of a symbiotic run that differ from their twins by more than a tenth over the last
//! periods: the pipes of the small network do not treat them as the large network would. Two
//! trackers: delay and throughput.

use netloom_units::Time;

use crate::names::ResourceId;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};

/// Largest tolerated difference between the delay or the throughput of a real flow and that of its
/// twin, as a share of the twin's.
pub const MOST_DIVERGENCE: f64 = 0.1;

#[derive(Debug, Clone, Default)]
pub(crate) struct Divergence {
    delay: Option<Tracker>,
    throughput: Option<Tracker>,
}

made_of!(Divergence: delay, throughput);

impl Divergence {
    /// Takes the largest differences over all flows, as far as they could be compared.
    pub fn compared(
        &mut self,
        at: Time,
        delay: Option<f64>,
        throughput: Option<f64>,
        out: &mut Outbox,
    ) {
        let both = [
            (&mut self.delay, ResourceId::FlowDelay, delay),
            (&mut self.throughput, ResourceId::FlowThroughput, throughput),
        ];
        for (tracker, place, value) in both {
            let Some(value) = value else { continue };
            let limit = Some(MOST_DIVERGENCE);
            let tracker =
                tracker.get_or_insert_with(|| Tracker::new(SignalKind::Divergence, place, limit));
            tracker.lapse(at, out);
            if value > MOST_DIVERGENCE {
                tracker.held(at, at, value, out);
            } else {
                tracker.saw(value);
            }
        }
    }
}
