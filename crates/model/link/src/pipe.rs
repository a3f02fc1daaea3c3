//! One direction of a link: joins the stages into a state machine in virtual time.
//! Not here: clocks and devices. Whoever owns the pipe passes the time in.

mod background;
mod coalesce;
mod counted;
mod deadlines;
mod fluid;
mod hold;
mod loss;
mod restored;
mod sent;
mod steered;

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use crate::background::{BackgroundProcess, LineFrame};
use crate::channel::{Channel, Fate};
use crate::condition::Conditioning;
use crate::crossing::is_cut;
use crate::early::EarlyLosses;
use crate::flight::{Flight, Flying};
use crate::line::{Line, Served, Service};
use crate::log::{FrameEvent, Journal, Occurrence};
use crate::queue::{Queue, Queued, Rejection};
use crate::receiver::ReceiverLimit;
use crate::stall_delay::StallDelay;
use crate::statistics::Collector;
use crate::{
    DropReason, Frame, FrameInfo, LinkState, Passage, PipeChange, PipeConfig, RateLimit, Stream,
    WhenFull,
};
use hold::Hold;
pub(crate) use restored::Restored;

/// Longest serialization time of a super-frame that may stay whole.
pub const COALESCING_BOUND: Duration = Duration::from_micros(50);

/// A pipe for frames of type `F`.
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
/// `now` never goes back: a time before the latest one counts as the latest one. Events between two
/// calls (a frame leaves the line, the next one starts, a virtual frame of the background arrives)
/// happen at their exact times, in order, whenever the next call comes. So calls are needed only at
/// releases, and a late call changes nothing but the time of the hand-over. A frame that is offered
/// comes before virtual ones that arrive in the same nanosecond.
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
    /// Latest time that was passed in.
    now: Time,
    /// Number of frames that were offered so far.
    arrivals: u64,
    /// Number of all arrivals so far, virtual frames included.
    order: u64,
    /// The conditioners; `None` if the configuration has none.
    conditioning: Option<Box<Conditioning>>,
    queue: Queue<F>,
    line: Line,
    serving: Option<Serving<F>>,
    hold: Hold,
    /// Losses in front of the queue; `None` until the first request.
    early: Option<Box<EarlyLosses>>,
    /// The background; `None` until there is one.
    background: Option<Box<BackgroundProcess>>,
    /// Random stream from which those of early losses and the background are forked.
    stream: Stream,
    shift: StallDelay,
    channel: Channel,
    receiver: ReceiverLimit,
    flight: Flight<F>,
    discarded: VecDeque<Dropped<F>>,
    statistics: Collector,
    journal: Journal,
    /// Copies of frames that have left the line, if they are kept.
    sent: Option<VecDeque<Announced<F>>>,
    /// Number of wire frames that have left the line while copies were kept.
    wire_frames_sent: u64,
    /// Number of changes that dropped all frames in the pipe.
    cuts: u32,
}

/// The frame on the line.
#[derive(Debug)]
struct Serving<F> {
    waiting: Queued<F>,
    started: Time,
    service: Service,
}

/// A frame that has arrived at the far end.
#[derive(Debug)]
pub struct Delivery<F> {
    /// The frame.
    pub frame: F,
    /// Number and lengths of its wire frames.
    pub info: FrameInfo,
    /// Its way through the pipe.
    pub passage: Passage,
    /// Time at which it is due: its last bit arrives.
    pub release: Time,
}

/// A frame that has left the line. It arrives at the far end unless a cut drops it.
#[derive(Debug)]
pub struct Announced<F> {
    /// The frame, and its arrival to come.
    pub delivery: Delivery<F>,
    /// Number of wire frames that left the line before it, while copies were kept.
    pub sequence: u64,
    /// Number of cuts of the pipe before the frame left the line ([`Pipe::cuts`]).
    pub cuts: u32,
}

/// A frame that the model accepted and dropped later.
#[derive(Debug)]
pub struct Dropped<F> {
    /// The frame.
    pub frame: F,
    /// Number and lengths of its wire frames.
    pub info: FrameInfo,
    /// Number of the arrival in this pipe, from 0.
    pub number: u64,
    /// Time at which it was offered.
    pub offered: Time,
    /// Time at which its serialization began; `None` if it only waited.
    pub started: Option<Time>,
    /// Reason of the drop.
    pub reason: DropReason,
    /// Time of the drop.
    pub at: Time,
}

/// A frame that the model did not accept.
#[derive(Debug)]
pub struct Rejected<F> {
    /// The frame.
    pub frame: F,
    /// Number of the arrival in this pipe, from 0.
    pub number: u64,
    /// Reason of the rejection.
    pub reason: DropReason,
}

