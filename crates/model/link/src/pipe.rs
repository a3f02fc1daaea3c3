//! One direction of a link: the stages joined into a state machine in virtual time.
//! Not here: clocks and devices; whoever owns the pipe says what time it is.

mod background;
mod coalesce;
mod fluid;
mod loss;
mod steered;

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use crate::background::{BackgroundProcess, Carried};
use crate::channel::{Channel, Fate};
use crate::condition::Conditioning;
use crate::early::EarlyLosses;
use crate::flight::{Flight, Flying};
use crate::line::{Line, Served, Service};
use crate::log::{FrameEvent, Journal, Occurrence};
use crate::queue::{Queue, Rejection, Waiting};
use crate::shift::Shift;
use crate::statistics::{Collector, Present};
use crate::{
    Count, DropReason, Frame, FrameInfo, InFlight, LinkState, Passage, PipeChange, PipeConfig,
    PipeStatistics, RateLimit, Stream, WhenFull, Window,
};
use steered::Hold;

/// Most serialization time that a super-frame may take and still stay whole.
pub const COALESCING_BOUND: Duration = Duration::from_micros(50);

/// A pipe carrying frames of type `F`.
///
/// # Call order
/// 1. A frame arrives: for a super-frame ask [`coalesce`](Self::coalesce) how many wire frames may
///    stay together and split it accordingly; then [`offer`](Self::offer) each piece.
/// 2. After every `offer` and `change`, and whenever the time of
///    [`next_deadline`](Self::next_deadline) has come: [`poll`](Self::poll) until it returns
///    `None`, then [`poll_dropped`](Self::poll_dropped) likewise (and, if events are recorded,
///    [`poll_event`](Self::poll_event)), then ask for the deadline anew.
/// 3. [`change`](Self::change), [`statistics`](Self::statistics) and [`config`](Self::config) may
///    be called at any time between.
///
/// `now` never goes back; an earlier time than one already given counts as the latest one given.
/// What happens between two calls (a frame leaving the line, the next one starting, a virtual frame
/// of the background arriving) happens at its exact time, in order, whenever the next call comes:
/// calls are needed at releases only, and late calls change nothing but the time of the hand-over.
/// A frame that is offered comes before virtual ones that arrive in the same nanosecond.
///
/// # Example
/// ```
/// use netloom_link::{FrameInfo, Pipe, PipeConfig, Stream};
/// use netloom_units::Time;
///
/// let mut config = PipeConfig::default();
/// config.delay = "10ms".parse().unwrap();
/// let mut pipe = Pipe::new(config, Stream::new(1, "a/forward"), Time::ZERO);
/// pipe.offer(Time::ZERO, FrameInfo::single(1514), "hello").unwrap();
/// let deadline = pipe.next_deadline().unwrap();
/// assert_eq!(deadline.as_nanos(), 10_000_000);
/// assert_eq!(pipe.poll(deadline).unwrap().frame, "hello");
/// ```
#[derive(Debug)]
pub struct Pipe<F> {
    config: PipeConfig,
    /// The latest time given.
    now: Time,
    /// Frames offered so far.
    arrivals: u64,
    /// Frames that have come to the queue so far, virtual ones included.
    order: u64,
    /// Only while there are conditioners.
    conditioning: Option<Box<Conditioning>>,
    queue: Queue<F>,
    line: Line,
    serving: Option<Serving<F>>,
    hold: Hold,
    /// Only once they were ordered.
    early: Option<Box<EarlyLosses>>,
    /// Only once there has been one.
    background: Option<Box<BackgroundProcess>>,
    /// What its random numbers come from.
    stream: Stream,
    shift: Shift,
    channel: Channel,
    flight: Flight<F>,
    discarded: VecDeque<Dropped<F>>,
    statistics: Collector,
    journal: Journal,
    /// Frames that have left the line, with the times of their release, if they are kept.
    sent: Option<VecDeque<(F, Time)>>,
}

/// The frame on the line.
#[derive(Debug)]
struct Serving<F> {
    waiting: Waiting<F>,
    started: Time,
    service: Service,
}

/// A frame at the far end.
#[derive(Debug)]
pub struct Delivery<F> {
    /// The frame.
    pub frame: F,
    /// What it is on the wire.
    pub info: FrameInfo,
    /// How it came here.
    pub passage: Passage,
    /// When it is due: its last bit arrives.
    pub release: Time,
}

