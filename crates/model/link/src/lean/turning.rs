//! Turns a plain pipe into a general one, with all that is in it, and an empty general pipe into a
//! plain one. Not here: when that is wanted.

use std::sync::Arc;

use netloom_units::{Duration, Time};

use super::plain::Plain;
use super::slots::{FrameSlots, NONE};
use super::{Apart, LeanPipe};
use crate::background::LineFrame;
use crate::line::LineClock;
use crate::pipe::Restored;
use crate::queue::Queued;
use crate::statistics::{Collector, Present};
use crate::{Count, Delivery, Frame, Pipe, PipeConfig, PipeStatistics};

impl<F: Frame> LeanPipe<F> {
    /// Makes it a general pipe, if it is plain.
    #[cold]
    pub(super) fn turn_general(&mut self, frames: &mut FrameSlots<F>) -> &mut Pipe<F> {
        if self.general.is_none() {
            let mut general = self.new_general();
            let collector = self.collected();
            let (line, mut waits) = (self.line(frames), false);
            general.restore(Restored {
                now: self.plain.now,
                arrivals: self.plain.arrivals,
                line,
                statistics: collector,
                cuts: self.apart.cuts,
                sent: self.plain.sent,
            });
            // Those that have been announced are not announced again.
            general.keep_sent(false);
            let Plain { delay, mut first_waiting, unsent, keeps_sent, .. } = self.plain;
            let mut place = self.plain.first;
            while place != NONE {
                if place == unsent {
                    general.keep_sent(keeps_sent);
                }
                if place == first_waiting {
                    (first_waiting, waits) = (NONE, true);
                }
                let Some((delivery, next)) = frames.take(place, delay) else { break };
                let line_bytes = self.plain.line_bytes(&delivery.info);
                let Delivery { frame, info, passage, .. } = delivery;
                let frame = LineFrame::Real { frame, number: passage.number };
                let queued = Queued {
                    frame,
                    info,
                    line_bytes,
                    order: passage.number,
                    offered: passage.offered,
                    arrival_uncertainty: Duration::ZERO,
                    marked: false,
                };
                general.restore_frame(queued, &passage, waits);
                place = next;
            }
            general.keep_sent(keeps_sent);
            self.plain.first = NONE;
            self.general = Some(Box::new(general));
        }
        self.general.as_mut().expect("it has just been made")
    }

    /// Returns an empty general pipe.
    pub(super) fn new_general(&self) -> Pipe<F> {
        let Apart { config, stream, start, receiver, .. } = &self.apart;
        let mut general = Pipe::new(PipeConfig::clone(config), stream.clone(), *start);
        general.keep_totals_only();
        general.set_receiver(*receiver);
        general.keep_sent(self.plain.keeps_sent);
        general
    }

    /// Makes it a plain pipe, if it is an empty one that does nothing special any more.
    pub(super) fn turn_plain(&mut self) {
        let Some(general) = &mut self.general else { return };
        let Some(rest) = general.rest() else { return };
        let Some(mut plain) = Plain::of(general.config(), rest.now) else { return };
        if *self.apart.config != *general.config() {
            self.apart.config = Arc::new(general.config().clone());
        }
        plain.limit(&self.apart.config, self.apart.receiver);
        plain.keep_sent(self.plain.keeps_sent);
        plain.resume(&rest);
        self.apart.cuts = rest.cuts;
        self.apart.earlier = Some(Box::new(rest.statistics));
        self.plain = plain;
        self.general = None;
    }

    /// Returns the clock of the line as it is without the frames that wait, and for how long the
    /// line is used up to then.
    fn line(&self, frames: &FrameSlots<F>) -> (Option<LineClock>, u64) {
        let Plain { clock, committed, waits_until, first_waiting, .. } = &self.plain;
        let mut clock = clock.clone();
        let mut committed = *committed;
        if *first_waiting != NONE {
            let mut bytes = 0;
            let mut place = *first_waiting;
            while place != NONE {
                let slot = frames.get(place);
                bytes += self.plain.line_bytes(&slot.info());
                place = slot.next;
            }
            committed -= clock.busy_until().since(*waits_until).as_nanos();
            clock.take_back(bytes, *waits_until);
        }
        (self.plain.has_rate.then_some(clock), committed)
    }

    fn collected(&self) -> Collector {
        let Apart { start, earlier, .. } = &self.apart;
        self.plain.collected(*start, earlier.as_deref())
    }

    /// Returns the statistics of a plain pipe from the beginning up to `now`.
    pub(super) fn plain_statistics(&mut self, frames: &FrameSlots<F>, now: Time) -> PipeStatistics {
        self.plain.reach(frames, now);
        let mut in_flight = Count::default();
        let mut place = self.plain.first;
        while place != self.plain.first_waiting {
            let slot = frames.get(place);
            in_flight.add(&slot.info());
            place = slot.next;
        }
        let present = Present {
            in_flight,
            background: Default::default(),
            fluid: Count::default(),
            bound: self.plain.bound(),
            aqm: None,
        };
        let busy = self.plain.busy();
        self.collected().snapshot(self.plain.now, None, present, busy)
    }
}
