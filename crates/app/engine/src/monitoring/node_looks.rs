//! Decides how often nodes are entered to read their counters: the more nodes there are, the more
//! rarely, so that it costs little. Not here: the counters.

use netloom_probes::Budget;
use netloom_units::{Duration, Time};

use crate::live::LiveNetwork;

/// Looks of one kind may use one part in this many of a CPU: 0.03 %.
const PARTS: u64 = 3200;

/// The time of the next look, and the cost of looks.
pub struct NodeLooks {
    due: Time,
    period: Duration,
    budget: Budget,
}

impl NodeLooks {
    /// Makes looks that begin at `first` and are at least `period` apart.
    pub fn new(first: Time, period: Duration) -> Self {
        Self { due: first, period, budget: Budget::of_equal_looks(PARTS) }
    }

    /// Returns the time of the next look.
    pub fn due(&self) -> Time {
        self.due
    }

    /// Calls the look. Returns its result, and the CPU time that other threads spent on it.
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

/// Returns the CPU time that looking into nodes has taken so far.
fn spent(network: &LiveNetwork) -> Duration {
    let spent = network.with(|live| Ok(live.network.counters().spent()));
    let nanos = spent.map_or(0, |spent| spent.as_nanos());
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
