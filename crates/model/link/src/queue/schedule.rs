//! The contract between the queue and its disciplines: the trait, and what passes through it.
//! Not here: any discipline.

use netloom_units::{Duration, Time};

use super::config::Discipline;
use super::limit::Room;
use crate::background::Carried;
use crate::{DropReason, Frame, FrameInfo};

/// A frame between its arrival and the end of its serialization.
#[derive(Debug)]
pub(crate) struct Waiting<F> {
    pub frame: Carried<F>,
    pub info: FrameInfo,
    /// What it takes on the line, framing included.
    pub line_bytes: u64,
    /// Its place among all that came to the queue, virtual frames included.
    pub order: u64,
    pub offered: Time,
    /// For how long it may have waited before it was offered.
    pub unseen: Duration,
    /// Whether a discipline marked it (ECN).
    pub marked: bool,
}

/// A frame that a discipline dropped after it had taken it in.
#[derive(Debug)]
pub(crate) struct Refused<F> {
    pub waiting: Waiting<F>,
    pub reason: DropReason,
    pub at: Time,
}

/// What a discipline did beside taking in and handing out.
#[derive(Debug)]
pub(crate) struct Effects<F> {
    /// Frames that it had taken in and dropped after all.
    pub dropped: Vec<Refused<F>>,
    /// Frames that it marked.
    pub marked: Vec<Marked>,
}

/// A frame that a discipline marked.
#[derive(Debug)]
pub(crate) struct Marked {
    /// The arrival's number; none of a virtual frame.
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

    pub fn drop(&mut self, at: Time, waiting: Waiting<F>, reason: DropReason) {
        self.dropped.push(Refused { waiting, reason, at });
    }
}

impl<F: Frame> Effects<F> {
    /// Marks `waiting` if its sender takes part in ECN (RFC 3168); otherwise the caller drops it.
    pub fn mark(&mut self, waiting: &mut Waiting<F>) -> bool {
        let takes_part = waiting.frame.header().is_some_and(|header| header.ecn.takes_part());
        if takes_part {
            waiting.frame.mark_congestion();
            waiting.marked = true;
            self.marked.push(Marked { number: waiting.frame.number(), info: waiting.info });
        }
        takes_part
    }
}

/// What waits: wire frames, their bytes, and those on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Backlog {
    pub frames: u64,
    pub bytes: u64,
    pub line_bytes: u64,
}

impl Backlog {
    #[inline]
    pub fn add<F>(&mut self, waiting: &Waiting<F>) {
        self.frames += u64::from(waiting.info.frames());
        self.bytes += waiting.info.bytes();
        self.line_bytes += waiting.line_bytes;
    }

    #[inline]
    pub fn remove<F>(&mut self, waiting: &Waiting<F>) {
        self.frames -= u64::from(waiting.info.frames());
        self.bytes -= waiting.info.bytes();
        self.line_bytes -= waiting.line_bytes;
    }

    /// A part of it has become another.
    #[inline]
    pub fn exchange(&mut self, before: Self, after: Self) {
        self.frames = self.frames - before.frames + after.frames;
        self.bytes = self.bytes - before.bytes + after.bytes;
        self.line_bytes = self.line_bytes - before.line_bytes + after.line_bytes;
    }
}

/// A frame that a discipline does not take in, and why.
pub(crate) type Rejection<F> = (Waiting<F>, DropReason);

/// A queue discipline: in which order frames leave, and which ones never do.
///
/// Every call happens at an exact time of the model; `now` never goes back. A frame that finds the
/// line free and nothing waiting comes through here as well (enqueued and at once dequeued), so that
/// averages, deficits and virtual times see it; [`Room`] then has no limits. Only FIFO is spared,
/// which has nothing to remember.
pub(crate) trait Schedule<F: Frame>: std::fmt::Debug + Send {
    /// Takes in `waiting`, or gives it back with the reason. Frames taken in earlier that have to go
    /// for it are in `effects` afterwards.
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Waiting<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>>;

    /// The next frame for the line, which is free at `now`; what the discipline drops on the way is
    /// in `effects`. `None` means that the line is idle from now on: nothing waits any more, or nothing
    /// that may leave before it [`opens`](Self::opens).
    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Waiting<F>>;

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// Moves everything that waits to `into`, in any order.
    fn drain(&mut self, into: &mut Vec<Waiting<F>>);

    /// Takes in a frame from another discipline whatever the limits: a change drops nothing.
    fn adopt(&mut self, now: Time, waiting: Waiting<F>);

    /// Takes over other parameters and keeps all state. `false`: it cannot, because they are another
    /// discipline's or classify frames in another way; it is then left as it was.
    fn configure(&mut self, now: Time, discipline: &Discipline) -> bool;

    /// When the first of the frames that wait may leave which may not now, though the line is free:
    /// those of a class at its cap.
    fn opens(&self) -> Option<Time> {
        None
    }

    /// Counts everything that waits anew, with `line_bytes` for what it takes on the line.
    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64);
}
