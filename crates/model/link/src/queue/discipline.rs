//! The contract between the queue and its disciplines: the trait, and the types in its methods.
//! Not here: any discipline.

use netloom_units::{Duration, Rate, Time};

use super::config::Discipline;
use super::limit::Room;
use crate::background::LineFrame;
use crate::statistics::AqmState;
use crate::{DropReason, Frame, FrameInfo};

/// A frame between its arrival and the end of its serialization.
#[derive(Debug)]
pub(crate) struct Queued<F> {
    pub frame: LineFrame<F>,
    pub info: FrameInfo,
    /// Bytes that it takes on the line, framing included.
    pub line_bytes: u64,
    /// Its place among all arrivals at the pipe, virtual frames included.
    pub order: u64,
    pub offered: Time,
    /// Time for which it may have waited before it was offered.
    pub arrival_uncertainty: Duration,
    /// Whether a discipline marked it (ECN).
    pub marked: bool,
}

/// A frame that a discipline accepted and dropped later.
#[derive(Debug)]
pub(crate) struct Refused<F> {
    pub waiting: Queued<F>,
    pub reason: DropReason,
    pub at: Time,
}

/// The results of a discipline beside accepting and returning frames.
#[derive(Debug)]
pub(crate) struct Effects<F> {
    /// Frames that it accepted and dropped later.
    pub dropped: Vec<Refused<F>>,
    /// Frames that it marked.
    pub marked: Vec<Marked>,
}

/// A frame that a discipline marked.
#[derive(Debug)]
pub(crate) struct Marked {
    /// Number of the arrival; `None` for a virtual frame.
    pub number: Option<u64>,
    pub info: FrameInfo,
}

impl<F> Default for Effects<F> {
    fn default() -> Self {
        Self { dropped: Vec::new(), marked: Vec::new() }
    }
}

impl<F> Effects<F> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.marked.is_empty()
    }

    pub fn drop(&mut self, at: Time, waiting: Queued<F>, reason: DropReason) {
        self.dropped.push(Refused { waiting, reason, at });
    }
}

impl<F: Frame> Effects<F> {
    /// Marks `waiting` and returns `true` if it is ECN-capable (RFC 3168). Otherwise the caller
    /// drops it.
    pub fn mark(&mut self, waiting: &mut Queued<F>) -> bool {
        let takes_part = waiting.frame.header().is_some_and(|header| header.ecn.takes_part());
        if takes_part {
            waiting.frame.mark_congestion();
            waiting.marked = true;
            self.marked.push(Marked { number: waiting.frame.number(), info: waiting.info });
        }
        takes_part
    }
}

/// Number of waiting wire frames, their bytes, and their bytes on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Backlog {
    pub frames: u64,
    pub bytes: u64,
    pub line_bytes: u64,
}

impl Backlog {
    #[inline]
    pub fn add<F>(&mut self, waiting: &Queued<F>) {
        self.frames += u64::from(waiting.info.frames());
        self.bytes += waiting.info.bytes();
        self.line_bytes += waiting.line_bytes;
    }

    #[inline]
    pub fn remove<F>(&mut self, waiting: &Queued<F>) {
        self.frames -= u64::from(waiting.info.frames());
        self.bytes -= waiting.info.bytes();
        self.line_bytes -= waiting.line_bytes;
    }

    /// Replaces the part `before` by `after`.
    #[inline]
    pub fn exchange(&mut self, before: Self, after: Self) {
        self.frames = self.frames - before.frames + after.frames;
        self.bytes = self.bytes - before.bytes + after.bytes;
        self.line_bytes = self.line_bytes - before.line_bytes + after.line_bytes;
    }
}

/// A frame that a discipline rejects, with the reason.
pub(crate) type Rejection<F> = (Queued<F>, DropReason);

/// A queue discipline: the order in which frames leave, and which frames are dropped.
///
/// Every call happens at an exact time of the model; `now` never goes back. A frame that finds the
/// line free and nothing waiting also passes through the discipline (it is enqueued and dequeued at
/// once), so averages, deficits and virtual times include it. [`Room`] then has no limits. Only
/// FIFO is skipped, because it has no such state.
pub(crate) trait QueueDiscipline<F: Frame>: std::fmt::Debug + Send {
    /// Adds `waiting`, or returns it with the reason. Frames that were accepted earlier and are
    /// dropped for it are added to `effects`.
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>>;

    /// Removes and returns the next frame for the line, which is free at `now`. Frames that the
    /// discipline drops meanwhile are added to `effects`. `None` means that the line is idle from
    /// now on: nothing waits, or nothing that may leave before the discipline
    /// [`opens`](Self::opens).
    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Queued<F>>;

    /// Returns the amount that waits.
    fn backlog(&self) -> Backlog;

    /// Moves all waiting frames to `into`, in any order.
    fn drain(&mut self, into: &mut Vec<Queued<F>>);

    /// Adds a frame from another discipline regardless of the limits: a change drops nothing.
    fn adopt(&mut self, now: Time, waiting: Queued<F>);

    /// Applies other parameters and keeps all state. Returns `false`, and changes nothing, if that
    /// is impossible, because they belong to another discipline or classify frames differently.
    fn configure(&mut self, now: Time, discipline: &Discipline) -> bool;

    /// Returns the time at which the first waiting frame may leave, if none may leave now although
    /// the line is free, because their classes are at their caps.
    fn opens(&self) -> Option<Time> {
        None
    }

    /// Returns the state of active queue management at `now`. `None` if the discipline has none.
    fn state(&self, now: Time, rate: Option<Rate>) -> Option<AqmState> {
        let _ = (now, rate);
        None
    }

    /// Computes the length on the line of all waiting frames anew by `line_bytes`.
    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64);
}