/// A frame that the model accepted and dropped later.
#[derive(Debug)]
pub struct Dropped<F> {
    /// The frame.
    pub frame: F,
    /// What it was on the wire.
    pub info: FrameInfo,
    /// The arrival's number in this pipe, from 0.
    pub number: u64,
    /// When it was offered.
    pub offered: Time,
    /// When its serialization began; `None` if it only waited.
    pub started: Option<Time>,
    /// Why.
    pub reason: DropReason,
    /// When.
    pub at: Time,
}

/// A frame that the model did not accept.
#[derive(Debug)]
pub struct Rejected<F> {
    /// The frame.
    pub frame: F,
    /// The arrival's number in this pipe, from 0.
    pub number: u64,
    /// Why.
    pub reason: DropReason,
}

impl<F: Frame> Pipe<F> {
    /// An empty pipe whose statistics begin at `start`. All of its draws come from `stream`.
    pub fn new(config: PipeConfig, stream: Stream, start: Time) -> Self {
        let line = Line::new(&config, &stream, start);
        let mut pipe = Self {
            now: start,
            arrivals: 0,
            order: 0,
            conditioning: Conditioning::new(&config.condition, start),
            queue: Queue::new(config.queue.clone(), line.rate(start), stream.fork("queue")),
            line,
            serving: None,
            hold: Hold::None,
            early: None,
            shift: Shift::default(),
            channel: Channel::new(&config, &stream),
            flight: Flight::new(&config, &stream, start),
            discarded: VecDeque::new(),
            statistics: Collector::new(start),
            journal: Journal::default(),
            sent: None,
            background: None,
            stream,
            config,
        };
        pipe.begin_background(start);
        pipe
    }

    /// What the pipe runs on.
    pub fn config(&self) -> &PipeConfig {
        &self.config
    }

    /// Takes in `frame` at `now`.
    ///
    /// # Errors
    /// Gives the frame back, with the reason, if the pipe is down, the packet is too long, or the
    /// queue does not take it.
    #[inline]
    pub fn offer(&mut self, now: Time, info: FrameInfo, frame: F) -> Result<(), Rejected<F>> {
        self.offer_late(now, Duration::ZERO, info, frame)
    }

    /// Takes in `frame` at `now`, which may have waited `unseen` for so long. That changes nothing
    /// of what becomes of it; how much later frames leave the line for it is in [`Passage::shift`].
    ///
    /// # Errors
    /// As [`offer`](Self::offer).
    #[inline]
    pub fn offer_late(
        &mut self,
        now: Time,
        unseen: Duration,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        let now = self.advance(now);
        let number = self.arrivals;
        self.arrivals += 1;
        self.statistics.offered(&info, self.frames_waiting());
        self.journal.note(|| FrameEvent::new(number, now, &info, Occurrence::Offered));
        let frame = Carried::Real { frame, number };
        let result = match self.is_lost_early() {
            true => Err((self.arriving(now, frame, info, unseen), DropReason::Loss)),
            false => self.take_in(now, frame, info, unseen),
        };
        self.find_due();
        result.or_else(|(waiting, reason)| self.reject(reason, waiting))
    }

    /// A frame comes to the beginning of the pipe.
    #[inline]
    fn take_in(
        &mut self,
        now: Time,
        frame: Carried<F>,
        info: FrameInfo,
        unseen: Duration,
    ) -> Result<(), Rejection<F>> {
        let mut waiting = self.arriving(now, frame, info, unseen);
        if self.config.state == LinkState::Down {
            return Err((waiting, DropReason::Down));
        }
        if !self.config.pipe_mtu.admits(info.largest()) && !self.fits_without_tag(&waiting) {
            return Err((waiting, DropReason::Mtu));
        }
        if let Some(conditioning) = &mut self.conditioning
            && !conditioning.admits(now, &mut waiting)
        {
            return Err((waiting, DropReason::Policed));
        }
        if self.background.is_some() && self.has_fluid() {
            return self.take_in_with_fluid(now, waiting);
        }
        if self.line_is_free() {
            if self.queue.looks_at_all() {
                return self.pass(now, waiting);
            }
            self.serve(now, waiting);
            return Ok(());
        }
        self.update_rate(now);
        let is_virtual = waiting.frame.is_virtual();
        let result = self.queue.enqueue(now, waiting);
        if is_virtual && result.is_ok() {
            self.background_waits(&info);
        }
        self.queue_changed(now);
        result
    }

