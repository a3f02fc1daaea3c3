//! The criteria once more, over a whole trace: straight from the formulas, without windows that
//! slide or states that change. Slow on purpose. It shares no code with the monitor.
//!
//! | file | contents |
//! |---|---|
//! | `formulas` | when each criterion is met |
//! | `busy` | criteria on how long something was busy |
//! | `groups` | episodes, their shares, and the verdict that follow |
//! | `compare` | differences from a verdict |

mod busy;
pub mod compare;
mod formulas;
mod groups;

use std::collections::BTreeMap;

use groups::{Outcome, Piece};
use netloom_monitor::{Criteria, Observation, Resource, SignalKind};
use netloom_units::Time;

/// A trace that is judged.
pub struct Offline<'a> {
    trace: &'a [(Time, Observation)],
    criteria: &'a Criteria,
    end: u64,
    settled: Option<u64>,
    pub outcomes: BTreeMap<(SignalKind, Resource), Outcome>,
}

impl<'a> Offline<'a> {
    pub fn new(trace: &'a [(Time, Observation)], criteria: &'a Criteria, end: Time) -> Self {
        let settled = trace.iter().find(|(_, seen)| *seen == Observation::Settled);
        let settled = settled.map(|(at, _)| at.as_nanos());
        let outcomes = BTreeMap::new();
        let mut offline = Self { trace, criteria, end: end.as_nanos(), settled, outcomes };
        offline.evaluate();
        offline
    }

    fn conclude(&mut self, key: (SignalKind, Resource), pieces: Vec<Piece>, worst: Option<f64>) {
        let uses = groups::uses(self.trace, key.0);
        let episodes = groups::episodes(pieces, self.settled, &uses);
        self.outcomes.insert(key, Outcome { worst, episodes });
    }

    /// Whether something that was observed at `at` counts.
    fn counts(&self, at: u64) -> bool {
        self.settled.is_none_or(|settled| at > settled)
    }
}
