//! Where frames wait for the line: what can be written, and the disciplines behind one trait.
//! Not here: the line itself; the frame on it does not count as waiting.
//!
//! | file | discipline |
//! |---|---|
//! | `fifo` | first in, first out, with tail or head drop |

mod config;
mod fifo;
mod limit;

use netloom_units::{Rate, Time};

use crate::{DropReason, Frame, FrameInfo, Framing, RateLimit, Stream};
pub use config::{Discipline, QueueChange, QueueConfig};
use fifo::Fifo;
pub use fifo::{DropFrom, FifoConfig};
pub(crate) use limit::Bound;
pub use limit::QueueLimit;

/// A frame between its arrival and the end of its serialization.
#[derive(Debug)]
pub(crate) struct Waiting<F> {
    pub frame: F,
    pub info: FrameInfo,
    /// What it takes on the line, framing included.
    pub line_bytes: u64,
    /// The arrival's number in this pipe, from 0.
    pub number: u64,
    pub offered: Time,
    /// Whether a discipline marked it (ECN).
    pub marked: bool,
}

/// A frame that a discipline dropped.
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
    /// The arrival's number.
    pub number: u64,
    pub info: FrameInfo,
}

impl<F> Effects<F> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.dropped.is_empty() && self.marked.is_empty()
    }
}

impl<F> Default for Effects<F> {
    fn default() -> Self {
        Self { dropped: Vec::new(), marked: Vec::new() }
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
    pub fn add<F>(&mut self, waiting: &Waiting<F>) {
        self.frames += u64::from(waiting.info.frames());
        self.bytes += waiting.info.bytes();
        self.line_bytes += waiting.line_bytes;
    }

    pub fn remove<F>(&mut self, waiting: &Waiting<F>) {
        self.frames -= u64::from(waiting.info.frames());
        self.bytes -= waiting.info.bytes();
        self.line_bytes -= waiting.line_bytes;
    }
}

/// A queue discipline: in which order frames leave, and which ones never do.
///
/// Every call happens at an exact time of the model; `now` never goes back. Frames that were taken in
/// and are dropped later go into `effects`, at the time they are dropped.
pub(crate) trait Schedule<F: Frame>: std::fmt::Debug + Send {
    /// Takes in `waiting`, or gives it back with the reason.
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Waiting<F>,
        bound: Bound,
        effects: &mut Effects<F>,
    ) -> Result<(), (Waiting<F>, DropReason)>;

    /// The next frame for the line, which is free at `now`. Whether anything waits decides whether
    /// there is one: a discipline that drops the last frame hands out none.
    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Waiting<F>>;

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// Everything that waits, in the order in which it would leave; the discipline is empty then.
    fn drain(&mut self) -> Vec<Waiting<F>>;

    /// Takes in a frame from another discipline whatever the limits: a change drops nothing.
    fn adopt(&mut self, now: Time, waiting: Waiting<F>);

    /// Visits everything that waits, and `backlog` anew afterwards.
    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64);
}

/// A queue with a limit in front of a discipline.
#[derive(Debug)]
pub(crate) struct Queue<F> {
    discipline: Kind<F>,
    config: QueueConfig,
    bound: Bound,
    stream: Stream,
    pub effects: Effects<F>,
}

/// FIFO in place, because nearly all queues are; all others behind a pointer.
#[derive(Debug)]
enum Kind<F> {
    Fifo(Fifo<F>),
    Other(Box<dyn Schedule<F>>),
}

macro_rules! each {
    ($kind:expr, $discipline:ident => $do:expr) => {
        match $kind {
            Kind::Fifo($discipline) => $do,
            Kind::Other($discipline) => $do,
        }
    };
}

impl<F: Frame> Queue<F> {
    pub fn new(config: QueueConfig, rate: Option<Rate>, stream: Stream) -> Self {
        let bound = Bound::of(config.limit, rate);
        let discipline = Kind::of(&config.discipline, &stream);
        Self { discipline, config, bound, stream, effects: Effects::default() }
    }

    /// Whether a super-frame has to be split before it comes here.
    pub fn wants_single_frames(&self) -> bool {
        !matches!(self.config.discipline, Discipline::Fifo(_))
            || matches!(self.config.limit, QueueLimit::Packets(_))
    }

    /// Whether the limits would leave room for a frame of `info` now.
    pub fn has_room(&self, info: &FrameInfo, line_bytes: u64) -> bool {
        self.bound.admits(self.backlog(), info, line_bytes)
    }

    #[inline]
    pub fn enqueue(
        &mut self,
        now: Time,
        waiting: Waiting<F>,
    ) -> Result<(), (Waiting<F>, DropReason)> {
        let (bound, effects) = (self.bound, &mut self.effects);
        each!(&mut self.discipline, discipline => discipline.enqueue(now, waiting, bound, effects))
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time) -> Option<Waiting<F>> {
        let effects = &mut self.effects;
        each!(&mut self.discipline, discipline => discipline.dequeue(now, effects))
    }

    #[inline]
    pub fn backlog(&self) -> Backlog {
        each!(&self.discipline, discipline => discipline.backlog())
    }

    /// Everything that waits, oldest first as far as the discipline knows.
    pub fn drain(&mut self) -> Vec<Waiting<F>> {
        each!(&mut self.discipline, discipline => discipline.drain())
    }

    /// New limits and discipline for frames to come; what waits stays, even above the limits.
    pub fn configure(&mut self, now: Time, config: &QueueConfig, rate: Option<Rate>) {
        self.bound = Bound::of(config.limit, rate);
        if config.discipline != self.config.discipline {
            let waiting = self.drain();
            self.discipline = Kind::of(&config.discipline, &self.stream);
            for frame in waiting {
                each!(&mut self.discipline, discipline => discipline.adopt(now, frame));
            }
        }
        self.config = config.clone();
    }

    /// The limits at another rate.
    pub fn set_rate(&mut self, rate: Option<Rate>) {
        self.bound = Bound::of(self.config.limit, rate);
    }

    /// New framing for everything that still waits.
    pub fn reframe(&mut self, rate: &RateLimit, framing: Framing) {
        let line_bytes = |info: &FrameInfo| rate.line_bytes(info, framing);
        each!(&mut self.discipline, discipline => discipline.reframe(&line_bytes));
    }
}

impl<F: Frame> Kind<F> {
    fn of(discipline: &Discipline, _stream: &Stream) -> Self {
        match discipline {
            Discipline::Fifo(config) => Self::Fifo(Fifo::new(*config)),
        }
    }
}
