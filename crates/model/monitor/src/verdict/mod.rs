//! The result of a run: the verdict, its reasons, and all data that it rests on. `judge` has the
//! rules, `reasons` and `stated` the sentences, `causes` the explanations. `merge` makes one
//! verdict of those of several machines.

mod causes;
mod judge;
mod merge;
mod reasons;
mod stated;

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::bound::{Bound, Marks, Span};
use crate::report::SignalReport;
use crate::signal::{Resource, SignalKind};
use crate::trust::Trust;

pub(crate) use judge::{Evidence, bad_times, counted, judge, word};
pub use merge::MachinePart;

/// Whether a run can be trusted, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The verdict in a word: the graver of the next two.
    pub judgement: Judgement,
    /// Judgement on what links did to frames: lateness, losses, the timeline.
    pub links: Judgement,
    /// Judgement on programs in nodes: whether they waited for a CPU, for memory or for a disk.
    pub programs: Judgement,
    /// Reasons why the run is not `valid`, the gravest first; empty if it is.
    pub findings: Vec<Finding>,
    /// When the monitor began, in ns since the experiment's zero.
    pub from: Time,
    /// When the experiment had warmed up, in ns since its zero. Contention counts from then on.
    pub settled: Time,
    /// Until when the run was watched, in ns since the experiment's zero.
    pub to: Time,
    /// The exactness that the run needed.
    pub trust: Trust,
    /// By how much the run may be wrong.
    pub bound: Bound,
    /// Times to leave out, because more than tolerated was late, stood still or waited in them.
    pub bad: Vec<Span>,
    /// Every signal, on every resource on which it was observed.
    pub signals: Vec<SignalReport>,
    /// How each signal was observed, and what could not be observed.
    pub coverage: Vec<Coverage>,
    /// Costs of the monitor itself.
    pub overhead: Overhead,
}

/// A verdict in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    #[default]
    /// The error bound is within what was needed.
    Valid,
    /// The error bound is within what was needed if the marked times are left out, or it is not
    /// known exactly enough.
    Suspect,
    /// Frames or programs suffered more than the run can bear.
    Invalid,
}

/// Subject of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Concern {
    /// Frames and the timeline.
    Links,
    /// Programs in nodes.
    Programs,
}

impl std::fmt::Display for Judgement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Valid => "valid",
            Self::Suspect => "suspect",
            Self::Invalid => "invalid",
        })
    }
}

/// All that was collected in a run, to be judged.
pub(crate) struct Collected {
    pub from: Time,
    pub settled: Time,
    pub to: Time,
    pub bound: Bound,
    pub signals: Vec<SignalReport>,
    pub coverage: Vec<Coverage>,
    pub overhead: Overhead,
}

impl Collected {
    /// The verdict by these needs. `brief` is that of the criteria.
    pub fn judged(self, trust: &Trust, brief: Duration) -> Verdict {
        let Self { from, settled, to, bound, signals, coverage, overhead } = self;
        let run = counted(from, settled, to);
        let findings = judge(&Evidence {
            bound: &bound,
            signals: &signals,
            coverage: &coverage,
            trust,
            brief,
            run,
        });
        let (links, programs) =
            (word(&findings, Concern::Links), word(&findings, Concern::Programs));
        Verdict {
            judgement: links.max(programs),
            links,
            programs,
            findings,
            from,
            settled,
            to,
            trust: trust.clone(),
            bad: bad_times(&bound),
            bound,
            signals,
            coverage,
            overhead,
        }
    }
}

impl Verdict {
    /// The times to be left out in all that was recorded of the run.
    pub fn marks(&self) -> Marks {
        Marks::of(&self.bound)
    }

    /// Length of the run since it had warmed up.
    pub fn length(&self) -> Duration {
        self.to.since(self.settled.max(self.from))
    }

    /// Length of the times to be left out.
    pub fn bad_time(&self) -> Duration {
        crate::bound::length(&self.bad)
    }

    /// Whether the rest of the run can be used once the `bad` times are left out: nothing but late
    /// frames, pauses and waiting programs makes it invalid.
    pub fn rest_is_usable(&self) -> bool {
        let invalid = self.findings.iter().filter(|one| one.judgement == Judgement::Invalid);
        let of_times = [SignalKind::Lateness, SignalKind::RunQueue, SignalKind::Pressure];
        invalid.into_iter().all(|finding| of_times.contains(&finding.signal))
    }
}

/// A reason why a run is not `valid`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Which of the two judgements it contributes to.
    pub about: Concern,
    /// The best judgement that this reason allows.
    pub judgement: Judgement,
    /// The signal.
    pub signal: SignalKind,
    /// The resource; `None` if the signal was not observed.
    pub on: Option<Resource>,
    /// The machine, in an experiment on several machines. `None` for a pipe between two of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The reason, in a sentence.
    pub why: String,
}

/// How a signal was observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// The signal.
    pub signal: SignalKind,
    /// The machine on which it was to be observed, in an experiment on several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Whether it was observed for the whole run. A probe that observes only a part of the signal
    /// is not enough.
    pub observed: bool,
    /// The probes that watched it for the whole run.
    pub probes: Vec<String>,
    /// Parts of the signal that could not be observed, and why: a sentence each.
    pub blind_spots: Vec<String>,
    /// Origin of the threshold, or the reason why nothing is tested. `None` if the threshold is the
    /// scenario's, or equal on every machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
}

/// Costs of the monitor itself.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overhead {
    /// CPU time of the preparation: loading programs into the kernel, opening files. Spent once,
    /// while the network comes up.
    #[serde(default)]
    pub preparation_ns: u64,
    /// CPU time of probes and criteria.
    pub monitoring_ns: u64,
    /// CPU time of reporting signals.
    pub notification_ns: u64,
    /// `monitoring_ns` and `notification_ns` as a share of the run's duration, that is, of one CPU.
    pub share: f64,
    /// Time that monitoring and notification took, including times in which others held the CPU.
    #[serde(default)]
    pub elapsed_ns: u64,
}
