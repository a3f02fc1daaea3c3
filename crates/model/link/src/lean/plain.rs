//! The state machine of a plain pipe. When a frame is offered, all of its future is known: its
//! place in the queue, on the line and at the far end. Not here: any other pipe.

use netloom_units::{Duration, Framing, Probability, Rate, Size, Time};

use super::slots::{FrameSlots, NONE, Slot};
use crate::line::LineClock;
use crate::pipe::Restored;
use crate::queue::Bound;
use crate::receiver::ReceiverLimit;
use crate::statistics::{Collector, PlainCounters};
use crate::{
    Announced, BitErrorRate, Compensation, Count, Delay, Delivery, Discipline, DropFrom,
    DropReason, FifoConfig, Frame, FrameInfo, Jitter, LinkState, Loss, PipeConfig, RateLimit,
    Rejected, Reorder, WhenFull,
};

/// The state of a plain pipe. Frames are a list in [`FrameSlots`], in order: those that propagate,
/// the one on the line, those that wait.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Plain {
    /// Latest time that was passed in.
    pub now: Time,
    /// The line, with all frames that wait; unused without a rate.
    pub clock: LineClock,
    /// Release of the first frame, if there is one.
    next: Time,
    /// Time at which the first frame that waits goes on the line; [`Time::MAX`] if none waits.
    pub waits_until: Time,
    pub first: u32,
    last: u32,
    /// The first frame that waits.
    pub first_waiting: u32,
    /// The first frame that was not announced; [`NONE`] if none is to be announced.
    pub unsent: u32,
    pub delay: Duration,
    /// Sum of all service times, of waiting frames, too, in ns.
    pub committed: u64,
    /// Number of frames that were offered.
    pub arrivals: u64,
    framing: Framing,
    /// Longest frame that passes, in bytes.
    longest: u32,
    pub has_rate: bool,
    /// Whether copies of frames that leave the line are wanted.
    pub keeps_sent: bool,
    offered: Count,
    pub counters: PlainCounters,
    bound: Bound,
    /// Number of frames that left the line while copies were kept.
    pub sent: u64,
}

impl Default for Plain {
    fn default() -> Self {
        Self {
            now: Time::ZERO,
            clock: LineClock::new(Rate::MAX, Time::ZERO),
            delay: Duration::ZERO,
            next: Time::MAX,
            first: NONE,
            last: NONE,
            first_waiting: NONE,
            unsent: NONE,
            waits_until: Time::MAX,
            counters: PlainCounters::default(),
            committed: 0,
            arrivals: 0,
            framing: Framing::Ethernet,
            offered: Count::default(),
            longest: u32::MAX,
            has_rate: false,
            keeps_sent: false,
            bound: Bound::NONE,
            sent: 0,
        }
    }
}

/// Whether a pipe with `config` is plain, if it is in no special state.
pub(super) fn is_plain(config: &PipeConfig) -> bool {
    plain(config).is_some()
}

/// Returns the rate and the delay of a plain pipe; `None` if a pipe with `config` is not plain.
fn plain(config: &PipeConfig) -> Option<(Option<Rate>, Duration)> {
    let PipeConfig {
        rate,
        burst,
        framing: _,
        pipe_mtu: _,
        condition,
        queue,
        background,
        mac_overhead,
        delay,
        compensate,
        jitter,
        loss,
        ber,
        bit_errors: _,
        corrupt,
        duplicate,
        reorder,
        state,
        in_flight: _,
    } = config;
    let rate = match rate {
        RateLimit::Unlimited => None,
        RateLimit::Limited(rate) => Some(*rate),
        RateLimit::Trace(_) | RateLimit::Schedule(_) => return None,
    };
    let Delay::Constant(delay) = delay else { return None };
    let fifo = Discipline::Fifo(FifoConfig { drop: DropFrom::Tail });
    let has_queue = queue.discipline == fifo && queue.full == WhenFull::Drop;
    let has_line = *burst == Size::default()
        && condition.is_none()
        && background.is_none()
        && mac_overhead.values().is_some_and(|profile| profile.is_empty());
    let is_clear = *loss == Loss::NONE
        && *ber == BitErrorRate::default()
        && [*corrupt, *duplicate] == [Probability::ZERO; 2];
    let is_even = *jitter == Jitter::default()
        && *reorder == Reorder::None
        && *compensate == Compensation::None;
    let is_plain = has_queue && has_line && is_clear && is_even && *state == LinkState::Up;
    is_plain.then_some((rate, *delay))
}

impl Plain {
    /// Returns an empty pipe that begins at `start`; `None` if a pipe with `config` is not plain.
    pub fn of(config: &PipeConfig, start: Time) -> Option<Self> {
        let (rate, delay) = plain(config)?;
        let mut new = Self {
            now: start,
            clock: LineClock::new(rate.unwrap_or(Rate::MAX), start),
            delay,
            framing: config.framing,
            has_rate: rate.is_some(),
            bound: Bound::of(config.queue.limit, rate),
            ..Self::default()
        };
        new.limit(config, ReceiverLimit::NONE);
        Some(new)
    }

    /// Continues from the state of an empty pipe.
    pub fn resume(&mut self, rest: &Restored) {
        let (clock, committed) = &rest.line;
        if let Some(clock) = clock {
            self.clock = clock.clone();
        }
        (self.committed, self.arrivals, self.sent) = (*committed, rest.arrivals, rest.sent);
    }

