//! Reports on signals: when contention held on a resource, how bad it was, and through whom.

use netloom_units::{Duration, Time};
use serde::{Deserialize, Serialize};

use crate::party::Who;
use crate::signal::{Resource, Share, SignalKind};
use crate::words::{heaviest, of_machine, quantity, subject};

/// Report on one signal on one resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignalReport {
    /// The signal, which gives the unit of the values.
    pub signal: SignalKind,
    /// The resource.
    pub on: Resource,
    /// The machine of the resource, in an experiment on several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The threshold; `None` if there is none to test against.
    pub threshold: Option<f64>,
    /// The worst value since the experiment had warmed up; `None` if none was measured.
    pub worst: Option<f64>,
    /// Distance of the worst value below the threshold, as a share of the threshold: 1 if
    /// untouched, 0 at the threshold, negative above it. With a threshold of zero it is 1 or −1.
    pub margin: Option<f64>,
    /// Time during which contention held since the experiment had warmed up.
    pub held: Duration,
    /// The episodes in which it held. Gaps shorter than [`Episode::GAP`] do not separate episodes.
    pub episodes: Vec<Episode>,
    /// The parties that caused it in all counted episodes, the heaviest first: at most
    /// [`Episode::PARTIES`], and the others as one.
    pub shares: Vec<Share>,
}

impl SignalReport {
    /// The episodes that count: those that did not end before the experiment had warmed up.
    pub fn counted(&self) -> impl Iterator<Item = &Episode> {
        self.episodes.iter().filter(|episode| !episode.warm_up)
    }

    /// Describes the contention in a sentence: signal and resource, value, times, parties.
    pub fn in_words(&self) -> String {
        contended(self)
    }

    /// Whether no part of it could be attributed to anybody.
    pub(crate) fn is_nobodys(&self) -> bool {
        self.shares.iter().all(|share| share.who == Who::Unattributed)
    }
}

/// An interval in which contention held.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Episode {
    /// Beginning of the episode.
    pub from: Time,
    /// End of the episode.
    pub to: Time,
    /// Time during which contention held in it.
    pub held: Duration,
    /// The worst value, in the signal's unit.
    pub peak: f64,
    /// Whether it ended before the experiment had warmed up. Then it does not count.
    pub warm_up: bool,
    /// The parties that caused it, as in [`SignalReport::shares`].
    pub shares: Vec<Share>,
}

impl Episode {
    /// A gap shorter than this does not end an episode.
    pub const GAP: Duration = Duration::from_millis(100);

    /// Number of parties that are named.
    pub const PARTIES: usize = 10;
}

/// Describes a contention: signal and resource, value, times, and parties.
fn contended(report: &SignalReport) -> String {
    let signal = report.signal;
    let episodes = report.counted().count();
    let first = report.counted().next().map_or(0.0, |episode| episode.from.as_secs_f64());
    let peaks = report.counted().map(|episode| episode.peak);
    let peak = match signal {
        // The sum of all, because looks are so far apart that each may be an episode of its own.
        SignalKind::Buffers => peaks.sum(),
        _ => peaks.fold(f64::MIN, f64::max),
    };
    let limit = report
        .threshold
        .map_or_else(String::new, |threshold| format!(" (limit {})", quantity(signal, threshold)));
    let times = match episodes {
        1 => format!("at {first:.3} s"),
        n => format!("{n} times, first at {first:.3} s"),
    };
    let held = match report.on {
        Resource::Losses { .. }
        | Resource::Buffer { .. }
        | Resource::Events
        | Resource::MissedEvents
        | Resource::Periods
        | Resource::LostPeriods
        | Resource::FlowDelay
        | Resource::FlowThroughput
        | Resource::Changes
        | Resource::Pipe { .. } => String::new(),
        _ => format!(", for {:.3} s in all", report.held.as_secs_f64()),
    };
    let what = subject(signal, &report.on) + &of_machine(report.machine.as_deref());
    format!("{what}: {}{limit}, {times}{held}{}", quantity(signal, peak), heaviest(&report.shares))
}
