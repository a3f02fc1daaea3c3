//! First in, first out. A frame that finds the queue full is dropped (drop-tail), or replaces the
//! oldest ones (drop-head).

use netloom_units::Time;
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::Room;
use super::store::Store;
use crate::{DropReason, Frame, FrameInfo};

/// Parameters of `fifo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FifoConfig {
    /// Frame that is dropped when the queue is full: the one that arrives (`tail`, default) or the
    /// oldest ones (`head`).
    pub drop: DropFrom,
}

/// The end of a full queue from which frames are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DropFrom {
    /// The frame that arrives.
    #[default]
    Tail,
    /// The frames that have waited longest.
    Head,
}

impl FifoConfig {
    /// Checks the parameters, which are always valid.
    pub(super) fn check(self) -> Result<(), String> {
        Ok(())
    }
}

/// The queue of the discipline.
#[derive(Debug)]
pub(super) struct Fifo<F> {
    config: FifoConfig,
    store: Store<F>,
}

impl<F> Fifo<F> {
    pub fn new(config: FifoConfig) -> Self {
        Self { config, store: Store::default() }
    }
}

impl<F: Frame> Fifo<F> {
    /// All waiting frames, oldest first; `None` if later frames may cause one of them to be
    /// dropped.
    pub fn in_order(&self) -> Option<impl Iterator<Item = &Queued<F>>> {
        (self.config.drop == DropFrom::Tail).then(|| self.store.iter())
    }

    /// Drops the oldest frames until `waiting` has room. Returns `false` if `waiting` itself must
    /// be dropped.
    #[cold]
    fn make_room(
        &mut self,
        now: Time,
        waiting: &Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> bool {
        if self.config.drop == DropFrom::Tail || !room.can_be_made(self.store.backlog(), waiting) {
            return false;
        }
        while !room.admits(self.store.backlog(), waiting) {
            let Some(oldest) = self.store.pop() else { break };
            effects.drop(now, oldest, DropReason::QueueFull);
        }
        true
    }
}

impl<F: Frame> QueueDiscipline<F> for Fifo<F> {
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        if !room.admits(self.store.backlog(), &waiting)
            && !self.make_room(now, &waiting, room, effects)
        {
            return Err((waiting, DropReason::QueueFull));
        }
        self.store.push(waiting);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time, _effects: &mut Effects<F>) -> Option<Queued<F>> {
        self.store.pop()
    }

    #[inline]
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
        let Discipline::Fifo(config) = discipline else { return false };
        self.config = *config;
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.store.reframe(line_bytes);
    }
}

impl<F: Frame> InClass<F> for Fifo<F> {
    fn head_line_bytes(&self) -> Option<u64> {
        self.store.head_line_bytes()
    }

    fn give_up(&mut self) -> Option<Queued<F>> {
        match self.config.drop {
            DropFrom::Tail => self.store.pop_newest(),
            DropFrom::Head => self.store.pop(),
        }
    }
}
