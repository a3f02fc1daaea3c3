//! One direction of a link: the stages joined into a state machine in virtual time.
//! Not here: clocks and devices; whoever owns the pipe says what time it is.

use std::collections::VecDeque;

use netloom_units::{Duration, Time};

use crate::channel::Channel;
use crate::flight::Flight;
use crate::line::Line;
use crate::queue::{Fifo, Waiting};
use crate::statistics::Collector;
use crate::{
    Count, DropReason, FrameInfo, InFlight, LinkState, PipeChange, PipeConfig, PipeStatistics,
    QueueLimit, RateLimit, Stream,
};

/// Most serialization time that a super-frame may take and still stay whole.
pub const COALESCING_BOUND: Duration = Duration::from_micros(50);

/// A pipe carrying frames of type `F`.
///
/// # Call order
/// 1. A frame arrives: for a super-frame ask [`coalesce`](Self::coalesce) how many wire frames may
///    stay together and split it accordingly; then [`offer`](Self::offer) each piece.
/// 2. After every `offer` and `change`, and whenever the time of
///    [`next_deadline`](Self::next_deadline) has come: [`poll`](Self::poll) until it returns
///    `None`, then [`poll_dropped`](Self::poll_dropped) likewise, then ask for the deadline anew.
/// 3. [`change`](Self::change), [`statistics`](Self::statistics) and [`config`](Self::config) may
///    be called at any time between.
///
/// `now` never goes back; an earlier time than one already given counts as the latest one given.
/// What happens between two calls (a frame leaving the line, the next one starting) happens at its
/// exact time, in order, whenever the next call comes: calls are needed at releases only, and
/// late calls change nothing but the time of the hand-over.
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
    queue: Fifo<F>,
    line: Line,
    /// The frame on the line, and when its last bit is through.
    serving: Option<(Waiting<F>, Time)>,
    channel: Channel,
    flight: Flight<F>,
    discarded: VecDeque<Dropped<F>>,
    statistics: Collector,
}

/// A frame at the far end.
#[derive(Debug)]
pub struct Delivery<F> {
    /// The frame.
    pub frame: F,
    /// What it is on the wire.
    pub info: FrameInfo,
    /// When it was offered.
    pub offered: Time,
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
    /// Why.
    pub reason: DropReason,
}

impl<F> Pipe<F> {
    /// An empty pipe whose statistics begin at `start`.
    pub fn new(config: PipeConfig, stream: Stream, start: Time) -> Self {
        Self {
            now: start,
            queue: Fifo::new(config.queue, config.rate),
            line: Line::new(config.rate, start),
            serving: None,
            channel: Channel::new(config.loss, stream),
            flight: Flight::new(config.delay),
            discarded: VecDeque::new(),
            statistics: Collector::new(start),
            config,
        }
    }

    /// What the pipe runs on.
    pub fn config(&self) -> &PipeConfig {
        &self.config
    }

    /// How many wire frames of the super-frame `info` may stay together if it arrives at `now`:
    /// all, some, or 1 (split it fully).
    ///
    /// Frames stay together where the result is the same to within [`COALESCING_BOUND`] of
    /// serialization time: nothing is drawn for each frame, the queue is not counted in packets,
    /// and no limit would cut the super-frame in the middle.
    pub fn coalesce(&mut self, now: Time, info: &FrameInfo) -> u32 {
        if info.frames() == 1 || self.channel.draws_per_frame() {
            return 1;
        }
        let RateLimit::Limited(rate) = self.config.rate else { return info.frames() };
        if matches!(self.config.queue.limit, QueueLimit::Packets(_)) {
            return 1;
        }
        self.advance(now);
        let line_bytes = info.line_bytes(self.config.framing);
        if self.serving.is_some() && !self.queue.has_room(info, line_bytes) {
            return 1;
        }
        let each = self.config.framing.line_bytes(info.largest()).max(1);
        let together = rate.bytes_in(COALESCING_BOUND).bytes() / u64::from(each);
        u32::try_from(together).unwrap_or(u32::MAX).clamp(1, info.frames())
    }

    /// Takes in `frame` at `now`.
    ///
    /// # Errors
    /// Gives the frame back, with the reason, if the pipe is down or the queue is full.
    #[inline]
    pub fn offer(&mut self, now: Time, info: FrameInfo, frame: F) -> Result<(), Rejected<F>> {
        let now = self.advance(now);
        self.statistics.offered(&info);
        if self.config.state == LinkState::Down {
            return self.reject(DropReason::Down, &info, frame);
        }
        let line_bytes = info.line_bytes(self.config.framing);
        if self.serving.is_some() {
            if !self.queue.has_room(&info, line_bytes) {
                return self.reject(DropReason::QueueFull, &info, frame);
            }
            self.queue.push(Waiting { frame, info, line_bytes, offered: now });
            self.statistics.queue_changed(now, self.queue.frames, self.queue.bytes);
            return Ok(());
        }
        let end = self.line.serve(now, line_bytes);
        let waiting = Waiting { frame, info, line_bytes, offered: now };
        if end <= now {
            self.serialized(waiting, end);
        } else {
            self.serving = Some((waiting, end));
        }
        Ok(())
    }

