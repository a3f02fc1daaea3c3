//! When a run is sampled.

use netloom_units::{Dilation, Duration};
use tokio::time::{Interval, MissedTickBehavior};

use crate::end::End;

/// Ticks until a run is over, and one more then.
pub struct Ticks {
    interval: Interval,
    end: End,
}

impl Ticks {
    /// Makes ticks that are `interval` apart in the time of an experiment of this dilation.
    pub fn every(interval: Duration, dilation: Dilation, end: End) -> Self {
        let mut interval = tokio::time::interval(dilation.to_machine(interval).into());
        interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
        Self { interval, end }
    }

    /// Waits for the next tick. Returns whether it is the last.
    pub async fn is_last(&mut self) -> bool {
        tokio::select! {
            _ = self.interval.tick() => false,
            () = self.end.asked() => true,
        }
    }
}
