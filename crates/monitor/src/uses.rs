//! Uses of resources of which only the sum is observed. They wait a while before episodes are weighed with
//! them, until it is known when those ended.

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use crate::signal::SignalKind;
use crate::tracker::{Tracker, Use};

/// Longer than any polling period.
const WAIT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Default)]
pub(crate) struct Uses(VecDeque<(SignalKind, Use)>);

impl Uses {
    pub fn add(&mut self, of: SignalKind, used: Use) {
        self.0.push_back((of, used));
    }

    /// The next one that has waited long enough, or when it will have.
    pub fn next_due(&self) -> Option<Time> {
        self.0.front().map(|(_, used)| used.to + WAIT)
    }

    /// Takes what has waited long enough by `now`.
    pub fn take_due(&mut self, now: Time) -> Option<(SignalKind, Use)> {
        self.next_due().filter(|due| *due <= now)?;
        self.0.pop_front()
    }

    /// Takes everything.
    pub fn take_all(&mut self) -> impl Iterator<Item = (SignalKind, Use)> {
        self.0.drain(..)
    }

    /// What concerns a tracker.
    pub fn of(&self, tracker: &Tracker) -> impl Iterator<Item = Use> {
        let signal = tracker.signal;
        self.0.iter().filter(move |(of, _)| *of == signal).map(|(_, used)| *used)
    }
}
