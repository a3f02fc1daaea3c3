//! Frames that have left the line of a pipe whose receiver is elsewhere, in another cell of a
//! simulation or on another machine. Not here: the far end.

use std::collections::VecDeque;

use netloom_units::Time;

use super::Pipe;
use crate::{Frame, FrameInfo, Passage};

impl<F: Frame> Pipe<F> {
    /// Sets whether copies of frames that leave the line are kept, to be collected with
    /// [`poll_sent`](Self::poll_sent). With them, the receiver can learn about frames while they
    /// propagate.
    pub fn keep_sent(&mut self, wanted: bool) {
        self.sent = wanted.then(VecDeque::new);
    }

    /// Returns the next frame that has left the line, with the time of its release. The frame
    /// itself is released as usual, but a cut may still drop it before.
    #[inline]
    pub fn poll_sent(&mut self) -> Option<(F, Time)> {
        self.sent.as_mut()?.pop_front()
    }

    /// Performs all events of the line up to and including `now`, without taking frames out at the
    /// far end. Callers of [`poll_sent`](Self::poll_sent) that do not need frames at their release
    /// call it before.
    #[inline]
    pub fn reach(&mut self, now: Time) {
        self.advance(now);
    }

    /// Adds a frame to those that propagate.
    #[inline]
    pub(super) fn propagate(&mut self, frame: F, info: FrameInfo, passage: Passage) {
        let copy = self.sent.is_some().then(|| frame.duplicate());
        let release = self.flight.push(frame, info, passage);
        if let Some((sent, copy)) = self.sent.as_mut().zip(copy) {
            sent.push_back((copy, release));
        }
    }
}
