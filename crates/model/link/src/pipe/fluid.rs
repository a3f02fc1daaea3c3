//! Pipes whose background is, in part, a fluid: the order of events, and which frames find room.
//! Frames and fluid share one FIFO queue with drop-tail: a frame waits until the fluid in front of
//! it has left the line.

use netloom_units::{Duration, Rate, Time};

use super::Pipe;
use crate::background::FluidProcess;
use crate::queue::{Queued, Rejection};
use crate::statistics::second_began;
use crate::{Count, DropReason, Frame, LinkState};

/// Kinds of events. Events at the same time happen in the order of the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A frame leaves the line, or its hold ends.
    Served,
    /// The fluid in front of the first frame has left the line.
    Turn,
    /// The rate of the fluid changes.
    Change,
    /// A virtual frame arrives.
    Arrival,
}

/// Amount that a line at `rate` sends in a nanosecond, in parts of 10⁻¹² bit.
fn speed(rate: Rate) -> u128 {
    u128::from(rate.bits_per_second()) * 1000
}

impl<F: Frame> Pipe<F> {
    pub(super) fn fluid(&self) -> Option<&FluidProcess> {
        self.background.as_ref()?.fluid.as_deref()
    }

    fn fluid_mut(&mut self) -> Option<&mut FluidProcess> {
        self.background.as_mut()?.fluid.as_deref_mut()
    }

    /// Whether there is a fluid, or has been one.
    #[inline]
    pub(super) fn has_fluid(&self) -> bool {
        self.fluid().is_some()
    }

    /// Performs all events up to the present, each at its time, and closes the past seconds of the
    /// statistics. The fluid flows up to the last of these times. Sums of what flows are rounded
    /// where a flow is cut, so it is cut only where something happens.
    pub(super) fn advance_with_fluid(&mut self) {
        while let Some((at, event)) = self.next_event() {
            self.flow_to(at);
            match event {
                Event::Served => self.next_on_line(at),
                Event::Turn => self.fill_line(at),
                Event::Arrival => self.background_arrives(at),
                Event::Change => {
                    if let Some(fluid) = self.fluid_mut() {
                        fluid.settle(at);
                    }
                }
            }
        }
        self.flow_to(second_began(self.now));
    }

    /// Returns the next event if it happens by now. Virtual frames that arrive exactly now are left
    /// out, because a frame that is offered now comes before them.
    fn next_event(&self) -> Option<(Time, Event)> {
        let fluid = self.fluid()?;
        let served = self.line_changes();
        let arrival = self.background.as_ref().and_then(|background| background.next_at());
        let events = [
            served.map(|at| (at, Event::Served)),
            self.turn_behind_fluid().map(|at| (at, Event::Turn)),
            Some((fluid.next_at(), Event::Change)),
            arrival.map(|at| (at, Event::Arrival)),
        ];
        let due = |(at, event): &(Time, Event)| match event {
            Event::Arrival => *at < self.now,
            _ => *at <= self.now,
        };
        events.into_iter().flatten().filter(due).min()
    }

    /// Amount of fluid that the line sends in a nanosecond, in parts of 10⁻¹² bit. It is 0 while a
    /// frame is on the line or the line is held.
    fn service(&self) -> u128 {
        if self.line_is_free() { self.line_speed() } else { 0 }
    }

    /// Amount that the line sends in a nanosecond, in parts of 10⁻¹² bit.
    pub(super) fn line_speed(&self) -> u128 {
        self.line.rate(self.now).map_or(u128::MAX >> 64, speed)
    }

    /// Lets the fluid flow up to `until`, while no frame comes or goes. Closes the seconds of the
    /// statistics on the way.
    pub(super) fn flow_to(&mut self, until: Time) {
        let open = self.config.state == LinkState::Up;
        let service = self.service();
        let room = (self.queue.bound(), self.queue.backlog());
        while let Some(at) = self.fluid().map(FluidProcess::at).filter(|at| *at < until) {
            self.reach_with_fluid();
            let ends = self.statistics.ends();
            let until = if ends > at { until.min(ends) } else { until };
            let Some(fluid) = self.fluid_mut() else { return };
            let (counts, busy) = fluid.flow(until, service, room, open);
            let at = fluid.at();
            if busy > 0 {
                let waited = fluid.wait(service);
                self.shift.carried(at, waited);
            }
            self.statistics.background().add(&counts);
            self.line.carried(busy);
            self.reach_with_fluid();
            self.turn_seconds(at);
        }
    }

    /// Returns how much earlier a frame that left the line at `end` would have left it if all
    /// frames had been offered without delay.
    #[inline]
    pub(super) fn shift_of(&mut self, waiting: &Queued<F>, started: Time, end: Time) -> Duration {
        let (line, background) = (&self.line, self.background.as_deref());
        let overtakes = || {
            let fluid = background.and_then(|background| background.fluid.as_deref());
            match fluid.zip(line.rate(end)) {
                Some((fluid, rate)) => fluid.overtaken_in(waiting.arrival_uncertainty, speed(rate)),
                None => Duration::ZERO,
            }
        };
        self.shift.left(waiting, started, end, overtakes)
    }

