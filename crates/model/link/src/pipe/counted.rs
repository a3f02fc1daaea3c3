//! What a pipe has counted, up to a time.

use netloom_units::Time;

use super::{Pipe, Serving};
use crate::background::LineFrame;
use crate::statistics::Present;
use crate::{Count, Frame, Glance, PipeStatistics, Window};

impl<F: Frame> Pipe<F> {
    /// Statistics from the beginning up to `now`.
    pub fn statistics(&mut self, now: Time) -> PipeStatistics {
        self.counted(now, None)
    }

    /// Statistics of the last seconds up to `now`.
    pub fn recent_statistics(&mut self, now: Time, window: Window) -> PipeStatistics {
        self.counted(now, Some(window))
    }

    /// The counts from the beginning up to `now` that those need who look often.
    pub fn glance(&mut self, now: Time) -> Glance {
        let now = self.advance(now);
        let waiting = self.statistics.waiting() + self.fluid_waiting();
        self.statistics.glance(Glance::waiting(&self.config, waiting), self.line.busy(now))
    }

    fn counted(&mut self, now: Time, window: Option<Window>) -> PipeStatistics {
        let now = self.advance(now);
        let in_flight = Count { frames: self.flight.frames, bytes: self.flight.bytes };
        let queued = self.background.as_ref().map(|background| background.waiting);
        let fluid = self.fluid_waiting();
        let queued = queued.unwrap_or_default() + fluid;
        let background = (queued, Count::default());
        let bound = self.line.takes_time().then(|| self.queue.bound());
        let aqm = self.queue.state(now);
        let mut present = Present { in_flight, background, fluid, bound, aqm };
        if let Some(Serving { waiting, .. }) = &self.serving {
            match waiting.frame {
                LineFrame::Real { .. } => present.in_flight.add(&waiting.info),
                LineFrame::Virtual(_) => present.background.1.add(&waiting.info),
            }
        }
        self.statistics.snapshot(now, window, present, self.line.busy(now))
    }
}