    /// The next frame whose release is not after `now`, in order of release.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Delivery<F>> {
        let now = self.advance(now);
        let flying = self.flight.pop_due(now)?;
        self.statistics.delivered(&flying.info, flying.release.since(flying.offered));
        Some(Delivery {
            frame: flying.frame,
            info: flying.info,
            offered: flying.offered,
            release: flying.release,
        })
    }

    /// The next frame that was accepted and dropped later: lost on the channel, or caught by the
    /// pipe going down. They wait here, already counted, until they are collected.
    #[inline]
    pub fn poll_dropped(&mut self) -> Option<Dropped<F>> {
        self.discarded.pop_front()
    }

    /// When [`poll`](Self::poll) is to be called next, if nothing else happens before. The call
    /// may find nothing, because a frame that has yet to leave the line may be lost.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        self.flight.next_release().or_else(|| {
            let (_, end) = self.serving.as_ref()?;
            Some(self.flight.release_of(*end))
        })
    }

    /// Applies `change` at `now`.
    ///
    /// Rate, framing and queue hold from the next frame to start serialization or to arrive, delay
    /// and loss from the next frame to leave the line. Nothing queued is dropped, duplicated or
    /// reordered, except that a pipe going down with `in_flight: drop` drops all that is in it.
    pub fn change(&mut self, now: Time, change: &PipeChange) {
        let now = self.advance(now);
        let before = self.config.state;
        change.apply_to(&mut self.config);
        if change.rate.is_some() {
            self.line.set_rate(self.config.rate);
        }
        if change.framing.is_some() {
            self.queue.reframe(self.config.framing);
        }
        self.queue.configure(self.config.queue, self.config.rate);
        self.flight.set_delay(self.config.delay);
        self.channel.set_loss(self.config.loss);
        let cut = (before, self.config.state) == (LinkState::Up, LinkState::Down);
        if cut && self.config.in_flight == InFlight::Drop {
            self.drop_everything(now);
        }
    }

    /// Everything counted up to `now`.
    pub fn statistics(&mut self, now: Time) -> PipeStatistics {
        let now = self.advance(now);
        let mut in_flight = Count { frames: self.flight.frames, bytes: self.flight.bytes };
        if let Some((waiting, _)) = &self.serving {
            in_flight.add(&waiting.info);
        }
        self.statistics.snapshot(now, in_flight, self.line.busy(now))
    }

    /// Lets everything happen that happens on the line up to `now`, each at its time.
    #[inline]
    fn advance(&mut self, now: Time) -> Time {
        self.now = self.now.max(now);
        while self.serving.as_ref().is_some_and(|(_, end)| *end <= self.now) {
            self.next_on_line();
        }
        self.now
    }

    /// The frame on the line leaves it, and the one that waited longest takes its place.
    fn next_on_line(&mut self) {
        let Some((waiting, end)) = self.serving.take() else { return };
        self.serialized(waiting, end);
        if let Some(next) = self.queue.pop() {
            self.statistics.queue_changed(end, self.queue.frames, self.queue.bytes);
            let until = self.line.serve(end, next.line_bytes);
            self.serving = Some((next, until));
        }
    }

    /// A frame's last bit left the line at `end`.
    #[inline]
    fn serialized(&mut self, waiting: Waiting<F>, end: Time) {
        let Waiting { frame, info, offered, .. } = waiting;
        if self.channel.loses() {
            self.discard(DropReason::Loss, info, frame, end);
        } else {
            self.flight.push(frame, info, offered, end);
        }
    }

    #[cold]
    fn reject(
        &mut self,
        reason: DropReason,
        info: &FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        self.statistics.dropped(reason, info);
        Err(Rejected { frame, reason })
    }

    fn discard(&mut self, reason: DropReason, info: FrameInfo, frame: F, at: Time) {
        self.statistics.dropped(reason, &info);
        self.discarded.push_back(Dropped { frame, info, reason, at });
    }

    /// The cut: what propagates, what is on the line, what waits, oldest first.
    fn drop_everything(&mut self, now: Time) {
        while let Some(flying) = self.flight.take() {
            self.discard(DropReason::Down, flying.info, flying.frame, now);
        }
        if let Some((waiting, _)) = self.serving.take() {
            self.line.abort(now);
            self.discard(DropReason::Down, waiting.info, waiting.frame, now);
        }
        while let Some(waiting) = self.queue.pop() {
            self.discard(DropReason::Down, waiting.info, waiting.frame, now);
        }
        self.statistics.queue_changed(now, 0, 0);
    }
}
