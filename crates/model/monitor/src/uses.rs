//! Uses of resources: how much each party used, where signals do not say. They are kept for a while
//! before they weigh episodes, until it is known when the episodes ended.

use std::collections::{BTreeMap, VecDeque};

use netloom_units::{Duration, Time};

use crate::signal::SignalKind;
use crate::tracker::{Tracker, Use};

/// How long a use is kept. Longer than any polling period.
const WAIT: Duration = Duration::from_secs(10);

/// Uses by signal, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Uses(BTreeMap<SignalKind, VecDeque<Use>>);

impl Uses {
    pub fn add(&mut self, of: SignalKind, used: Use) {
        self.0.entry(of).or_default().push_back(used);
    }

    /// Takes the uses that have been kept long enough by `now`.
    pub fn take_due(&mut self, now: Time) -> BTreeMap<SignalKind, Vec<Use>> {
        let mut taken = BTreeMap::new();
        for (signal, uses) in &mut self.0 {
            let waits = uses.iter().position(|used| used.to + WAIT > now).unwrap_or(uses.len());
            if waits > 0 {
                taken.insert(*signal, uses.drain(..waits).collect());
            }
        }
        taken
    }

    /// Takes everything.
    pub fn take_all(&mut self) -> BTreeMap<SignalKind, Vec<Use>> {
        let taken = std::mem::take(&mut self.0).into_iter();
        taken.map(|(signal, uses)| (signal, uses.into())).collect()
    }

    /// The uses that concern a tracker.
    pub fn of(&self, tracker: &Tracker) -> impl Iterator<Item = Use> {
        self.0.get(&tracker.signal).into_iter().flatten().copied()
    }
}
