//! Signals that are watched, the probes that watch them, and what those cannot observe.

use std::collections::{BTreeMap, BTreeSet};

use crate::signal::SignalKind;
use crate::verdict::Coverage;

#[derive(Debug, Clone, Default)]
pub(crate) struct Watched(BTreeMap<SignalKind, Probes>);

#[derive(Debug, Clone, Default)]
struct Probes {
    /// The probes by name, and whether each observes only a part of the signal.
    watching: BTreeMap<String, bool>,
    blind_spots: BTreeSet<String>,
    threshold: Option<String>,
}

impl Watched {
    pub fn watch(&mut self, signal: SignalKind, probe: &str, cannot_see: &[String], partial: bool) {
        let probes = self.0.entry(signal).or_default();
        probes.watching.insert(probe.into(), partial);
        probes.blind_spots.extend(cannot_see.iter().map(|text| format!("{probe}: {text}")));
    }

    /// Records that a probe does not watch a signal. A probe that stops does not count as having
    /// watched.
    pub fn unwatch(&mut self, signal: SignalKind, probe: &str, why: &str) {
        let probes = self.0.entry(signal).or_default();
        probes.watching.remove(probe);
        probes.blind_spots.insert(format!("{probe} does not watch: {why}"));
    }

    /// Sets the origin of a signal's threshold, or the reason why it has none.
    pub fn threshold(&mut self, signal: SignalKind, from: &str) {
        self.0.entry(signal).or_default().threshold = Some(from.into());
    }

    /// Coverage of every signal of one machine, watched or not, and of those between machines that
    /// a probe was to watch.
    pub fn coverage(&self) -> Vec<Coverage> {
        let between = SignalKind::BETWEEN_MACHINES.into_iter();
        let between = between.filter(|signal| self.0.contains_key(signal));
        SignalKind::ALL.into_iter().chain(between).map(|signal| self.of(signal)).collect()
    }

    fn of(&self, signal: SignalKind) -> Coverage {
        let Probes { watching, blind_spots, threshold } =
            self.0.get(&signal).cloned().unwrap_or_default();
        let mut blind_spots: Vec<String> = blind_spots.into_iter().collect();
        let observed = watching.values().any(|partial| !partial);
        if !observed {
            let what = if watching.is_empty() { "not observed" } else { "observed in part only" };
            blind_spots.insert(0, what.into());
        }
        let probes = watching.into_keys().collect();
        Coverage { signal, machine: None, observed, probes, blind_spots, threshold }
    }
}
