//! What happened in a run, as far as the page tells of it: the timeline, and when processes lived.
//! Of very many events the first are kept and the others counted.

use std::collections::BTreeMap;

use netloom_api::event::{Event, What};
use netloom_units::Time;

/// So many events of the timeline are told.
const TOLD: usize = 100;

/// What happened, told event by event.
#[derive(Debug, Default)]
pub struct Happened {
    pub(crate) timeline: Vec<(Time, String)>,
    /// Events of the timeline that are not in it.
    pub(crate) more: usize,
    /// When each process started and ended, by its name and its node.
    lives: BTreeMap<(String, String), Life>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Life {
    pub started: Option<Time>,
    pub ended: Option<Time>,
}

impl Happened {
    /// Takes the next event.
    pub fn add(&mut self, event: &Event) {
        match &event.what {
            // What it did has an event of its own.
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
            // In the summary as well, or of no interest here.
            What::Phase { .. }
            | What::LossesSet { .. }
            | What::Neighbour { .. }
            | What::Positions { .. }
            | What::Applied { .. }
            | What::ProcessReady { .. }
            | What::ServiceReady { .. }
            | What::ProcessFailed { .. }
            | What::Contention { .. }
            | What::Warning { .. }
            | What::RunEnded { .. } => {}
        }
    }

    fn life(&mut self, process: &str, node: &str) -> &mut Life {
        self.lives.entry((process.into(), node.into())).or_default()
    }

    pub(crate) fn life_of(&self, process: &str, node: &str) -> Life {
        self.lives.get(&(process.into(), node.into())).copied().unwrap_or_default()
    }
}