    /// Returns the counts of the pipe, whose statistics begin at `since`, together with `earlier`
    /// ones.
    pub fn collected(&self, since: Time, earlier: Option<&Collector>) -> Collector {
        self.counters.collected(self.offered, self.now, since, earlier)
    }

    /// Limits the length of frames.
    pub fn limit(&mut self, config: &PipeConfig, receiver: ReceiverLimit) {
        self.longest = config.pipe_mtu.longest().min(receiver.longest());
    }

    /// Sets whether copies of frames that leave the line are kept.
    pub fn keep_sent(&mut self, wanted: bool) {
        self.keeps_sent = wanted;
    }

    /// Whether a plain pipe can handle this frame.
    #[inline]
    pub fn takes(&self, info: &FrameInfo) -> bool {
        info.frames() == 1 && info.largest() <= self.longest
    }

    /// Time at which the first frame arrives at the far end.
    #[inline]
    pub fn next_release(&self) -> Option<Time> {
        (self.first != NONE).then_some(self.next)
    }

    /// Whether the first frame has yet to be announced.
    #[inline]
    pub fn is_first_unsent(&self) -> bool {
        self.unsent != NONE && self.unsent == self.first
    }

    /// Offers a frame that the pipe [takes](Self::takes).
    #[inline]
    pub fn offer<F: Frame>(
        &mut self,
        frames: &mut FrameSlots<F>,
        now: Time,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        self.reach(frames, now);
        let (now, number) = (self.now, self.arrivals);
        self.arrivals += 1;
        if self.first_waiting != NONE {
            self.counters.found_waiting();
        }
        self.offered.add(&info);
        let (mut started, mut end) = (now, now);
        if self.has_rate {
            let line_bytes = info.line_bytes(self.framing);
            let free = self.clock.busy_until();
            let waits = free > now;
            if waits {
                if !self.bound.admits(self.counters.backlog(), &info, line_bytes) {
                    let reason = DropReason::QueueFull;
                    self.counters.rejected(now, &info);
                    return Err(Rejected { frame, number, reason });
                }
                self.counters.joins(now, &info, line_bytes);
                started = free;
            }
            end = self.clock.send(now, line_bytes, Duration::ZERO);
            self.committed = self.committed.saturating_add(end.since(started).as_nanos());
            if waits && self.first_waiting == NONE {
                (self.first_waiting, self.waits_until) = (frames.next_place(), started);
            }
        }
        let release = end + self.delay;
        let slot = Slot::new(now, started, release, number, info.largest());
        let place = frames.add(frame, slot);
        if self.first == NONE {
            (self.first, self.next) = (place, release);
        } else {
            frames.get_mut(self.last).next = place;
        }
        self.last = place;
        if self.keeps_sent && self.unsent == NONE {
            self.unsent = place;
        }
        Ok(())
    }

    /// Lets frames that wait go on the line up to `now`.
    #[inline]
    pub fn reach<F: Frame>(&mut self, frames: &FrameSlots<F>, now: Time) {
        self.now = self.now.max(now);
        if self.waits_until <= self.now {
            self.leave_queue(frames);
        }
    }

    fn leave_queue<F: Frame>(&mut self, frames: &FrameSlots<F>) {
        while self.waits_until <= self.now {
            let slot = frames.get(self.first_waiting);
            let info = slot.info();
            self.counters.leaves(self.waits_until, &info, info.line_bytes(self.framing));
            self.first_waiting = slot.next;
            self.waits_until = match slot.next {
                NONE => Time::MAX,
                next => frames.get(next).started,
            };
        }
    }

    /// Returns the next frame whose release is not after `now`.
    #[inline]
    pub fn poll<F: Frame>(&mut self, frames: &mut FrameSlots<F>, now: Time) -> Option<Delivery<F>> {
        self.reach(frames, now);
        if self.first == NONE || self.next > self.now {
            return None;
        }
        let (delivery, next) = frames.take(self.first, self.delay)?;
        self.first = next;
        if next != NONE {
            self.next = frames.get(next).release;
        }
        let Delivery { info, passage, release, .. } = &delivery;
        self.counters.delivered(info, release.since(passage.offered));
        Some(delivery)
    }

    /// Returns a copy of the next frame that has left the line. The pipe has been cut `cuts` times.
    #[inline]
    pub fn poll_sent<F: Frame>(
        &mut self,
        frames: &FrameSlots<F>,
        cuts: u32,
    ) -> Option<Announced<F>> {
        if self.next_line_end(frames)? > self.now {
            return None;
        }
        let delivery = frames.copy(self.unsent, self.delay)?;
        let sequence = self.sent;
        self.sent += 1;
        self.unsent = frames.get(self.unsent).next;
        Some(Announced { delivery, sequence, cuts })
    }

    /// Time at which the first frame that was not announced leaves the line.
    #[inline]
    pub fn next_line_end<F: Frame>(&self, frames: &FrameSlots<F>) -> Option<Time> {
        if self.unsent == NONE {
            return None;
        }
        Some(frames.get(self.unsent).serialized(self.delay))
    }

    /// Limit of the queue; `None` if nothing ever waits.
    pub fn bound(&self) -> Option<Bound> {
        self.has_rate.then_some(self.bound)
    }

    /// Time that the line has spent sending up to now, in ns.
    pub fn busy(&self) -> u64 {
        self.committed.saturating_sub(self.clock.busy_until().since(self.now).as_nanos())
    }

    /// Bytes that a frame takes on the line.
    pub fn line_bytes(&self, info: &FrameInfo) -> u64 {
        info.line_bytes(self.framing)
    }
}
