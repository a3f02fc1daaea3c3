//! Last in, first out: the newest frame leaves first, and one that finds the queue full is dropped.

use netloom_units::Time;
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::Room;
use super::store::Store;
use crate::{DropReason, Frame, FrameInfo};

/// Parameters of `lifo`: there are none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LifoConfig {}

impl LifoConfig {
    pub(super) fn check(self) -> Result<(), String> {
        Ok(())
    }
}

/// The queue.
#[derive(Debug)]
pub(super) struct Lifo<F> {
    store: Store<F>,
}

impl<F> Lifo<F> {
    pub fn new() -> Self {
        Self { store: Store::default() }
    }
}

impl<F: Frame> QueueDiscipline<F> for Lifo<F> {
    fn enqueue(
        &mut self,
        _now: Time,
        waiting: Queued<F>,
        room: Room,
        _effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        if !room.admits(self.store.backlog(), &waiting) {
            return Err((waiting, DropReason::QueueFull));
        }
        self.store.push(waiting);
        Ok(())
    }

    fn dequeue(&mut self, _now: Time, _effects: &mut Effects<F>) -> Option<Queued<F>> {
        self.store.pop_newest()
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
        matches!(discipline, Discipline::Fifo(_))
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

impl<F: Frame> InClass<F> for Lifo<F> {
    fn head_line_bytes(&self) -> Option<u64> {
        self.store.iter().last().map(|newest| newest.line_bytes)
    }

    fn give_up(&mut self) -> Option<Queued<F>> {
        self.store.pop()
    }
}
