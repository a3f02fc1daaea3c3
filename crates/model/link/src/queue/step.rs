//! Step marking, as a switch for DCTCP has it (Alizadeh, Greenberg, Maltz, Padhye, Patel,
//! Prabhakar, Sengupta and Sridharan 2010, "Data Center TCP (DCTCP)", §3.1): an ECN-capable arrival
//! that finds K or more waiting is marked. Otherwise it is a queue in order of arrival.

use netloom_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::{Bound, QueueLimit, Room};
use super::store::Store;
use crate::{DropReason, Frame, FrameInfo};

/// Parameters of `step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct StepConfig {
    /// K: what waits, without the frame on the line, when arrivals begin to be marked: packets,
    /// bytes or time at the current rate (default `20packets`, the paper's for 1 Gbit/s; it has
    /// `65packets` for 10 Gbit/s).
    pub mark_at: QueueLimit,
}

impl Default for StepConfig {
    fn default() -> Self {
        Self { mark_at: QueueLimit::Packets(20) }
    }
}

impl StepConfig {
    /// Checks the parameters.
    pub(super) fn check(self) -> Result<(), String> {
        match self.mark_at {
            QueueLimit::Default => Err("`mark_at` of step is in packets, bytes or time, like \
                                        `20packets`"
                .into()),
            _ => Ok(()),
        }
    }

    /// Whether an arrival that finds this backlog is marked.
    fn marks(self, backlog: Backlog, rate: Option<Rate>) -> bool {
        let Bound { packets, line_bytes } = Bound::of(self.mark_at, rate);
        match self.mark_at {
            QueueLimit::Packets(_) => backlog.frames >= packets,
            _ => backlog.line_bytes >= line_bytes,
        }
    }
}

/// The queue of the discipline.
#[derive(Debug)]
pub(super) struct Step<F> {
    config: StepConfig,
    store: Store<F>,
}

impl<F> Step<F> {
    pub fn new(config: StepConfig) -> Self {
        Self { config, store: Store::default() }
    }
}

impl<F: Frame> QueueDiscipline<F> for Step<F> {
    fn enqueue(
        &mut self,
        _now: Time,
        mut waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        let backlog = self.store.backlog();
        if !room.admits(backlog, &waiting) {
            return Err((waiting, DropReason::QueueFull));
        }
        if self.config.marks(backlog, room.rate) {
            // What is not ECN-capable passes until the queue is full.
            effects.mark(&mut waiting);
        }
        self.store.push(waiting);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _effects: &mut Effects<F>) -> Option<Queued<F>> {
        self.store.pop()
    }

    fn backlog(&self) -> Backlog {
        self.store.backlog()
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.store.drain(into);
    }

    fn adopt(&mut self, _now: Time, waiting: Queued<F>) {
        self.store.push(waiting);
    }

    fn configure(&mut self, _now: Time, discipline: &Discipline) -> bool {
        let Discipline::Step(config) = discipline else { return false };
        self.config = *config;
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

impl<F: Frame> InClass<F> for Step<F> {
    fn head_line_bytes(&self) -> Option<u64> {
        self.store.head_line_bytes()
    }

    fn give_up(&mut self) -> Option<Queued<F>> {
        self.store.pop_newest()
    }
}
