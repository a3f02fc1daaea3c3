//! Frames that have left the line of a pipe whose receiver is elsewhere, in another cell of a
//! simulation or on another machine. Not here: the far end (`crossing`).

use std::collections::VecDeque;

use netloom_units::Time;

use super::{Announced, Delivery, Pipe};
use crate::{Frame, FrameInfo, Passage};

/// Copies of frames that have left the line.
#[derive(Debug)]
pub(super) struct Sent<F> {
    waiting: VecDeque<Announced<F>>,
    /// Number of wire frames so far.
    wire_frames: u64,
}

impl<F> Default for Sent<F> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), wire_frames: 0 }
    }
}

impl<F> Sent<F> {
    fn push(&mut self, delivery: Delivery<F>, cuts: u32) {
        let sequence = self.wire_frames;
        self.wire_frames += u64::from(delivery.info.frames());
        self.waiting.push_back(Announced { delivery, sequence, cuts });
    }
}

impl<F: Frame> Pipe<F> {
    /// Sets whether copies of frames that leave the line are kept, to be collected with
    /// [`poll_sent`](Self::poll_sent). With them, the receiver can learn about frames while they
    /// propagate.
    pub fn keep_sent(&mut self, wanted: bool) {
        self.sent = wanted.then(|| self.sent.take().unwrap_or_default());
    }

    /// Returns a copy of the next frame that has left the line. The frame itself is released as
    /// usual, but a cut may still drop it before. The receiver then drops the copy, by its number
    /// of cuts ([`Inlet`](crate::Inlet)).
    #[inline]
    pub fn poll_sent(&mut self) -> Option<Announced<F>> {
        self.sent.as_mut()?.waiting.pop_front()
    }

    /// Performs all events of the line up to and including `now`, each at its time, without taking
    /// frames out at the far end. Callers of [`poll_sent`](Self::poll_sent) that do not need frames
    /// at their release call it before. A fluid flows up to the last of the events only, so that
    /// nothing depends on when this is called.
    #[inline]
    pub fn reach(&mut self, now: Time) {
        self.now = self.now.max(now);
        match self.background.is_some() {
            true => self.advance_with_background(),
            false => self.advance_line(),
        };
    }

    /// Number of wire frames that have left the line while copies were kept.
    pub fn wire_frames_sent(&self) -> u64 {
        self.sent.as_ref().map_or(0, |sent| sent.wire_frames)
    }

    /// Number of cuts so far: changes that dropped all frames in the pipe.
    #[inline]
    pub fn cuts(&self) -> u32 {
        self.cuts
    }

    /// Adds a frame to those that propagate.
    #[inline]
    pub(super) fn propagate(&mut self, frame: F, info: FrameInfo, passage: Passage) {
        let copy = self.sent.is_some().then(|| frame.duplicate());
        let release = self.flight.push(frame, info, passage);
        if let Some((sent, frame)) = self.sent.as_mut().zip(copy) {
            sent.push(Delivery { frame, info, passage, release }, self.cuts);
        }
    }
}
