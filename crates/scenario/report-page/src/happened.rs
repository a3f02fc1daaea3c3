//! Events of a run that the page shows: the timeline, and the lifetimes of processes. If there are
//! very many events, the first ones are kept and the others are counted.

use std::collections::BTreeMap;

use netloom_api::event::{Event, What};
use netloom_units::Time;

/// Largest number of events in the timeline.
const TOLD: usize = 100;

/// The events of a run.
#[derive(Debug, Default)]
pub struct Happened {
    pub(crate) timeline: Vec<(Time, String)>,
    /// Number of events that are not in `timeline`.
    pub(crate) more: usize,
    /// Start and end of each process, by its name and its node.
    lives: BTreeMap<(String, String), Life>,
}

/// Start and end of a process, as far as they happened.
#[derive(Debug, Clone, Copy, Default)]
pub struct Life {
    /// When it started.
    pub started: Option<Time>,
    /// When it ended.
    pub ended: Option<Time>,
}

impl Happened {
    /// Adds the next event.
    pub fn add(&mut self, event: &Event) {
        match &event.what {
            // The changes that it made have events of their own.
            What::Timeline { status } if status.failure.is_none() => {}
            What::Timeline { .. }
            | What::Changed { .. }
            | What::MediumChanged { .. }
            | What::RouteChanged { .. }
            | What::Rerouted { .. }
            | What::ChangeFailed { .. }
            | What::NodeFailed { .. }
            | What::NodeRecovered { .. }
            | What::ServiceHealth { .. }
            | What::ServiceEnded { .. }
            | What::CommandEnded { .. }
            | What::Associated { .. }
            | What::HandedOver { .. }
            | What::Left { .. }
            | What::MemoryKilled { .. } => {
                if self.timeline.len() < TOLD {
                    self.timeline.push((event.time, event.what.in_words()));
                } else {
                    self.more += 1;
                }
            }
            What::ProcessStarted { process, node, .. } => {
                self.life(process, node).started = Some(event.time);
            }
            What::ProcessEnded { process, node, .. } => {
                self.life(process, node).ended = Some(event.time);
            }
            // These are in the summary as well, or do not matter here.
            What::Phase { .. }
            | What::LossesSet { .. }
            | What::Neighbour { .. }
            | What::Positions { .. }
            | What::Applied { .. }
            | What::ProcessReady { .. }
            | What::ServiceReady { .. }
            | What::ProcessFailed { .. }
            | What::Expectation { .. }
            | What::Contention { .. }
            | What::Warning { .. }
            | What::RunEnded { .. } => {}
        }
    }

    fn life(&mut self, process: &str, node: &str) -> &mut Life {
        self.lives.entry((process.into(), node.into())).or_default()
    }

    /// Returns when a process started and ended in a node.
    pub fn life_of(&self, process: &str, node: &str) -> Life {
        self.lives.get(&(process.into(), node.into())).copied().unwrap_or_default()
    }
}
