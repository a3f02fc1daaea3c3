//! Makes a pipe of what a [lean](crate::LeanPipe) one did, and the other way round. Not here: lean
//! pipes.

use netloom_units::Time;

use super::hold::Hold;
use super::{Pipe, Serving};
use crate::background::LineFrame;
use crate::line::{LineClock, Service};
use crate::queue::Queued;
use crate::receiver::ReceiverLimit;
use crate::statistics::Collector;
use crate::{Frame, Passage};

/// The state of a pipe without the frames in it.
pub(crate) struct Restored {
    pub now: Time,
    pub arrivals: u64,
    /// The clock of the line, if it has a rate, and how long it was used, in ns.
    pub line: (Option<LineClock>, u64),
    pub statistics: Collector,
    pub cuts: u32,
    /// Number of frames that have left the line while copies were kept.
    pub sent: u64,
}

impl<F: Frame> Pipe<F> {
    /// Keeps no seconds in its statistics from now on. Must be called before any frame is offered.
    pub fn keep_totals_only(&mut self) {
        self.statistics.keep_totals_only();
    }

    pub(crate) fn set_receiver(&mut self, receiver: ReceiverLimit) {
        self.receiver = receiver;
    }

    /// Continues from `state`. The pipe must be new.
    pub(crate) fn restore(&mut self, state: Restored) {
        let Restored { now, arrivals, line: (clock, committed), statistics, cuts, sent } = state;
        self.now = now;
        (self.arrivals, self.order) = (arrivals, arrivals);
        self.line.restore(now, clock, committed);
        self.statistics = statistics;
        self.cuts = cuts;
        self.wire_frames_sent = sent;
    }

    /// Adds a frame that was offered before. Frames come in the order of their arrival, first those
    /// that have left the line, then the one on it. `waits`: it is in the queue.
    pub(crate) fn restore_frame(&mut self, queued: Queued<F>, passage: &Passage, waits: bool) {
        if waits {
            self.queue.push(self.now, queued);
        } else if passage.serialized > self.now {
            let service = Service { end: passage.serialized, lost: false };
            self.serving = Some(Serving { waiting: queued, started: passage.started, service });
        } else if let LineFrame::Real { frame, .. } = queued.frame {
            self.propagate(frame, queued.info, *passage);
        }
    }

    /// Returns the state of an empty pipe that has neither special state nor special statistics.
    pub(crate) fn rest(&mut self) -> Option<Restored> {
        let is_empty = self.flight.frames == 0
            && self.serving.is_none()
            && self.queue.backlog().frames == 0
            && self.queue.effects.is_empty()
            && self.discarded.is_empty()
            && self.sent.as_ref().is_none_or(|sent| sent.is_empty());
        let is_usual = self.hold == Hold::None
            && self.early.is_none()
            && self.background.is_none()
            && !self.journal.is_kept()
            && self.shift.is_zero()
            && self.arrivals == self.order
            && self.statistics.has_totals_only();
        if !(is_empty && is_usual) {
            return None;
        }
        let line = self.line.rest(self.now)?;
        Some(Restored {
            now: self.now,
            arrivals: self.arrivals,
            line,
            statistics: self.statistics.clone(),
            cuts: self.cuts,
            sent: self.wire_frames_sent,
        })
    }
}