    /// Whether who offers frames is to wait: the queue is full at `now`, and drops nothing
    /// ([`WhenFull::Wait`](crate::WhenFull::Wait)). It is over by
    /// [`next_line_end`](Self::next_line_end). A frame that is offered all the same is taken in.
    #[inline]
    pub fn is_full(&mut self, now: Time) -> bool {
        if self.config.queue.full == WhenFull::Drop {
            return false;
        }
        self.advance(now);
        let shortest = self.config.framing.line_bytes(0).into();
        self.config.state == LinkState::Up && !self.line_is_free() && self.queue.is_full(shortest)
    }

    /// Puts a frame on the line that finds it free, unless the queue discipline will not have it,
    /// or keeps it because its class is at its cap.
    fn pass(&mut self, now: Time, waiting: Waiting<F>) -> Result<(), Rejection<F>> {
        self.update_rate(now);
        let (info, is_virtual) = (waiting.info, waiting.frame.is_virtual());
        let result = self.queue.pass(now, waiting);
        if matches!(result, Ok(None)) {
            if is_virtual {
                self.background_waits(&info);
            }
            self.queue_changed(now);
        } else if !self.queue.effects.is_empty() {
            self.take_effects(now);
        }
        if let Some(waiting) = result? {
            self.serve(now, waiting);
        }
        Ok(())
    }

    /// Whether it is only its VLAN tag that makes a frame longer than the MTU.
    #[cold]
    fn fits_without_tag(&self, waiting: &Waiting<F>) -> bool {
        let untagged = waiting.info.largest().saturating_sub(waiting.frame.tag_bytes());
        self.config.pipe_mtu.admits(untagged)
    }

    /// Tells the queue the rate, if it changes by itself.
    #[inline]
    fn update_rate(&mut self, now: Time) {
        if self.line.varies() {
            self.queue.set_rate(self.line.rate(now));
        }
    }

