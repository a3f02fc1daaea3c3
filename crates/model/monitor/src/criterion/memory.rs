//! Pages that are moved in and out: `1/δ · |{e}| ≥ θ_m` (Maier 2011, Eq. 4.3). Swapping is tested
//! apart from major faults and refaults of nodes, which have a limit of their own, because programs
//! start with some.

use netloom_units::{Duration, Time};

use crate::criteria::{Criteria, Pages};
use crate::names::ResourceId;
use crate::observation::{Direction, PageCause};
use crate::party::Party;
use crate::signal::SignalKind;
use crate::tracker::{Outbox, Tracker};
use crate::window::SumWindow;

#[derive(Debug, Clone)]
pub(crate) struct Memory {
    swapped_in: SumWindow,
    swapped_out: SumWindow,
    faults: SumWindow,
}

made_of!(Memory: swapped_in, swapped_out, faults);

impl Memory {
    pub fn new(criteria: &Criteria) -> Self {
        Self {
            swapped_in: window(SignalKind::MemoryIn, ResourceId::Swap, &criteria.memory_in),
            swapped_out: window(SignalKind::MemoryOut, ResourceId::Swap, &criteria.memory_out),
            faults: window(SignalKind::MemoryIn, ResourceId::Faults, &criteria.faults),
        }
    }

    pub fn paged(
        &mut self,
        at: Time,
        (direction, cause): (Direction, PageCause),
        party: Party,
        pages: u64,
        over: Duration,
        out: &mut Outbox,
    ) {
        let window = match (direction, cause) {
            (Direction::Out, _) => &mut self.swapped_out,
            (Direction::In, PageCause::Swap) => &mut self.swapped_in,
            (Direction::In, PageCause::Fault) => &mut self.faults,
        };
        if pages > 0 {
            window.add(at, party, pages, over, out);
        }
    }
}

fn window(signal: SignalKind, place: ResourceId, criteria: &Pages) -> SumWindow {
    let worth = 1.0 / criteria.window.as_secs_f64();
    // A threshold of zero makes any page as much above it as can be, never marginally.
    let threshold = if criteria.limit == 1 { 0.0 } else { criteria.limit as f64 * worth };
    let tracker = Tracker::new(signal, place, Some(threshold));
    SumWindow::new(tracker, criteria.window, Some(criteria.limit), worth)
}
