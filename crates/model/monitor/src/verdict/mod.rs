//! What is told of a run: the verdict, its reasons, and everything it rests on. How it is judged:
//! `judge`; in which words: `words`, `reasons` and `stated`; what caused it: `causes`.

mod causes;
mod judge;
mod reasons;
mod stated;
pub(crate) mod words;

use netloom_units::{Duration, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bound::{Bound, Span};
use crate::party::Who;
use crate::signal::{Resource, Share, SignalKind};
use crate::trust::Trust;

pub(crate) use judge::{Evidence, bad_times, counted, judge, word};

/// Whether a run can be trusted, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The verdict in a word: the graver of the next two.
    pub judgement: Judgement,
    /// What links did to frames: lateness, losses, the timeline.
    pub links: Judgement,
    /// What programs in nodes could do: whether they waited for a CPU, for memory or for a disk.
    pub programs: Judgement,
    /// Why it is not `valid`, the gravest first; empty if it is.
    pub findings: Vec<Finding>,
    /// When the monitor began, in ns since the experiment's zero.
    pub from: Time,
    /// Since when contention counts: when the experiment had warmed up.
    pub settled: Time,
    /// Until when the run was watched.
    pub to: Time,
    /// What the run was needed for.
    pub trust: Trust,
    /// By how much it may be wrong.
    pub bound: Bound,
    /// Times to leave out: more than needed was late, stood still or waited in them.
    pub bad: Vec<Span>,
    /// Every signal on every resource that it was observed on.
    pub signals: Vec<SignalReport>,
    /// How each signal was observed, and what could not be seen.
    pub coverage: Vec<Coverage>,
    /// What the monitor itself cost.
    pub overhead: Overhead,
}

/// A verdict in a word.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    #[default]
    /// The error bound is within what was needed.
    Valid,
    /// It is so if the times that are marked are left out, or it could not be told.
    Suspect,
    /// Frames or programs suffered more than the run can bear.
    Invalid,
}

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

impl Verdict {
    /// For how long the run was watched since it had warmed up.
    pub fn length(&self) -> Duration {
        self.to.since(self.settled.max(self.from))
    }

    /// How much of that is to be left out.
    pub fn bad_time(&self) -> Duration {
        crate::bound::length(&self.bad)
    }
}

/// A reason why a run is not `valid`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Which of the two words it is about.
    pub about: Concern,
    /// What the run is at best, for this reason.
    pub judgement: Judgement,
    /// The signal.
    pub signal: SignalKind,
    /// On what; nothing if the signal was not observed.
    pub on: Option<Resource>,
    /// In a sentence.
    pub why: String,
}

/// One signal on one resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SignalReport {
    /// The signal; it gives the unit.
    pub signal: SignalKind,
    /// On what.
    pub on: Resource,
    /// The threshold; nothing if there is none to test against.
    pub threshold: Option<f64>,
    /// The worst that was measured since the experiment had warmed up; nothing if nothing was.
    pub worst: Option<f64>,
    /// How far the worst stayed below the threshold, as a share of it: 1 is untouched, 0 at the
    /// threshold, negative above. Where nothing is allowed, 1 or −1.
    pub margin: Option<f64>,
    /// For how long contention held since the experiment had warmed up.
    pub held: Duration,
    /// When it held; what is less than [`Episode::GAP`] apart is one episode.
    pub episodes: Vec<Episode>,
    /// Through whom in all counted episodes, the heaviest first; at most [`Episode::PARTIES`], and the
    /// others as one.
    pub shares: Vec<Share>,
}

impl SignalReport {
    /// The episodes that count.
    pub fn counted(&self) -> impl Iterator<Item = &Episode> {
        self.episodes.iter().filter(|episode| !episode.warm_up)
    }

    /// What was contended, how much, when, and through whom: a sentence.
    pub fn in_words(&self) -> String {
        words::contended(self)
    }

    /// Whether nothing of it could be attributed.
    pub(crate) fn is_nobodys(&self) -> bool {
        self.shares.iter().all(|share| share.who == Who::Unattributed)
    }
}

/// A time in which contention held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Episode {
    /// From when.
    pub from: Time,
    /// To when.
    pub to: Time,
    /// For how long of that.
    pub held: Duration,
    /// The worst that was measured, in the signal's unit.
    pub peak: f64,
    /// Whether it ended before the experiment had warmed up: it does not count.
    pub warm_up: bool,
    /// Through whom, as in [`SignalReport::shares`].
    pub shares: Vec<Share>,
}

impl Episode {
    /// A gap shorter than this does not end an episode.
    pub const GAP: Duration = Duration::from_millis(100);

    /// How many parties are named.
    pub const PARTIES: usize = 10;
}

/// How a signal was observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// The signal.
    pub signal: SignalKind,
    /// Whether it was observed for the whole run. A probe that sees a part of it only is not enough.
    pub observed: bool,
    /// The probes that watched it for the whole run.
    pub probes: Vec<String>,
    /// What could not be seen, and why; a sentence each.
    pub blind_spots: Vec<String>,
    /// Where the threshold comes from, or why nothing is tested; nothing if it is the scenario's or the same
    /// on every machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
}

/// What the monitor itself cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Overhead {
    /// CPU time of getting ready: programs into the kernel, files opened. Spent once, while the network comes
    /// up.
    #[serde(default)]
    pub preparation_ns: u64,
    /// CPU time of probes and criteria.
    pub monitoring_ns: u64,
    /// CPU time of telling of signals.
    pub notification_ns: u64,
    /// The last two as a share of the run's duration: of one CPU.
    pub share: f64,
    /// How long the last two took, times included in which others had the CPU.
    #[serde(default)]
    pub elapsed_ns: u64,
}
