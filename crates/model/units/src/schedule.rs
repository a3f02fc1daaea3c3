//! Rates on a schedule.

use serde::{Deserialize, Serialize};

use crate::{Duration, Rate};

/// From when on a rate holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ScheduleStep {
    /// Counted from when the schedule was set.
    pub at: Duration,
    /// The rate.
    pub rate: Rate,
}

/// A rate that changes at given times, and may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateSchedule {
    steps: Vec<ScheduleStep>,
    repeat: Option<Duration>,
}

impl RateSchedule {
    /// Returns a schedule of `steps`, which starts again after `repeat`.
    ///
    /// # Errors
    /// If the schedule does not begin at 0, if its times do not increase, or if it repeats before
    /// its last step.
    pub fn new(steps: Vec<ScheduleStep>, repeat: Option<Duration>) -> Result<Self, String> {
        match steps.first() {
            None => return Err("a schedule needs at least one step".into()),
            Some(first) if first.at != Duration::ZERO => {
                return Err("a schedule's first step must be `at: 0s`".into());
            }
            Some(_) => {}
        }
        if let Some(pair) = steps.windows(2).find(|pair| pair[1].at <= pair[0].at) {
            return Err(format!("step at {} must come after {}", pair[1].at, pair[0].at));
        }
        let last = steps[steps.len() - 1].at;
        if repeat.is_some_and(|repeat| repeat <= last) {
            return Err(format!("`repeat` must be longer than the last step's {last}"));
        }
        Ok(Self { steps, repeat })
    }

    /// Returns the steps in order of time.
    pub fn steps(&self) -> &[ScheduleStep] {
        &self.steps
    }

    /// Returns the time after which the schedule starts again, if it does.
    pub fn repeat(&self) -> Option<Duration> {
        self.repeat
    }

    /// Returns the rate at the start.
    pub fn first(&self) -> Rate {
        self.steps[0].rate
    }

    /// Returns the largest of its rates.
    pub fn largest(&self) -> Rate {
        self.steps.iter().map(|step| step.rate).max().unwrap_or_else(|| self.first())
    }

    /// Returns the rate at the time `elapsed` after the schedule was set.
    pub fn rate_at(&self, elapsed: Duration) -> Rate {
        let elapsed = match self.repeat {
            Some(repeat) => Duration::from_nanos(elapsed.as_nanos() % repeat.as_nanos()),
            None => elapsed,
        };
        let after = self.steps.partition_point(|step| step.at <= elapsed);
        // The first step is at 0, so at least one step has begun at any time.
        self.steps[after - 1].rate
    }
}
