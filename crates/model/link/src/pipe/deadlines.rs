//! The times at which the owner of a pipe calls it next: releases at the far end, and ends of the
//! line. Not here: what happens at these times.

use netloom_units::Time;

use super::Pipe;
use crate::Frame;
use crate::background::LineFrame;

impl<F: Frame> Pipe<F> {
    /// Earliest time at which the next offered frame leaves the line. It is exact if the frame is
    /// on the line, or if it waits behind virtual frames or a fluid in a FIFO queue with drop-tail
    /// at a constant rate.
    #[inline]
    fn line_end(&self) -> Option<Time> {
        let Some(serving) = &self.serving else {
            // Frames that wait although nothing is on the line wait for a hold to end, for a fluid,
            // or for their class to open.
            return match self.held_until().or_else(|| self.queue.opens()) {
                Some(at) => self.frames_wait().then_some(at),
                None => self.end_behind_background(self.turn_behind_fluid()),
            };
        };
        match serving.waiting.frame {
            LineFrame::Real { .. } => Some(serving.service.end),
            LineFrame::Virtual(_) => self.end_behind_background(Some(serving.service.end)),
        }
    }

    /// Time of the next call of [`poll`](Self::poll), if nothing else happens before. The call may
    /// return nothing, because a frame that has yet to leave the line may be lost or take longer,
    /// or because a pipe with background traffic is visited every 50 ms.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        let on_line = || self.line_end().map(|end| self.flight.earliest(end));
        let due = match self.flight.next_release() {
            Some(release) if self.flight.keeps_order() => Some(release),
            Some(release) => Some(on_line().map_or(release, |earliest| earliest.min(release))),
            None => on_line(),
        };
        self.or_visit(due)
    }

    /// Earliest time at which [`poll_sent`](Self::poll_sent) may return a frame next, if nothing
    /// else happens before and the pipe is polled then. Callers that do not need frames at their
    /// release need not poll more often.
    #[inline]
    pub fn next_line_end(&self) -> Option<Time> {
        self.or_visit(self.line_end())
    }

    #[inline]
    fn or_visit(&self, due: Option<Time>) -> Option<Time> {
        match &self.background {
            None => due,
            Some(background) => due.into_iter().chain(background.visit(self.now)).min(),
        }
    }
}
