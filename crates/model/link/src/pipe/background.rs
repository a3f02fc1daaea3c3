//! A pipe's background: when virtual frames arrive, and what becomes of them.

use netloom_units::{Duration, Time};

use super::Pipe;
use crate::background::{BackgroundProcess, Carried, Due, FluidProcess};
use crate::queue::Waiting;
use crate::{Frame, FrameInfo};

impl<F: Frame> Pipe<F> {
    /// Begins the background of the configuration at `now`. A fluid ends there with all that waits
    /// of it if the pipe cannot have one any more.
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

    /// Where virtual frames come from. They are counted from now on, with all zeros at first.
    pub(super) fn background_process(&mut self) -> &mut BackgroundProcess {
        self.statistics.background();
        let stream = &self.stream;
        self.background.get_or_insert_with(|| Box::new(BackgroundProcess::new(stream)))
    }

    /// Whether virtual frames may come, or a fluid may be there.
    pub(super) fn has_background(&self) -> bool {
        let comes = self.background.as_ref().is_some_and(|known| known.next_at().is_some());
        comes || self.fluid().is_some_and(FluidProcess::is_there)
    }

    /// Lets everything happen up to the present, each at its time: what ends on the line before
    /// what arrives, and what was offered before what arrives at the same time.
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

    /// The next virtual frame arrives.
    pub(super) fn background_arrives(&mut self, at: Time) {
        self.turn_seconds(at);
        let next = self.background.as_mut().and_then(|background| background.take());
        let Some((info, frame)) = next else { return };
        self.statistics.background().offered.add(&info);
        let frame = Carried::Virtual(frame);
        if self.take_in(at, frame, info, Duration::ZERO).is_err() {
            self.background_dropped(&info);
        }
    }

    /// A virtual frame has come to the queue.
    pub(super) fn background_waits(&mut self, info: &FrameInfo) {
        if let Some(background) = &mut self.background {
            background.waiting.add(info);
        }
    }

    /// A frame waits no more.
    #[inline]
    pub(super) fn leaves_queue(&mut self, waiting: &Waiting<F>) {
        if let Some(background) = &mut self.background {
            match waiting.frame {
                Carried::Virtual(_) => background.waiting.remove(&waiting.info),
                Carried::Real { .. } => background.due = Due::Unknown,
            }
        }
    }

    /// A virtual frame came to the end of the line, where the medium may have lost it.
    pub(super) fn background_left(&mut self, info: &FrameInfo, lost: bool) {
        match lost {
            true => self.background_dropped(info),
            false => self.statistics.background().delivered.add(info),
        }
    }

    pub(super) fn background_dropped(&mut self, info: &FrameInfo) {
        self.statistics.background().dropped.add(info);
    }

    /// When the first offered frame leaves the line that waits behind a virtual one, which leaves
    /// it at `end`, or behind a fluid; the next one may be virtual again.
    pub(super) fn end_behind_background(&self, end: Option<Time>) -> Option<Time> {
        match self.background.as_ref()?.due {
            _ if !self.frames_wait() => None,
            Due::At(due) => Some(due),
            Due::Unknown | Due::Open => end,
        }
    }

    /// Whether frames wait that were offered.
    pub(super) fn frames_wait(&self) -> bool {
        let waiting = self.background.as_ref().map_or(0, |background| background.waiting.frames);
        self.queue.backlog().frames > waiting
    }

    /// Finds out when the first waiting frame that was offered leaves the line, if a virtual one or
    /// a fluid is on it and that is not known yet.
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

    /// When the first waiting frame that was offered leaves the line, if nothing that arrives later
    /// can change it.
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

    /// What was found out may hold no more.
    pub(super) fn forget_due(&mut self) {
        if let Some(background) = &mut self.background {
            background.due = Due::Unknown;
        }
        self.find_due();
    }
}
