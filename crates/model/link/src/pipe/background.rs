//! The background of a pipe: arrivals and ends of virtual frames.

use netloom_units::{Duration, Time};

use super::Pipe;
use crate::background::{BackgroundProcess, Due, FluidProcess, LineFrame};
use crate::queue::Queued;
use crate::{Frame, FrameInfo};

impl<F: Frame> Pipe<F> {
    /// Begins the background of the configuration at `now`. If the pipe cannot have a fluid any
    /// more, an existing fluid ends and its waiting part is dropped.
    pub(super) fn begin_background(&mut self, now: Time) {
        if self.background.is_none() && self.config.background.is_none() {
            return;
        }
        self.background_process();
        if let Some(background) = &mut self.background {
            background.begin(now, &self.config);
        }
        if !self.config.carries_fluid() {
            self.end_fluid(now);
        }
    }

    /// Returns the source of virtual frames, creating it if necessary. From then on, virtual frames
    /// are counted.
    pub(super) fn background_process(&mut self) -> &mut BackgroundProcess {
        self.statistics.background();
        let stream = &self.stream;
        self.background.get_or_insert_with(|| Box::new(BackgroundProcess::new(stream)))
    }

    /// Whether virtual frames may arrive, or a fluid may be present.
    pub(super) fn has_background(&self) -> bool {
        let comes = self.background.as_ref().is_some_and(|known| known.next_at().is_some());
        comes || self.fluid().is_some_and(FluidProcess::is_there)
    }

    /// Performs all events up to the present, each at its time. At the same time, departures from
    /// the line come before arrivals, and offered frames before virtual ones.
    pub(super) fn advance_with_background(&mut self) -> Time {
        if self.has_fluid() {
            self.advance_with_fluid();
        }
        loop {
            let end = self.line_changes();
            let arrival = self.background.as_ref().and_then(|background| background.next_at());
            match (end, arrival) {
                (Some(end), _) if end <= self.now && arrival.is_none_or(|at| end <= at) => {
                    self.next_on_line(end);
                }
                (_, Some(at)) if at < self.now => self.background_arrives(at),
                _ => break,
            }
        }
        self.find_due();
        self.turn_seconds(self.now);
        self.now
    }

    /// Processes the arrival of the next virtual frame.
    pub(super) fn background_arrives(&mut self, at: Time) {
        self.turn_seconds(at);
        let next = self.background.as_mut().and_then(|background| background.take());
        let Some((info, frame)) = next else { return };
        self.statistics.background().offered.add(&info);
        let frame = LineFrame::Virtual(frame);
        if self.take_in(at, frame, info, Duration::ZERO).is_err() {
            self.background_dropped(&info);
        }
    }

    /// Counts a virtual frame that has joined the queue.
    pub(super) fn background_waits(&mut self, info: &FrameInfo) {
        if let Some(background) = &mut self.background {
            background.waiting.add(info);
        }
    }

    /// Counts a frame that has left the queue.
    #[inline]
    pub(super) fn leaves_queue(&mut self, waiting: &Queued<F>) {
        if let Some(background) = &mut self.background {
            match waiting.frame {
                LineFrame::Virtual(_) => background.waiting.remove(&waiting.info),
                LineFrame::Real { .. } => background.due = Due::Unknown,
            }
        }
    }

    /// Counts a virtual frame at the end of the line, where the medium may have lost it.
    pub(super) fn background_left(&mut self, info: &FrameInfo, lost: bool) {
        match lost {
            true => self.background_dropped(info),
            false => self.statistics.background().delivered.add(info),
        }
    }

    pub(super) fn background_dropped(&mut self, info: &FrameInfo) {
        self.statistics.background().dropped.add(info);
    }

    /// Time at which the first offered frame that waits leaves the line, behind a virtual frame or
    /// a fluid. If that time is unknown, it is `end`, at which the virtual frame leaves the line;
    /// the next frame may be virtual again.
    pub(super) fn end_behind_background(&self, end: Option<Time>) -> Option<Time> {
        match self.background.as_ref()?.due {
            _ if !self.frames_wait() => None,
            Due::At(due) => Some(due),
            Due::Unknown | Due::Open => end,
        }
    }

    /// Whether offered frames wait.
    pub(super) fn frames_wait(&self) -> bool {
        let waiting = self.background.as_ref().map_or(0, |background| background.waiting.frames);
        self.queue.backlog().frames > waiting
    }

    /// Computes when the first offered frame that waits leaves the line, if a virtual frame or a
    /// fluid is on the line and the time is not known yet.
    #[inline]
    pub(super) fn find_due(&mut self) {
        let unknown = self.background.as_ref().is_some_and(|known| known.due == Due::Unknown);
        if unknown && self.frames_wait() {
            let end = self.end_of_first();
            if let Some(background) = &mut self.background {
                background.due = end.map_or(Due::Open, Due::At);
            }
        }
    }

    /// Time at which the first offered frame that waits leaves the line; `None` if later arrivals
    /// may change it.
    fn end_of_first(&self) -> Option<Time> {
        let mut line = self.line.preview()?;
        let (mut at, mut bytes) = (self.line_free_at()?, 0);
        let mut fluid = self.times_of_fluid().peekable();
        for waiting in self.queue.in_order()? {
            if let Some((_, time)) = fluid.next_if(|(order, _)| *order == waiting.order) {
                at = line.send(at, std::mem::take(&mut bytes)) + time;
            }
            bytes += waiting.line_bytes;
            if !waiting.frame.is_virtual() {
                return Some(line.send(at, bytes));
            }
        }
        None
    }

    /// Discards the computed time, which may have become wrong, and computes it again.
    pub(super) fn forget_due(&mut self) {
        if let Some(background) = &mut self.background {
            background.due = Due::Unknown;
        }
        self.find_due();
    }
}
