//! How often nodes are entered to look at their counters: as rarely as their number asks, so that
//! it costs little. Not here: what is counted.

use netloom_probes::Budget;
use netloom_units::{Duration, Time};

use crate::live::LiveNetwork;

/// Looks of one kind may use one of so many parts of a CPU: 0.03 %.
const PARTS: u64 = 3200;

/// When to look next, and what looks cost.
pub struct NodeLooks {
    due: Time,
    period: Duration,
    budget: Budget,
}

impl NodeLooks {
    /// The first look is at `first`; they are at least `period` apart.
    pub fn new(first: Time, period: Duration) -> Self {
        Self { due: first, period, budget: Budget::of_equal_looks(PARTS) }
    }

    /// When it is time to look.
    pub fn due(&self) -> Time {
        self.due
    }

    /// Looks; what was seen, and the CPU time that other threads spent on it.
    pub fn look<T>(
        &mut self,
        now: Time,
        network: &LiveNetwork,
        look: impl FnOnce() -> T,
    ) -> (T, Duration) {
        let before = spent(network);
        let seen = look();
        let spent = spent(network).saturating_sub(before);
        self.budget.count(spent);
        self.due = now + self.budget.period(self.period);
        (seen, spent)
    }
}

/// The CPU time that looking into nodes has taken so far.
fn spent(network: &LiveNetwork) -> Duration {
    let spent = network.with(|live| Ok(live.network.spent_in_nodes()));
    let nanos = spent.map_or(0, |spent| spent.as_nanos());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
