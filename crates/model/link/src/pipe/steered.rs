//! Methods for making a pipe follow a queue elsewhere: holding its line, losing frames in front of
//! its queue, bringing virtual frames at given times, and measuring its backlog.

use netloom_traffic::Emission;
use netloom_units::{Duration, Time};

use super::Pipe;
use super::hold::Hold;
use crate::background::LineFrame;
use crate::early::{EarlyLoss, EarlyLosses};
use crate::queue::Queued;
use crate::{Frame, FrameInfo};

impl<F: Frame> Pipe<F> {
    /// Makes the line busy for `duration` from when it would be free: at once, or behind the frame
    /// on it and behind the holds of earlier calls. Waiting and later frames come after the hold. A
    /// cut with `in_flight: drop` ends it.
    pub fn hold(&mut self, now: Time, duration: Duration) {
        let now = self.advance(now);
        if duration == Duration::ZERO {
            return;
        }
        self.hold = match self.hold {
            Hold::Until(end) => Hold::Until(end + duration),
            Hold::Behind(before) => Hold::Behind(before + duration),
            Hold::None if self.serving.is_some() => Hold::Behind(duration),
            Hold::None => Hold::Until(now + duration),
        };
        self.forget_due();
    }

    /// Returns how long a frame that arrives at `now` would wait if it were served last: the
    /// backlog as time. It is exact in a FIFO queue. Where draws or a trace decide how long a frame
    /// takes on the line, the mean is used. Caps of classes are ignored.
    pub fn unfinished(&mut self, now: Time) -> Duration {
        let now = self.advance(now);
        let backlog = self.queue.backlog();
        let fluid = self.fluid().map(|fluid| fluid.wait(self.line_speed())).unwrap_or_default();
        let taken = self.line_taken_until().map(|end| end.since(now)).unwrap_or_default();
        taken + fluid + self.line.time_for(now, backlog.frames, backlog.line_bytes)
    }

    /// From `now` on, drops frames in front of the queue as requested by `loss`, with
    /// [`DropReason::Loss`](crate::DropReason::Loss). This replaces the previous request. If no
    /// frame came for some positions of that request, the same number of losses hits the first
    /// frames from now on; the next request cancels those that still remain.
    pub fn lose(&mut self, now: Time, loss: EarlyLoss) {
        self.advance(now);
        let stream = &self.stream;
        self.early.get_or_insert_with(|| Box::new(EarlyLosses::new(stream))).order(loss);
    }

    /// Lets virtual frames arrive at the times of `arrivals`, which do not go back. Frames with
    /// past times arrive now. Like those of the [`background`](crate::Background), they join in
    /// front of the queue, leave at the end of the line, and are counted in its statistics. At the
    /// same time, they come behind the frames of earlier calls.
    pub fn bring(&mut self, now: Time, arrivals: impl IntoIterator<Item = Emission>) {
        let now = self.advance(now);
        let arrivals = arrivals.into_iter().map(|one| Emission { at: one.at.max(now), ..one });
        self.background_process().bring(arrivals);
        self.forget_due();
    }

    /// Decides whether the next offered frame is lost in front of the queue.
    #[inline]
    pub(super) fn is_lost_early(&mut self) -> bool {
        self.early.as_mut().is_some_and(|early| early.next())
    }

    /// Whether frames can be lost in front of the queue.
    pub(super) fn loses_early(&self) -> bool {
        self.early.as_ref().is_some_and(|early| early.is_some())
    }

    /// Whether a frame that arrives goes on the line at once if nothing waits.
    #[inline]
    pub(super) fn line_is_free(&self) -> bool {
        self.serving.is_none() && self.held_until().is_none()
    }

    /// Time at which the current hold ends, if the line is held.
    #[inline]
    pub(super) fn held_until(&self) -> Option<Time> {
        match self.hold {
            Hold::Until(end) => Some(end),
            Hold::None | Hold::Behind(_) => None,
        }
    }

    /// Time at which the line is free for waiting frames, if it is not free now.
    pub(super) fn line_taken_until(&self) -> Option<Time> {
        match (&self.serving, self.hold) {
            (Some(serving), Hold::Behind(hold)) => Some(serving.service.end + hold),
            (Some(serving), Hold::None | Hold::Until(_)) => Some(serving.service.end),
            (None, _) => self.held_until(),
        }
    }

    /// Updates the hold after the frame on the line left it, or the hold ended, at `end`. A pending
    /// hold begins.
    #[inline]
    pub(super) fn follow_hold(&mut self, end: Time) {
        match self.hold {
            Hold::None => {}
            Hold::Behind(hold) => self.hold = Hold::Until(end + hold),
            Hold::Until(_) => {
                self.hold = Hold::None;
                self.shift.held(end);
            }
        }
    }

    /// Creates the entry of a frame that arrives at the beginning of the pipe, with its `order`.
    #[inline]
    pub(super) fn arriving(
        &mut self,
        now: Time,
        frame: LineFrame<F>,
        info: FrameInfo,
        arrival_uncertainty: Duration,
    ) -> Queued<F> {
        let order = self.order;
        self.order += 1;
        let line_bytes = self.config.rate.line_bytes(&info, self.config.framing);
        Queued { frame, info, line_bytes, order, offered: now, arrival_uncertainty, marked: false }
    }
}
