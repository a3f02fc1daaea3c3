//! Differences between a verdict and the formulas.

use std::collections::BTreeMap;

use netloom_monitor::{Resource, SignalKind, SignalReport, Verdict};

use super::Offline;
use super::groups::{Episode, Outcome};

/// All differences between the verdict and the formulas, in words; empty if they agree. The monitor
/// must have got no names but those of metrics, because the formulas use numbers only.
pub fn differences(verdict: &Verdict, offline: &Offline<'_>) -> Vec<String> {
    let reported: BTreeMap<(SignalKind, Resource), Outcome> =
        verdict.signals.iter().map(|r| ((r.signal, r.on.clone()), outcome(r))).collect();
    let mut differences = Vec::new();
    for (key, expected) in &offline.outcomes {
        let reported = reported.get(key).map(rounded).unwrap_or_default();
        let mut expected = rounded(expected);
        for (expected, reported) in expected.episodes.iter_mut().zip(&reported.episodes) {
            sum_up(&mut expected.shares, &reported.shares);
        }
        if reported != expected {
            differences
                .push(format!("{key:?}: the verdict says {reported:?}, the formulas {expected:?}"));
        }
    }
    for (key, reported) in &reported {
        let silent = reported.episodes.is_empty() && reported.worst.unwrap_or(0.0) == 0.0;
        if !silent && !offline.outcomes.contains_key(key) {
            differences
                .push(format!("{key:?}: the verdict says {reported:?}, the formulas nothing"));
        }
    }
    differences
}

/// Converts a report to a result of the offline evaluation.
fn outcome(report: &SignalReport) -> Outcome {
    let episodes = report.episodes.iter().map(|episode| Episode {
        from: episode.from.as_nanos(),
        to: episode.to.as_nanos(),
        held: episode.held.as_nanos(),
        peak: episode.peak,
        warm_up: episode.warm_up,
        shares: episode.shares.iter().map(|s| (s.who.to_string(), s.amount)).collect(),
    });
    Outcome { worst: report.worst, episodes: episodes.collect() }
}

/// Sums up the shares of the parties that the verdict does not list.
fn sum_up(shares: &mut BTreeMap<String, u64>, reported: &BTreeMap<String, u64>) {
    if reported.contains_key("others") {
        let all: u64 = shares.values().sum();
        shares.retain(|who, _| reported.contains_key(who));
        shares.insert("others".into(), all - shares.values().sum::<u64>());
    }
}

/// Treats a measured zero like no measurement, and ignores the last digit of floats.
fn rounded(outcome: &Outcome) -> Outcome {
    let digits = |value: f64| format!("{value:.9e}").parse::<f64>().unwrap();
    let mut outcome = outcome.clone();
    outcome.worst = outcome.worst.filter(|worst| *worst != 0.0).map(digits);
    for episode in &mut outcome.episodes {
        episode.peak = digits(episode.peak);
    }
    outcome
}
