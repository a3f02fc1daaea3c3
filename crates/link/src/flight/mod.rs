//! Propagation: frames that have left the line and have not arrived. Not here: loss (`channel`).

mod jitter;
mod reorder;

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

pub use jitter::{DistributionTable, Jitter, JitterDistribution, Offsets};
pub use reorder::{Reorder, Reordering};

use crate::{FrameInfo, Passage, PipeConfig, Stream};

/// A frame under way.
#[derive(Debug)]
pub(crate) struct Flying<F> {
    pub frame: F,
    pub info: FrameInfo,
    pub passage: Passage,
    pub release: Time,
}

/// The frames under way, in the order of their release.
#[derive(Debug)]
pub(crate) struct Flight<F> {
    flying: VecDeque<Flying<F>>,
    delay: Duration,
    /// The latest release so far: no frame overtakes another, even when the delay shrinks.
    last: Time,
    pub frames: u64,
    pub bytes: u64,
}

impl<F> Flight<F> {
    pub fn new(config: &PipeConfig, _stream: &Stream) -> Self {
        let delay = config.delay;
        Self { flying: VecDeque::new(), delay, last: Time::ZERO, frames: 0, bytes: 0 }
    }

    /// A new delay for frames that have yet to leave the line.
    pub fn configure(&mut self, _old: &PipeConfig, new: &PipeConfig) {
        self.delay = new.delay;
    }

    /// Whether something is drawn for each frame, so that super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        false
    }

    /// When a frame that leaves the line at `end` arrives at the earliest.
    #[inline]
    pub fn earliest(&self, end: Time) -> Time {
        (end + self.delay).max(self.last)
    }

    #[inline]
    pub fn push(&mut self, frame: F, info: FrameInfo, passage: Passage) {
        let release = self.earliest(passage.serialized);
        self.last = release;
        self.frames += u64::from(info.frames());
        self.bytes += info.bytes();
        self.flying.push_back(Flying { frame, info, passage, release });
    }

    /// When the next frame arrives.
    #[inline]
    pub fn next_release(&self) -> Option<Time> {
        self.flying.front().map(|flying| flying.release)
    }

    /// The next frame that has arrived by `now`.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<Flying<F>> {
        if self.flying.front()?.release > now { None } else { self.pop() }
    }

    /// The next frame, arrived or not. Once none is left, the order starts afresh.
    pub fn take(&mut self) -> Option<Flying<F>> {
        let flying = self.pop();
        if flying.is_none() {
            self.last = Time::ZERO;
        }
        flying
    }

    fn pop(&mut self) -> Option<Flying<F>> {
        let flying = self.flying.pop_front()?;
        self.frames -= u64::from(flying.info.frames());
        self.bytes -= flying.info.bytes();
        Some(flying)
    }
}
