//! Exactness that a run needs: how much of the machine may show in its results. Not here: when a
//! signal counts as contention (`criteria`), and how a run is judged by these needs (`verdict`).

use netloom_units::{Duration, Probability};
use serde::{Deserialize, Serialize};

use crate::criteria::Criteria;

/// How exact a run has to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Trust {
    /// How late a frame may be. By default `monitor.criteria.lateness.tolerance`, and if that is
    /// not set either, 1 % of the smallest link delay, but at least 1 ms and at most 2 ms.
    pub delay: Option<Duration>,
    /// The part of a pipe's frames that may be later than `delay`, and the part of its rate that a
    /// busy line may lack (default `1%`).
    pub share: Probability,
    /// How late a single frame may be, and how long the engine may stand still, however rarely
    /// (default `50ms`).
    pub stall: Duration,
    /// How many frames may be lost outside the model (default 0).
    pub losses: u64,
    /// How late an event of the timeline may happen (default:
    /// `monitor.criteria.timeline.tolerance`, which is `10ms`).
    pub timeline: Option<Duration>,
    /// The part of the run that a node's programs may have waited for a CPU, for memory or for a
    /// disk (default `5%`).
    pub waits: Probability,
}

impl Default for Trust {
    fn default() -> Self {
        let share = |value| Probability::new(value).expect("between 0 and 1");
        Self {
            delay: None,
            share: share(0.01),
            stall: Duration::from_millis(50),
            losses: 0,
            timeline: None,
            waits: share(0.05),
        }
    }
}

impl Trust {
    /// Smallest and largest default of the tolerance.
    const DELAYS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(2));

    /// The tolerance of a scenario that sets none: 1 % of the smallest link delay, but at least 1
    /// ms and at most 2 ms.
    pub fn delay_for(smallest_delay: Option<Duration>) -> Duration {
        let part = smallest_delay.map_or(0, |delay| delay.as_nanos() / 100);
        Duration::from_nanos(part).clamp(Self::DELAYS.0, Self::DELAYS.1)
    }

    /// Fills in the values that depend on the experiment, from the scenario's criteria or the
    /// defaults.
    #[must_use]
    pub fn resolved(mut self, criteria: &Criteria, smallest_delay: Option<Duration>) -> Self {
        let set = criteria.lateness.tolerance;
        self.delay.get_or_insert(set.unwrap_or_else(|| Self::delay_for(smallest_delay)));
        self.timeline.get_or_insert(criteria.timeline.tolerance);
        self
    }

    /// How late an event of the timeline may happen.
    pub fn timeline(&self) -> Duration {
        self.timeline.unwrap_or(Duration::from_millis(10))
    }

    /// How late a frame may be. If nothing is set, it is the default of an experiment without
    /// delays.
    pub fn delay(&self) -> Duration {
        self.delay.unwrap_or(Self::DELAYS.0)
    }

    /// All needs in one line.
    pub fn in_words(&self) -> String {
        format!(
            "delay {}, share {}, stall {}, losses {}, timeline {}, waits {}",
            self.delay(),
            self.share,
            self.stall,
            self.losses,
            self.timeline(),
            self.waits,
        )
    }
}

impl Criteria {
    /// Fills in both tolerances from what the run needs, if they are not set. An event that is
    /// later than needed never counts as punctual.
    #[must_use]
    pub fn resolved(mut self, trust: &Trust) -> Self {
        self.lateness.tolerance.get_or_insert(trust.delay());
        self.run_queue.tolerance.get_or_insert(trust.delay());
        self.timeline.tolerance = self.timeline.tolerance.min(trust.timeline());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tolerance_does_not_grow_with_the_delay() {
        let delay = |ms| Trust::delay_for(Some(Duration::from_millis(ms)));
        assert_eq!(Trust::delay_for(None), Duration::from_millis(1));
        assert_eq!(delay(5), Duration::from_millis(1));
        assert_eq!(delay(150), Duration::from_micros(1500));
        assert_eq!(delay(10_000), Duration::from_millis(2));
    }
}
