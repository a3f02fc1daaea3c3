//! The rules by which a run is judged. Each signal that was contended, on each resource, gives a finding;
//! the gravest decides.
//!
//! **Invalid**, for the results show the machine:
//! 1. A frame was lost outside the model. (If it may have been somebody else's frame, suspect.)
//! 2. A single frame left the engine later than ten times the tolerance, or the engine paused as long.
//! 3. An event of the timeline happened later than its tolerance, or not at all.
//! 4. Any other contention that was neither *brief* (no longer than `brief` in all, by default 1 s) nor
//!    *marginal* (at its worst less than twice the threshold). Of a CPU, only if somebody was seen to suffer
//!    meanwhile (late frames, a node's tasks waiting for a CPU or standing still), or if nobody could see
//!    whether nodes waited: a CPU without an idle moment is by itself no more than the sign that it may have
//!    been wanted by more than one. So it is of a disk, where a node whose requests are among the others' is
//!    somebody who waits, too.
//!
//! **Suspect**, for they may: packets for which a node's sockets had no room, any contention that was brief or marginal, a busy CPU or disk that nobody
//! suffered from, and a signal of [`NEEDED`] that was not observed for the whole run.
//!
//! **Valid** otherwise. What ended before the experiment had warmed up does not count.

use netloom_units::Duration;

use super::{Coverage, Episode, Finding, Judgement, SignalReport};
use crate::criteria::Criteria;
use crate::party::Who;
use crate::signal::{Resource, SignalKind};

/// Without these, a run cannot be said to be valid. Traffic shows in lateness and losses, steal in lateness;
/// waiting for a CPU shows in busy CPUs.
const NEEDED: [SignalKind; 6] = [
    SignalKind::Lateness,
    SignalKind::UnmodelledDrop,
    SignalKind::Cpu,
    SignalKind::MemoryIn,
    SignalKind::MemoryOut,
    SignalKind::Disk,
];

/// Signals in which somebody is seen to wait.
const SUFFERING: [SignalKind; 3] =
    [SignalKind::Lateness, SignalKind::RunQueue, SignalKind::Pressure];

/// The findings on a run, the gravest first.
pub(crate) fn judge(
    signals: &[SignalReport],
    coverage: &[Coverage],
    criteria: &Criteria,
) -> Vec<Finding> {
    let rules = Rules { signals, coverage, brief: criteria.brief };
    let contended = signals.iter().filter_map(|report| rules.contended(report));
    let mut findings: Vec<Finding> = contended.chain(rules.not_observed()).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.judgement));
    findings
}

struct Rules<'a> {
    signals: &'a [SignalReport],
    coverage: &'a [Coverage],
    brief: Duration,
}

impl Rules<'_> {
    fn contended(&self, report: &SignalReport) -> Option<Finding> {
        let episodes: Vec<&Episode> = report.counted().collect();
        let first = episodes.first()?;
        let judgement = match &report.on {
            Resource::Losses { .. } if report.is_nobodys() => Judgement::Suspect,
            // A program that does not read is its scenario's; only people know whether it was to be.
            Resource::Buffer { .. } => Judgement::Suspect,
            Resource::Losses { .. }
            | Resource::SingleFrame
            | Resource::Engine
            | Resource::Events
            | Resource::MissedEvents => Judgement::Invalid,
            _ if report.held <= self.brief || is_marginal(report) => Judgement::Suspect,
            _ if matches!(report.signal, SignalKind::Cpu | SignalKind::Disk)
                && !is_used_by_nodes(report)
                && !self.anybody_suffered(&episodes) =>
            {
                Judgement::Suspect
            }
            _ => Judgement::Invalid,
        };
        let why = super::words::contended(report, first, episodes.len());
        Some(Finding { judgement, signal: report.signal, on: Some(report.on.clone()), why })
    }

    /// Whether somebody was seen to wait in one of these episodes, or nobody was watched.
    fn anybody_suffered(&self, episodes: &[&Episode]) -> bool {
        let waits =
            |signal: SignalKind| matches!(signal, SignalKind::RunQueue | SignalKind::Pressure);
        let watched = self.coverage.iter().any(|c| waits(c.signal) && c.observed);
        let suffering = self.signals.iter().filter(|report| SUFFERING.contains(&report.signal));
        let overlap = |a: &Episode| episodes.iter().any(|b| a.from <= b.to && b.from <= a.to);
        !watched || suffering.flat_map(SignalReport::counted).any(overlap)
    }

    fn not_observed(&self) -> impl Iterator<Item = Finding> {
        let unseen = |coverage: &&Coverage| NEEDED.contains(&coverage.signal) && !coverage.observed;
        self.coverage.iter().filter(unseen).map(|coverage| Finding {
            judgement: Judgement::Suspect,
            signal: coverage.signal,
            on: None,
            why: format!("{}: {}", coverage.signal, coverage.blind_spots.join("; ")),
        })
    }
}

/// Whether it is a disk, and one of a hundred requests or more are nodes': who asks of a busy disk waits for it.
fn is_used_by_nodes(report: &SignalReport) -> bool {
    let of_nodes = report.shares.iter().filter(|share| matches!(share.who, Who::Node { .. }));
    report.signal == SignalKind::Disk && of_nodes.map(|share| share.share).sum::<f64>() >= 0.01
}

/// At its worst less than twice the threshold.
fn is_marginal(report: &SignalReport) -> bool {
    let peak = report.counted().map(|episode| episode.peak).fold(0.0, f64::max);
    report.threshold.is_some_and(|threshold| peak < 2.0 * threshold)
}