    /// The next frame whose release is not after `now`, in order of release.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Delivery<F>> {
        let now = self.advance(now);
        let flying = self.flight.pop_due(now)?;
        let Flying { frame, info, passage, release } = flying;
        self.statistics.delivered(&info, release, release.since(passage.offered));
        self.journal.note(|| {
            let Passage { number, offered, started, serialized, .. } = passage;
            let what = Occurrence::Delivered { offered, started, serialized };
            FrameEvent::new(number, release, &info, what)
        });
        Some(Delivery { frame, info, passage, release })
    }

    /// The next frame that was accepted and dropped later: lost on the channel, or caught by the
    /// pipe going down. They wait here, already counted, until they are collected.
    #[inline]
    pub fn poll_dropped(&mut self) -> Option<Dropped<F>> {
        self.discarded.pop_front()
    }

    /// From now on, whether everything that happens to a frame waits to be collected with
    /// [`poll_event`](Self::poll_event). At first it does not.
    pub fn record_events(&mut self, wanted: bool) {
        self.journal.keep(wanted);
    }

    /// Whether events are recorded.
    #[inline]
    pub fn records_events(&self) -> bool {
        self.journal.is_kept()
    }

    /// The next event. Arrivals and what is done to the queue come in their order; a delivery comes
    /// when it is collected with [`poll`](Self::poll).
    #[inline]
    pub fn poll_event(&mut self) -> Option<FrameEvent> {
        self.journal.pop()
    }

    /// From now on, whether frames that leave the line wait to be collected with
    /// [`poll_sent`](Self::poll_sent) as well: who is at the far end can learn of them while they
    /// propagate.
    pub fn keep_sent(&mut self, wanted: bool) {
        self.sent = wanted.then(VecDeque::new);
    }

    /// The next frame that has left the line, with the time of its release. It is released as
    /// always; a cut may still drop it before.
    #[inline]
    pub fn poll_sent(&mut self) -> Option<(F, Time)> {
        self.sent.as_mut()?.pop_front()
    }

    /// When the next frame that was offered leaves the line, at the earliest: exactly if it is on
    /// the line, or waits behind virtual frames or a fluid in a FIFO queue with drop-tail at a
    /// constant rate.
    #[inline]
    fn line_end(&self) -> Option<Time> {
        let Some(serving) = &self.serving else {
            // What waits though nothing is on the line waits for a hold to end, for a fluid, or for
            // its class to open.
            return match self.held_until().or_else(|| self.queue.opens()) {
                Some(at) => self.frames_wait().then_some(at),
                None => self.end_behind_background(self.turn_behind_fluid()),
            };
        };
        match serving.waiting.frame {
            Carried::Real { .. } => Some(serving.service.end),
            Carried::Virtual(_) => self.end_behind_background(Some(serving.service.end)),
        }
    }

    /// When [`poll`](Self::poll) is to be called next, if nothing else happens before. The call
    /// may find nothing, because a frame that has yet to leave the line may be lost or take longer,
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

    /// When [`poll_sent`](Self::poll_sent) may have a frame next, if nothing else happens before
    /// and the pipe is polled then. Who needs no frame when it is released need not poll more
    /// often.
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

    /// Traces and schedules begin anew, as if they were set at `now`: the time from which a run
    /// counts.
    pub fn begin(&mut self, now: Time) {
        let now = self.advance(now);
        if matches!(self.config.rate, RateLimit::Trace(_) | RateLimit::Schedule(_)) {
            self.line.begin(now, &self.config.rate);
        }
        self.flight.begin(now);
    }

    /// Applies `change` at `now`.
    ///
    /// Rate, framing and queue hold from the next frame to start serialization or to arrive, the
    /// channel's properties, delay and jitter from the next frame to leave the line. Nothing queued
    /// is dropped, duplicated or reordered, except that a pipe going down with `in_flight: drop`
    /// drops all that is in it, and that a fluid is dropped which the pipe cannot have any more
    /// ([`Background::check`](crate::Background::check)). A model that the change does not touch
    /// keeps its state.
    pub fn change(&mut self, now: Time, change: &PipeChange) {
        let now = self.advance(now);
        let mut config = self.config.clone();
        change.apply_to(&mut config);
        let old = std::mem::replace(&mut self.config, config);
        let new = &self.config;
        self.line.configure(now, &old, new);
        if new.framing != old.framing || new.rate != old.rate {
            self.queue.reframe(&new.rate, new.framing);
            self.statistics.queue_changed(now, self.queue.backlog());
        }
        self.queue.configure(now, &new.queue, self.line.rate(now));
        if new.condition != old.condition {
            self.conditioning = Conditioning::new(&new.condition, now);
        }
        self.channel.configure(&old, new);
        self.flight.configure(&old, new, now);
        if new.background != old.background {
            self.begin_background(now);
        } else {
            self.change_fluid(now, new.framing != old.framing);
        }
        let new = &self.config;
        let cut = (old.state, new.state) == (LinkState::Up, LinkState::Down);
        if cut && new.in_flight == InFlight::Drop {
            self.drop_everything(now);
        } else if self.serving.is_none() && self.queue.backlog().frames > 0 {
            // What waited for a cap may have none now.
            self.fill_line(now);
        }
        self.forget_due();
    }

    /// Everything counted up to `now`.
    pub fn statistics(&mut self, now: Time) -> PipeStatistics {
        self.counted(now, None)
    }

    /// What was counted in the last seconds up to `now`.
    pub fn recent_statistics(&mut self, now: Time, window: Window) -> PipeStatistics {
        self.counted(now, Some(window))
    }

    fn counted(&mut self, now: Time, window: Option<Window>) -> PipeStatistics {
        let now = self.advance(now);
        let in_flight = Count { frames: self.flight.frames, bytes: self.flight.bytes };
        let queued = self.background.as_ref().map(|background| background.waiting);
        let fluid = self.fluid_waiting();
        let queued = queued.unwrap_or_default() + fluid;
        let background = (queued, Count::default());
        let bound = self.line.takes_time().then(|| self.queue.bound());
        let mut present = Present { in_flight, background, fluid, bound };
        if let Some(Serving { waiting, .. }) = &self.serving {
            match waiting.frame {
                Carried::Real { .. } => present.in_flight.add(&waiting.info),
                Carried::Virtual(_) => present.background.1.add(&waiting.info),
            }
        }
        self.statistics.snapshot(now, window, present, self.line.busy(now))
    }

    /// Lets everything happen that happens on the line up to `now`, each at its time.
    #[inline]
    fn advance(&mut self, now: Time) -> Time {
        self.now = self.now.max(now);
        if self.background.is_some() {
            return self.advance_with_background();
        }
        while let Some(at) = self.line_changes()
            && at <= self.now
        {
            self.next_on_line(at);
        }
        self.turn_seconds(self.now);
        self.now
    }

    /// Statistics are kept by the second.
    #[inline]
    fn turn_seconds(&mut self, now: Time) {
        if now >= self.statistics.ends() {
            let line = &self.line;
            self.statistics.turn(now, |at| line.busy(at));
        }
    }

    /// When the frame on the line leaves it, or a hold ends. While the line has neither, only
    /// frames wait whose class is at its cap: then when the first of these may leave. Not here: who
    /// waits for a fluid.
    #[inline]
    fn line_changes(&self) -> Option<Time> {
        match &self.serving {
            Some(serving) => Some(serving.service.end),
            None => self.held_until().or_else(|| self.queue.opens()),
        }
    }

    /// The frame on the line leaves it at `at`, if there is one, and the one that the discipline
    /// picks takes its place, unless the line is held.
    fn next_on_line(&mut self, at: Time) {
        self.turn_seconds(at);
        if let Some(serving) = self.serving.take() {
            self.serialized(serving);
        }
        self.follow_hold(at);
        self.fill_line(at);
    }

    /// Puts what waits next on the line, which is free at `at`.
    fn fill_line(&mut self, at: Time) {
        // Frames that take no time on the line do not stop the next ones.
        while self.line_is_free()
            && !self.is_behind_fluid()
            && let Some(next) = self.queue.dequeue(at)
        {
            self.leaves_queue(&next);
            self.serve(at, next);
        }
        self.queue_changed(at);
    }

    /// Puts a frame on the line, which is free at `now`.
    #[inline]
    fn serve(&mut self, now: Time, waiting: Waiting<F>) {
        let kind = match waiting.frame {
            Carried::Real { .. } => Served::Real,
            Carried::Virtual(_) => Served::Virtual,
        };
        let service = self.line.serve(now, waiting.line_bytes, kind);
        let serving = Serving { waiting, started: now, service };
        if service.end <= now {
            self.serialized(serving);
        } else {
            self.serving = Some(serving);
        }
    }

    /// A frame's last bit left the line: the channel decides what becomes of it.
    #[inline]
    fn serialized(&mut self, serving: Serving<F>) {
        let Serving { waiting, started, service: Service { end, lost } } = serving;
        let shift = self.shift_of(&waiting, started, end);
        let Waiting { frame, info, offered, marked, .. } = waiting;
        // The channel never sees virtual frames.
        let Carried::Real { mut frame, number } = frame else {
            return self.background_left(&info, lost);
        };
        let fate = if lost { Fate::Lost(DropReason::Loss) } else { self.channel.pass(&info) };
        let (flipped, duplicated) = match fate {
            Fate::Lost(reason) => {
                let (started, at) = (Some(started), end);
                let dropped = Dropped { frame, info, number, offered, started, reason, at };
                return self.discard_frame(dropped, Some(end));
            }
            Fate::Passes { flipped, duplicated } => (flipped, duplicated),
        };
        let passage = Passage { number, offered, started, serialized: end, marked, shift };
        if flipped {
            frame.flip_bits(self.channel.flipped());
            self.statistics.corrupted(&info);
            self.journal.note(|| FrameEvent::new(number, end, &info, Occurrence::Corrupted));
        }
        if duplicated {
            self.statistics.duplicated(&info);
            self.journal.note(|| FrameEvent::new(number, end, &info, Occurrence::Duplicated));
            self.propagate(frame.duplicate(), info, passage);
        }
        self.propagate(frame, info, passage);
    }

    #[inline]
    fn propagate(&mut self, frame: F, info: FrameInfo, passage: Passage) {
        let copy = self.sent.is_some().then(|| frame.duplicate());
        let release = self.flight.push(frame, info, passage);
        if let Some((sent, copy)) = self.sent.as_mut().zip(copy) {
            sent.push_back((copy, release));
        }
    }

    /// Takes over what the queue did at `now`.
    #[inline]
    fn queue_changed(&mut self, now: Time) {
        let backlog = self.queue.backlog();
        self.statistics.queue_changed(now, backlog);
        if self.background.is_some() {
            self.reach_with_fluid();
        }
        if !self.queue.effects.is_empty() {
            self.take_effects(now);
        }
    }
}