impl<F: Frame> Pipe<F> {
    /// Creates an empty pipe whose statistics begin at `start`. All of its random numbers come from
    /// `stream`.
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
            shift: StallDelay::default(),
            channel: Channel::new(&config, &stream),
            receiver: ReceiverLimit::NONE,
            flight: Flight::new(&config, &stream, start),
            discarded: VecDeque::new(),
            statistics: Collector::new(start),
            journal: Journal::default(),
            sent: None,
            wire_frames_sent: 0,
            cuts: 0,
            background: None,
            stream,
            config,
        };
        pipe.begin_background(start);
        pipe
    }

    /// The configuration of the pipe.
    pub fn config(&self) -> &PipeConfig {
        &self.config
    }

    /// Offers `frame` at `now`.
    ///
    /// # Errors
    /// Returns the frame, with the reason, if the pipe is down, the packet is too long, a
    /// conditioner or an early loss drops the frame, or the queue rejects it.
    #[inline]
    pub fn offer(&mut self, now: Time, info: FrameInfo, frame: F) -> Result<(), Rejected<F>> {
        self.offer_late(now, Duration::ZERO, info, frame)
    }

    /// Remembers from now on when frames came, so that a late frame counts only those that it would
    /// have overtaken, not all for which it waited. Pipes whose frames are never late need not
    /// remember anything.
    pub fn expect_late_offers(&mut self) {
        self.shift.remember();
    }

    /// Offers `frame` at `now`, after it may have waited up to `arrival_uncertainty` without being
    /// offered. The wait does not change the fate of the frame. [`Passage::shift`] records how much
    /// later frames leave the line because of such waits; it is the smaller if the pipe
    /// [expects](Self::expect_late_offers) them.
    ///
    /// # Errors
    /// As for [`offer`](Self::offer).
    #[inline]
    pub fn offer_late(
        &mut self,
        now: Time,
        arrival_uncertainty: Duration,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        let now = self.advance(now);
        let number = self.arrivals;
        self.arrivals += 1;
        self.statistics.offered(&info, self.frames_waiting());
        self.journal.note(|| FrameEvent::new(number, now, &info, Occurrence::Offered));
        let frame = LineFrame::Real { frame, number };
        let result = match self.is_lost_early() {
            true => Err((self.arriving(now, frame, info, arrival_uncertainty), DropReason::Loss)),
            false => self.take_in(now, frame, info, arrival_uncertainty),
        };
        self.find_due();
        result.or_else(|(waiting, reason)| self.reject(reason, waiting))
    }

    /// Processes an arrival at the beginning of the pipe, offered or virtual.
    #[inline]
    fn take_in(
        &mut self,
        now: Time,
        frame: LineFrame<F>,
        info: FrameInfo,
        arrival_uncertainty: Duration,
    ) -> Result<(), Rejection<F>> {
        let mut waiting = self.arriving(now, frame, info, arrival_uncertainty);
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

    /// Whether further offers should wait: the queue is full at `now` and drops nothing
    /// ([`WhenFull::Wait`]). The wait is over by
    /// [`next_line_end`](Self::next_line_end). A frame that is offered nevertheless is accepted.
    #[inline]
    pub fn is_full(&mut self, now: Time) -> bool {
        if self.config.queue.full == WhenFull::Drop {
            return false;
        }
        self.advance(now);
        let shortest = self.config.framing.line_bytes(0).into();
        self.config.state == LinkState::Up && !self.line_is_free() && self.queue.is_full(shortest)
    }

    /// Passes a frame through the queue discipline to the free line. The discipline may drop the
    /// frame, or keep it because its class is at its cap.
    fn pass(&mut self, now: Time, waiting: Queued<F>) -> Result<(), Rejection<F>> {
        self.update_rate(now);
        let (info, is_virtual) = (waiting.info, waiting.frame.is_virtual());
        let result = self.queue.pass(now, waiting);
        if is_virtual && matches!(result, Ok(None)) {
            self.background_waits(&info);
        }
        // Where classes have caps, others may wait although the line is free, and be dropped.
        if self.queue.backlog().frames > 0 || !self.queue.effects.is_empty() {
            self.queue_changed(now);
        }
        if let Some(waiting) = result? {
            self.serve(now, waiting);
        }
        Ok(())
    }

    /// Whether a frame exceeds the MTU only because of its VLAN tag.
    #[cold]
    fn fits_without_tag(&self, waiting: &Queued<F>) -> bool {
        let untagged = waiting.info.largest().saturating_sub(waiting.frame.tag_bytes());
        self.config.pipe_mtu.admits(untagged)
    }

    /// Updates the rate in the queue, if the rate changes by itself.
    #[inline]
    fn update_rate(&mut self, now: Time) {
        if self.line.varies() {
            self.queue.set_rate(self.line.rate(now));
        }
    }

    /// Returns the next frame whose release is not after `now`, in order of release.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Delivery<F>> {
        self.reach(now);
        let flying = self.flight.pop_due(self.now)?;
        let Flying { frame, info, passage, release } = flying;
        self.statistics.delivered(&info, release, release.since(passage.offered));
        self.journal.note(|| {
            let Passage { number, offered, started, serialized, .. } = passage;
            let what = Occurrence::Delivered { offered, started, serialized };
            FrameEvent::new(number, release, &info, what)
        });
        Some(Delivery { frame, info, passage, release })
    }

    /// Returns the next frame that was accepted and dropped later: lost on the channel, dropped by
    /// the queue, or lost when the pipe went down. Such frames are already counted and wait here
    /// until they are collected.
    #[inline]
    pub fn poll_dropped(&mut self) -> Option<Dropped<F>> {
        self.discarded.pop_front()
    }

    /// Sets whether the events of frames are recorded, to be collected with
    /// [`poll_event`](Self::poll_event). At first they are not.
    pub fn record_events(&mut self, wanted: bool) {
        self.journal.keep(wanted);
    }

    /// Whether events are recorded.
    #[inline]
    pub fn records_events(&self) -> bool {
        self.journal.is_kept()
    }

    /// Returns the next event. Arrivals and events of the queue come in their order; a delivery
    /// comes when it is collected with [`poll`](Self::poll).
    #[inline]
    pub fn poll_event(&mut self) -> Option<FrameEvent> {
        self.journal.pop()
    }

    /// Restarts traces and schedules as if they were set at `now`, the beginning of a run.
    pub fn begin(&mut self, now: Time) {
        let now = self.advance(now);
        if matches!(self.config.rate, RateLimit::Trace(_) | RateLimit::Schedule(_)) {
            self.line.begin(now, &self.config.rate);
        }
        self.flight.begin(now);
    }

    /// Applies `change` at `now`.
    ///
    /// Changes of rate, framing and queue hold from the next frame that starts serialization or
    /// arrives. Changes of the channel, delay and jitter hold from the next frame that leaves the
    /// line. A model that the change does not touch keeps its state.
    ///
    /// Nothing queued is dropped, duplicated or reordered, with two exceptions. A pipe that goes
    /// down with `in_flight: drop` drops everything in it. A fluid is dropped if the pipe cannot
    /// have one any more ([`Background::check`](crate::Background::check)).
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
        if is_cut(old.state, &self.config) {
            self.drop_everything(now);
            self.cuts += 1;
        } else if self.serving.is_none() && self.queue.backlog().frames > 0 {
            // The change may have removed the cap for which a frame waited.
            self.fill_line(now);
        }
        self.forget_due();
    }

    /// Performs all events of the line up to `now`, each at its time, and lets a fluid flow up to
    /// `now`.
    #[inline]
    fn advance(&mut self, now: Time) -> Time {
        self.now = self.now.max(now);
        if self.background.is_some() {
            let now = self.advance_with_background();
            self.flow_to(now);
            return now;
        }
        self.advance_line()
    }

    /// Performs all events of a line without background up to the present.
    #[inline]
    fn advance_line(&mut self) -> Time {
        while let Some(at) = self.line_changes()
            && at <= self.now
        {
            self.next_on_line(at);
        }
        self.turn_seconds(self.now);
        self.now
    }

    /// Closes the past seconds of the statistics, which are kept by the second.
    #[inline]
    fn turn_seconds(&mut self, now: Time) {
        if now >= self.statistics.ends() {
            let line = &self.line;
            self.statistics.turn(now, |at| line.busy(at));
        }
    }

    /// Time of the next change on the line: the frame on it leaves, or a hold ends. Without either,
    /// only frames wait whose class is at its cap; then it is the time at which the first of these
    /// may leave. Not here: frames that wait for a fluid.
    #[inline]
    fn line_changes(&self) -> Option<Time> {
        match &self.serving {
            Some(serving) => Some(serving.service.end),
            None => self.held_until().or_else(|| self.queue.opens()),
        }
    }

    /// Performs a change on the line at `at`: the frame on it leaves, if there is one, and the next
    /// one in the discipline's order takes its place, unless the line is held.
    fn next_on_line(&mut self, at: Time) {
        self.turn_seconds(at);
        if let Some(serving) = self.serving.take() {
            self.serialized(serving);
        }
        self.follow_hold(at);
        self.fill_line(at);
    }

    /// Puts the next waiting frame on the line, which is free at `at`.
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
    fn serve(&mut self, now: Time, waiting: Queued<F>) {
        let kind = match waiting.frame {
            LineFrame::Real { .. } => Served::Real,
            LineFrame::Virtual(_) => Served::Virtual,
        };
        let service = self.line.serve(now, waiting.line_bytes, kind);
        let serving = Serving { waiting, started: now, service };
        if service.end <= now {
            self.serialized(serving);
        } else {
            self.serving = Some(serving);
        }
    }

    /// Handles a frame whose last bit has left the line: the channel decides its fate.
    #[inline]
    fn serialized(&mut self, serving: Serving<F>) {
        let Serving { waiting, started, service: Service { end, lost } } = serving;
        let shift = self.shift_of(&waiting, started, end);
        let Queued { frame, info, offered, marked, .. } = waiting;
        // Virtual frames do not enter the channel.
        let LineFrame::Real { mut frame, number } = frame else {
            return self.background_left(&info, lost);
        };
        let fate = if lost { Fate::Lost(DropReason::Loss) } else { self.channel.pass(&info) };
        let fate = match fate {
            Fate::Passes { .. } if !self.receiver.takes(&info, &frame) => {
                Fate::Lost(DropReason::ReceiverMtu)
            }
            fate => fate,
        };
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

    /// Updates statistics and drops after a change of the queue at `now`.
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
