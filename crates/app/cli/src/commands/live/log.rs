//! Events in words, and what they say about the outcome so far. Pure.

use std::collections::{BTreeMap, VecDeque};

use netloom_api::event::{EndReason, Event, What};
use netloom_api::state::{ProcessState, ProcessStatus};
use netloom_units::Time;
use netloom_units::readable::counted;

use super::grid::{Tone, line};

/// Most events that are kept, as by the engine.
const KEPT: usize = 10_000;

/// An event in words.
pub struct Entry {
    /// When it happened.
    pub time: Time,
    /// What happened.
    pub text: String,
    /// Whether it is good or bad.
    pub tone: Tone,
}

/// The events so far.
#[derive(Default)]
pub struct Log {
    /// The last events, the oldest first.
    pub entries: VecDeque<Entry>,
    /// Why the run has ended, if it has.
    pub ended: Option<EndReason>,
    /// Events of the timeline that have happened.
    happened: usize,
    /// Whether expectations were met, by process, node and what was expected.
    expectations: BTreeMap<(String, String, String), bool>,
    /// The first failure.
    failure: Option<String>,
}

impl Log {
    /// Adds an event. Positions are left out, which come many times a second, and so is contention:
    /// warnings report it, and the verdict has its signals.
    pub fn add(&mut self, event: &Event) {
        let text = line(&event.what.in_words());
        match &event.what {
            What::Positions { .. } | What::Contention { .. } => return,
            What::RunEnded { reason } => self.ended = Some(*reason),
            What::Timeline { status } => self.happened += usize::from(status.happened.is_some()),
            What::Expectation { status } => {
                let key = (status.process.clone(), status.node.clone(), status.expected.clone());
                self.expectations.insert(key, status.met);
            }
            _ => {}
        }
        let tone = tone(&event.what);
        if tone == Tone::Bad && is_failure(&event.what) {
            self.failure.get_or_insert_with(|| text.clone());
        }
        self.entries.push_back(Entry { time: event.time, text, tone });
        if self.entries.len() > KEPT {
            self.entries.pop_front();
        }
    }

    /// Describes the outcome so far in one line, and whether something has failed.
    pub fn outcome(&self, processes: &[ProcessStatus]) -> (String, Tone) {
        let of = |is: fn(&ProcessState) -> bool| {
            processes.iter().filter(|process| is(&process.state)).count()
        };
        let runs = |state: &ProcessState| {
            matches!(state, ProcessState::Started { .. } | ProcessState::Ready { .. })
        };
        let ended = of(|state| matches!(state, ProcessState::Done { .. }));
        let failed: Vec<&ProcessStatus> =
            processes.iter().filter(|process| self.has_failed(process)).collect();
        let (met, unmet): (Vec<bool>, Vec<bool>) =
            self.expectations.values().partition(|met| **met);
        let waiting = of(|state| *state == ProcessState::Waiting);
        let parts = [
            (of(runs), "running".to_string()),
            (waiting, "waiting".into()),
            (ended, "ended".into()),
        ];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts.map(|(number, how)| format!("{number} {how}")).collect();
        let processes = (!parts.is_empty()).then(|| format!("processes: {}", parts.join(", ")));
        let timeline =
            (self.happened > 0).then(|| counted(self.happened, "event") + " of the timeline");
        let expected = (met.len() + unmet.len() > 0)
            .then(|| format!("expectations: {} met, {} not met", met.len(), unmet.len()));
        let first = self.failure.clone().or_else(|| {
            let process = failed.first()?;
            let ProcessStatus { process, node, state } = process;
            Some(line(&format!("{process}@{node} {state}")))
        });
        let (word, tone) = match &first {
            Some(first) => (format!("FAILED, first: {first}"), Tone::Bad),
            None => ("nothing failed".to_owned(), Tone::Plain),
        };
        let all = [Some(word), expected, timeline, processes];
        (all.into_iter().flatten().collect::<Vec<_>>().join("; "), tone)
    }

    /// Whether a process failed: it could not be started, or its exit code is one that was not
    /// expected.
    pub fn has_failed(&self, process: &ProcessStatus) -> bool {
        match &process.state {
            ProcessState::Failed { .. } => true,
            ProcessState::Done { code: 0 } => false,
            ProcessState::Done { .. } => !self.expectations.iter().any(|((of, node, _), met)| {
                *met && *of == process.process && *node == process.node
            }),
            _ => false,
        }
    }
}

fn tone(what: &What) -> Tone {
    match what {
        What::Warning { .. } | What::MemoryKilled { .. } | What::NodeFailed { .. } => Tone::Warned,
        What::ServiceHealth { healthy: false, .. } => Tone::Warned,
        What::ChangeFailed { .. } | What::ProcessFailed { .. } | What::ServiceEnded { .. } => {
            Tone::Bad
        }
        What::CommandEnded { code, .. } if *code != 0 => Tone::Bad,
        What::Timeline { status } if status.failure.is_some() => Tone::Bad,
        What::Expectation { status } if !status.met => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// Whether a bad event makes the run fail. A change that somebody asked for does not.
fn is_failure(what: &What) -> bool {
    !matches!(what, What::ChangeFailed { .. } | What::ServiceEnded { .. })
}