    /// Records the present length of the queue, fluid included, in the statistics.
    pub(super) fn reach_with_fluid(&mut self) {
        if let Some(waiting) = self.fluid().map(FluidProcess::waiting) {
            self.statistics.reached(waiting);
        }
    }

    /// Number of frames that wait; the fluid is rounded to whole frames.
    #[inline]
    pub(super) fn frames_waiting(&self) -> u64 {
        let fluid = self.fluid().map_or(0, FluidProcess::nearest_frames);
        self.queue.backlog().frames + fluid
    }

    /// Processes the arrival of a frame at a queue that it shares with the fluid. The fluid makes
    /// room for the frame where frames alone would leave room: always if the fluid fits beside it,
    /// and otherwise, where the fluid overflows, with the probability with which frames like the
    /// fluid's would leave so much room.
    pub(super) fn take_in_with_fluid(
        &mut self,
        now: Time,
        waiting: Queued<F>,
    ) -> Result<(), Rejection<F>> {
        let speed = self.line_speed();
        let (bound, backlog) = (self.queue.bound(), self.queue.backlog());
        let mut longer = backlog;
        longer.add(&waiting);
        let line_is_free = self.line_is_free() && backlog.frames == 0;
        let Some(fluid) = self.fluid_mut() else { return Err((waiting, DropReason::QueueFull)) };
        let goes_at_once = line_is_free && !fluid.waits();
        let finds_room = match goes_at_once {
            true => !(fluid.overflows(speed) && fluid.is_full(bound, backlog)),
            false => fluid.fits(bound, longer),
        };
        // Limits do not apply to a frame that goes on the line at once.
        let may_be_admitted = fluid.fits(bound, backlog)
            && (goes_at_once || bound.admits(backlog, &waiting.info, waiting.line_bytes));
        let is_admitted =
            finds_room || (may_be_admitted && fluid.admits(speed, bound, waiting.line_bytes));
        if !is_admitted {
            return Err((waiting, DropReason::QueueFull));
        }
        if goes_at_once {
            self.serve(now, waiting);
            return Ok(());
        }
        fluid.queue_frame(waiting.order);
        if waiting.frame.is_virtual() {
            let info = waiting.info;
            self.background_waits(&info);
        }
        self.queue.push(now, waiting);
        self.queue_changed(now);
        Ok(())
    }

    /// Whether fluid waits in front of the first frame that waits.
    #[inline]
    pub(super) fn is_behind_fluid(&self) -> bool {
        self.background.is_some()
            && self.fluid().is_some_and(|fluid| self.queue.stands_behind(fluid))
    }

    /// Time at which the first frame that waits comes to the line, on which the fluid in front of
    /// it is now.
    pub(super) fn turn_behind_fluid(&self) -> Option<Time> {
        if !self.line_is_free() {
            return None;
        }
        self.fluid()?.turn(self.line_speed())
    }

    /// Time at which the line is free of frames and holds; the present if the fluid has the line.
    pub(super) fn line_free_at(&self) -> Option<Time> {
        self.line_taken_until().or_else(|| self.fluid().map(FluidProcess::at))
    }

    /// Returns how long the fluid in front of each frame takes, with the frame's `order`.
    pub(super) fn times_of_fluid(&self) -> impl Iterator<Item = (u64, Duration)> {
        let speed = self.line_speed();
        self.fluid().into_iter().flat_map(move |fluid| fluid.times(speed))
    }

    /// Applies another configuration with the same background.
    pub(super) fn change_fluid(&mut self, now: Time, reframed: bool) {
        if !self.config.carries_fluid() {
            return self.end_fluid(now);
        }
        let framing = self.config.framing;
        if let Some(fluid) = self.fluid_mut().filter(|_| reframed) {
            fluid.reframe(framing);
        }
    }

    /// Ends the fluid, because the pipe cannot have one any more.
    pub(super) fn end_fluid(&mut self, now: Time) {
        if self.has_fluid() {
            self.drop_fluid();
            if let Some(background) = &mut self.background {
                background.fluid = None;
            }
            self.fill_line(now);
        }
    }

    /// Drops the waiting fluid.
    pub(super) fn drop_fluid(&mut self) {
        if let Some(fluid) = self.fluid_mut() {
            let counts = fluid.drop_all();
            self.statistics.background().add(&counts);
        }
    }

    /// Part of the queue that is fluid, in whole frames and bytes.
    pub(super) fn fluid_waiting(&self) -> Count {
        self.fluid().map(FluidProcess::waiting).unwrap_or_default()
    }
}
