//! When what is sampled in a run.

use netloom_scenario::Measure;
use netloom_units::{Duration, Time};

/// Longest time between two looks at air logs, which grow with each frame on a medium.
const AIR: Duration = Duration::from_secs(1);

/// What is to be sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Pipes, media, and what carriers hand over.
    pub pipes: bool,
    /// Flows.
    pub flows: bool,
    /// Air logs.
    pub air: bool,
}

impl Due {
    /// Everything.
    pub const ALL: Self = Self { pipes: true, flows: true, air: true };
}

/// When what is sampled: at whole multiples of each interval.
#[derive(Debug)]
pub struct Schedule {
    pipes: Every,
    /// Absent if no carrier sends flows itself.
    flows: Option<Every>,
    /// Absent if there is no air log.
    air: Option<Every>,
}

impl Schedule {
    /// The schedule that a scenario asks for, from zero on. It has flows if there are any to
    /// sample.
    pub fn new(measure: &Measure, has_flows: bool) -> Self {
        let air = (!measure.air.is_empty()).then(|| Every::new(AIR.min(measure.interval)));
        Self {
            pipes: Every::new(measure.interval),
            flows: has_flows.then(|| Every::new(measure.flow_interval())),
            air,
        }
    }

    /// Returns the next time at which something is due.
    pub fn next(&self) -> Time {
        let others = [&self.flows, &self.air].into_iter().flatten();
        others.fold(self.pipes.next, |next, every| next.min(every.next))
    }

    /// Returns what is due at `now`. It is awaited anew from then on.
    pub fn due(&mut self, now: Time) -> Due {
        Due {
            pipes: self.pipes.is_due(now),
            flows: self.flows.as_mut().is_some_and(|flows| flows.is_due(now)),
            air: self.air.as_mut().is_some_and(|air| air.is_due(now)),
        }
    }

    /// Returns what was not due at `now`, for a last look.
    pub fn rest(&self, now: Time) -> Due {
        Due {
            pipes: !self.pipes.was_at(now),
            flows: self.flows.as_ref().is_some_and(|flows| !flows.was_at(now)),
            air: self.air.as_ref().is_some_and(|air| !air.was_at(now)),
        }
    }
}

/// Recurring times.
#[derive(Debug)]
struct Every {
    step: Duration,
    next: Time,
}

impl Every {
    fn new(step: Duration) -> Self {
        Self { step, next: Time::ZERO + step }
    }

    /// Whether one of these times has come by `now`. If so, the first one after `now` is next.
    fn is_due(&mut self, now: Time) -> bool {
        let due = self.next <= now;
        while self.next <= now {
            self.next += self.step;
        }
        due
    }

    /// Whether the last of these times was `now`.
    fn was_at(&self, now: Time) -> bool {
        now + self.step == self.next
    }
}
