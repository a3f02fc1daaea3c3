//! Propagation: the frames that have left the line and not arrived yet. Not here: loss (`channel`).
//!
//! | file | what |
//! |---|---|
//! | `delay` | the propagation delay |
//! | `compensation` | the time that the machine takes for a frame, subtracted from the delay |
//! | `jitter` | the variation of the delay from frame to frame |
//! | `reorder` | the frames that are sent out of turn |
//! | `order` | the frames in flight, in the order of their release |

mod compensation;
mod delay;
mod jitter;
mod order;
mod reorder;

use netloom_units::{Duration, Offset, Time};

pub use compensation::Compensation;
use delay::DelayClock;
pub use delay::{Delay, DelayPoint, DelaySchedule};
use jitter::JitterProcess;
pub use jitter::{DistributionTable, Jitter, JitterDistribution, Offsets};
pub(crate) use order::Flying;
use order::ReleaseOrder;
pub use reorder::{Reorder, Reordering};
use reorder::{ReorderProcess, Turn};

use crate::{FrameInfo, Passage, PipeChange, PipeConfig, Stream};

/// The frames in flight of one pipe, in the order of their release.
#[derive(Debug)]
pub(crate) struct Flight<F> {
    order: ReleaseOrder<F>,
    delay: DelayClock,
    compensation: Compensation,
    jitter: JitterProcess,
    reorder: ReorderProcess,
    /// The shortest time that a frame can take.
    shortest: Duration,
    /// The latest release so far. Unless reordering is configured, no frame overtakes another, even
    /// when the delay shrinks.
    last: Time,
    pub frames: u64,
    pub bytes: u64,
}

impl<F> Flight<F> {
    pub fn new(config: &PipeConfig, stream: &Stream, now: Time) -> Self {
        let mut flight = Self {
            order: ReleaseOrder::new(),
            delay: DelayClock::new(&config.delay, now),
            compensation: config.compensate,
            jitter: JitterProcess::new(&config.jitter, stream),
            reorder: ReorderProcess::new(config.reorder, stream),
            shortest: Duration::ZERO,
            last: Time::ZERO,
            frames: 0,
            bytes: 0,
        };
        flight.find_shortest();
        flight
    }

    /// Sets the properties for frames that have yet to leave the line. Unchanged properties keep
    /// their state.
    pub fn configure(&mut self, old: &PipeConfig, new: &PipeConfig, now: Time) {
        if new.delay != old.delay {
            self.delay = DelayClock::new(&new.delay, now);
        }
        self.compensation = new.compensate;
        if new.jitter != old.jitter {
            self.jitter.configure(&new.jitter);
        }
        if new.reorder != old.reorder {
            self.reorder.configure(new.reorder);
        }
        self.find_shortest();
    }

    /// Restarts a delay that changes with time at `now`, for frames that have yet to leave the
    /// line.
    pub fn begin(&mut self, now: Time) {
        self.delay.begin(now);
    }

    /// Whether random numbers are drawn for each frame, so super-frames must be split.
    pub fn draws_per_frame(&self) -> bool {
        self.jitter.is_some() || self.reorder.is_some()
    }

    /// Whether frames arrive in the order in which they leave the line.
    #[inline]
    pub fn keeps_order(&self) -> bool {
        !self.reorder.is_some()
    }

    /// Returns the earliest arrival of a frame that leaves the line at `end`. Without jitter and
    /// reordering, this is its exact arrival.
    #[inline]
    pub fn earliest(&self, end: Time) -> Time {
        let least = match self.delay.is_constant() || self.reorder.skips_delay() {
            true => self.shortest,
            false => shifted(self.propagation(end), self.jitter.shortest()),
        };
        self.behind_the_last(end + least)
    }

    /// Adds a frame that leaves the line. Returns its arrival.
    #[inline]
    pub fn push(&mut self, frame: F, info: FrameInfo, passage: Passage) -> Time {
        let end = passage.serialized;
        let release = if self.draws_per_frame() { self.draw(end) } else { self.earliest(end) };
        self.last = self.last.max(release);
        self.frames += u64::from(info.frames());
        self.bytes += info.bytes();
        self.order.push(Flying { frame, info, passage, release });
        release
    }

    /// Time at which the next frame arrives.
    #[inline]
    pub fn next_release(&self) -> Option<Time> {
        self.order.next_release()
    }

    /// Removes and returns the next frame that has arrived by `now`.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<Flying<F>> {
        if self.next_release()? > now { None } else { self.pop() }
    }

    /// Removes and returns the next frame, whether it has arrived or not. Once none is left, later
    /// frames need not keep behind the earlier ones.
    pub fn take(&mut self) -> Option<Flying<F>> {
        let flying = self.pop();
        if flying.is_none() {
            self.last = Time::ZERO;
        }
        flying
    }

    fn pop(&mut self) -> Option<Flying<F>> {
        let flying = self.order.pop()?;
        self.frames -= u64::from(flying.info.frames());
        self.bytes -= flying.info.bytes();
        Some(flying)
    }

    /// Draws the arrival of a frame that leaves the line at `end`.
    fn draw(&mut self, end: Time) -> Time {
        let turn = self.reorder.next();
        if turn == Turn::AtOnce {
            return end;
        }
        let release = end + shifted(self.propagation(end), self.jitter.next());
        match turn {
            Turn::Late(extra) => release + extra,
            Turn::Kept | Turn::AtOnce => self.behind_the_last(release),
        }
    }

    /// Propagation time of a frame that leaves the line at `end`, without jitter.
    #[inline]
    fn propagation(&self, end: Time) -> Duration {
        self.compensation.shortens(self.delay.at(end))
    }

    /// Returns `release`, or the latest release so far if that is later and the order is kept.
    #[inline]
    fn behind_the_last(&self, release: Time) -> Time {
        if self.keeps_order() { release.max(self.last) } else { release }
    }

    fn find_shortest(&mut self) {
        self.shortest = if self.reorder.skips_delay() {
            Duration::ZERO
        } else {
            let least = self.delay.least();
            let least = match self.delay.is_constant() {
                true => self.compensation.shortens(least),
                false => self.compensation.bound(least),
            };
            shifted(least, self.jitter.shortest())
        };
    }
}

/// Shortest time that a frame propagates in a pipe with `config`.
pub fn least_propagation(config: &PipeConfig) -> Duration {
    // This draws nothing, so any stream will do.
    Flight::<()>::new(config, &Stream::new(0, ""), Time::ZERO).shortest
}

/// Shortest time that a frame ever propagates in a pipe that begins with `config` and undergoes
/// `changes`, one after the other.
pub fn least_propagation_ever<'c>(
    config: &PipeConfig,
    changes: impl IntoIterator<Item = &'c PipeChange>,
) -> Duration {
    let mut config = config.clone();
    let mut least = least_propagation(&config);
    for change in changes.into_iter().filter(|change| change.concerns_propagation()) {
        change.apply_to(&mut config);
        least = least.min(least_propagation(&config));
    }
    least
}

impl PipeChange {
    /// Whether frames may propagate faster, or slower, because of this change.
    pub fn concerns_propagation(&self) -> bool {
        let PipeChange { delay, compensate, jitter, reorder, .. } = self;
        delay.is_some() || compensate.is_some() || jitter.is_some() || reorder.is_some()
    }
}

/// Adds `offset` to `delay`. The result is never negative.
fn shifted(delay: Duration, offset: Offset) -> Duration {
    let change = Duration::from_nanos(offset.as_nanos().unsigned_abs());
    if offset < Offset::ZERO { delay.saturating_sub(change) } else { delay + change }
}
