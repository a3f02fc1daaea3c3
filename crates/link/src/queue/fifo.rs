//! First in, first out. A frame that finds the queue full is dropped (drop-tail), or takes the place
//! of the oldest ones (drop-head).

use std::collections::VecDeque;

use netloom_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Backlog, Bound, Effects, Refused, Schedule, Waiting};
use crate::{DropReason, Frame, FrameInfo};

/// Parameters of `fifo`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FifoConfig {
    /// Which frame goes when the queue is full: the one that arrives (`tail`, default) or the oldest
    /// ones (`head`).
    pub drop: DropFrom,
}

/// Which end of a full queue frames are dropped from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DropFrom {
    /// The frame that arrives.
    #[default]
    Tail,
    /// The frames that have waited longest.
    Head,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Fifo<F> {
    config: FifoConfig,
    waiting: VecDeque<Waiting<F>>,
    backlog: Backlog,
}

impl<F> Fifo<F> {
    pub fn new(config: FifoConfig) -> Self {
        Self { config, waiting: VecDeque::new(), backlog: Backlog::default() }
    }

    fn push(&mut self, waiting: Waiting<F>) {
        self.backlog.add(&waiting);
        self.waiting.push_back(waiting);
    }

    fn pop(&mut self) -> Option<Waiting<F>> {
        let waiting = self.waiting.pop_front()?;
        self.backlog.remove(&waiting);
        Some(waiting)
    }
}

impl<F: Frame> Schedule<F> for Fifo<F> {
    #[inline]
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Waiting<F>,
        bound: Bound,
        effects: &mut Effects<F>,
    ) -> Result<(), (Waiting<F>, DropReason)> {
        let admits = |backlog| bound.admits(backlog, &waiting.info, waiting.line_bytes);
        if !admits(self.backlog) {
            if self.config.drop == DropFrom::Tail || !admits(Backlog::default()) {
                return Err((waiting, DropReason::QueueFull));
            }
            while !admits(self.backlog) {
                let Some(oldest) = self.pop() else { break };
                let reason = DropReason::QueueFull;
                effects.dropped.push(Refused { waiting: oldest, reason, at: now });
            }
        }
        self.push(waiting);
        Ok(())
    }

    #[inline]
    fn dequeue(&mut self, _now: Time, _effects: &mut Effects<F>) -> Option<Waiting<F>> {
        self.pop()
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn drain(&mut self) -> Vec<Waiting<F>> {
        self.backlog = Backlog::default();
        self.waiting.drain(..).collect()
    }

    fn adopt(&mut self, _now: Time, waiting: Waiting<F>) {
        self.push(waiting);
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        for waiting in &mut self.waiting {
            waiting.line_bytes = line_bytes(&waiting.info);
        }
        self.backlog.line_bytes = self.waiting.iter().map(|waiting| waiting.line_bytes).sum();
    }
}
