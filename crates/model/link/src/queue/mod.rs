//! The queue in which frames wait for the line: notation, and the disciplines behind one trait.
//! Not here: the line itself. The frame on it does not count as waiting.
//!
//! | file | what |
//! |---|---|
//! | `config` | the notation: [`QueueConfig`], [`Discipline`] |
//! | `limit`, `full` | the limit on what may wait, and the treatment of further frames |
//! | `discipline` | the trait of all disciplines, and the types in its methods |
//! | `store` | frames in order of arrival, the basis of all disciplines |
//! | `fifo`, `step`, `red`, `codel`, `pie` | disciplines with one queue |
//! | `dual_pi2` | two coupled queues |
//! | `flow`, `fq_codel` | the hash of flows; a queue for each flow |
//! | `classes`, `dscp`, `ecns`, `ports`, `prefix` | the class of a frame |
//! | `classful`, `class_queue`, `heap` | a queue for each class, which may have a discipline of its own |
//! | `alone` | a queue without a line behind it: [`FrameQueue`] |
//! | `caps` | caps on the rates of classes |
//! | `drr`, `wf2q`, `prio` | the order in which classes are served |

mod alone;
mod caps;
mod class_queue;
mod classes;
mod classful;
mod codel;
mod config;
mod discipline;
mod drr;
mod dscp;
mod dual_pi2;
mod ecns;
mod fifo;
mod flow;
mod fq_codel;
mod full;
mod heap;
mod limit;
mod pie;
mod ports;
mod prefix;
mod prio;
mod red;
mod step;
mod store;
mod wf2q;

#[cfg(test)]
#[path = "tests/lifo.rs"]
mod lifo_of_the_guide;
#[cfg(test)]
mod tests;

use netloom_units::{Rate, Time};

use crate::background::FluidProcess;
use crate::statistics::AqmState;
use crate::{Frame, FrameInfo, Framing, RateLimit, Stream};
use class_queue::InClass;
use classful::{Classful, Policy};
use codel::Codel;
use discipline::{Effects, QueueDiscipline};
use drr::Drr;
use dual_pi2::DualPi2;
use fifo::Fifo;
use fq_codel::FqCodel;
use limit::Room;
use pie::Pie;
use prio::Prio;
use red::Red;
use step::Step;
use wf2q::Wf2q;

pub use alone::{FrameQueue, QueuedFrame};
pub use classes::{ClassConfig, ClassMatch};
pub use codel::CodelConfig;
pub use config::{Discipline, QueueChange, QueueConfig};
pub(crate) use discipline::{Backlog, Marked, Queued, Refused, Rejection};
pub use drr::DrrConfig;
pub use dscp::{Dscp, Dscps};
pub use dual_pi2::DualPi2Config;
pub use ecns::Ecns;
pub use fifo::{DropFrom, FifoConfig};
pub use fq_codel::FqCodelConfig;
pub use full::WhenFull;
pub(crate) use limit::Bound;
pub use limit::QueueLimit;
pub use pie::PieConfig;
pub use ports::{Ports, UpperLayer};
pub use prefix::Prefix;
pub use prio::PrioConfig;
pub use red::{ByDscp, RedConfig, RedThresholds};
pub use step::StepConfig;
pub use wf2q::Wf2qConfig;

/// A queue with a limit in front of a discipline.
#[derive(Debug)]
pub(crate) struct Queue<F> {
    discipline: Kind<F>,
    config: QueueConfig,
    bound: Bound,
    rate: Option<Rate>,
    /// Whether any class has a cap.
    capped: bool,
    stream: Stream,
    pub effects: Effects<F>,
}

/// FIFO is stored in place, because nearly all queues use it; all other disciplines are boxed.
#[derive(Debug)]
enum Kind<F> {
    Fifo(Fifo<F>),
    /// A discipline that a class may have, too.
    Single(Box<dyn InClass<F>>),
    /// A discipline with several queues, which no class may have.
    Classes(Box<dyn QueueDiscipline<F>>),
}

macro_rules! each {
    ($kind:expr, $discipline:ident => $do:expr) => {
        match $kind {
            Kind::Fifo($discipline) => $do,
            Kind::Single($discipline) => $do,
            Kind::Classes($discipline) => $do,
        }
    };
}

impl<F: Frame> Queue<F> {
    pub fn new(config: QueueConfig, rate: Option<Rate>, stream: Stream) -> Self {
        let bound = Bound::of(config.limit, rate);
        let discipline = Kind::of(&config.discipline, &stream);
        let capped = config.discipline.has_caps();
        Self { discipline, config, bound, rate, capped, stream, effects: Effects::default() }
    }

    fn is_fifo(&self) -> bool {
        matches!(self.discipline, Kind::Fifo(_))
    }

    /// Whether a super-frame must be split before it comes here.
    pub fn wants_single_frames(&self) -> bool {
        !self.is_fifo() || matches!(self.config.limit, QueueLimit::Packets(_))
    }

    /// Whether the limits leave room for a frame of `info` now.
    pub fn has_room(&self, info: &FrameInfo, line_bytes: u64) -> bool {
        self.bound.admits(self.backlog(), info, line_bytes)
    }

    /// Whether the queue makes its source wait and has no room even for the shortest frame, which
    /// takes `line_bytes`.
    #[inline]
    pub fn is_full(&self, line_bytes: u64) -> bool {
        self.config.full == WhenFull::Wait
            && !self.bound.admits(self.backlog(), &FrameInfo::single(0), line_bytes)
    }

    /// Adds a frame that finds the line busy. If the queue makes its source wait, frames that were
    /// already read are added regardless of the limits.
    #[inline]
    pub fn enqueue(&mut self, now: Time, waiting: Queued<F>) -> Result<(), Rejection<F>> {
        let bound = match self.config.full {
            WhenFull::Drop => self.bound,
            WhenFull::Wait => Bound::NONE,
        };
        let rate = self.rate;
        let room = Room { bound, rate, line_free: false, idle: false };
        let effects = &mut self.effects;
        each!(&mut self.discipline, discipline => discipline.enqueue(now, waiting, room, effects))
    }

    /// Whether frames that find the line free must go through [`pass`](Self::pass). This is so for
    /// every discipline but FIFO, because the discipline keeps track of them. Without a rate there
    /// is no queue, except for classes with caps.
    #[inline]
    pub fn looks_at_all(&self) -> bool {
        !self.is_fifo() && (self.rate.is_some() || self.capped)
    }

    /// Passes a frame through that finds the line free and no waiting frame that may leave. Limits
    /// do not apply to it, but active queue management may drop it. Returns `None` if it waits
    /// because its class is at its cap.
    pub fn pass(
        &mut self,
        now: Time,
        waiting: Queued<F>,
    ) -> Result<Option<Queued<F>>, Rejection<F>> {
        let room = Room { bound: self.bound, rate: self.rate, line_free: true, idle: true };
        let effects = &mut self.effects;
        each!(&mut self.discipline, discipline => {
            discipline.enqueue(now, waiting, room, effects)?;
            Ok(discipline.dequeue(now, effects))
        })
    }

    /// Time at which the first waiting frame may leave, if the line is free and none may leave now.
    #[inline]
    pub fn opens(&self) -> Option<Time> {
        match &self.discipline {
            Kind::Classes(classes) if self.capped => classes.opens(),
            _ => None,
        }
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time) -> Option<Queued<F>> {
        let effects = &mut self.effects;
        each!(&mut self.discipline, discipline => discipline.dequeue(now, effects))
    }

    #[inline]
    pub fn backlog(&self) -> Backlog {
        each!(&self.discipline, discipline => discipline.backlog())
    }

    /// State of active queue management at `now`, if there is any.
    pub fn state(&self, now: Time) -> Option<AqmState> {
        each!(&self.discipline, discipline => discipline.state(now, self.rate))
    }

    /// Limit on what may wait, at the current rate.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Adds a frame regardless of the limits.
    pub fn push(&mut self, now: Time, waiting: Queued<F>) {
        each!(&mut self.discipline, discipline => discipline.adopt(now, waiting));
    }

    /// All waiting frames, in the order in which they leave; `None` if later arrivals may change
    /// it.
    pub fn in_order(&self) -> Option<impl Iterator<Item = &Queued<F>>> {
        match &self.discipline {
            Kind::Fifo(fifo) => fifo.in_order(),
            Kind::Single(_) | Kind::Classes(_) => None,
        }
    }

    /// Whether `fluid` waits in front of the first frame.
    pub fn stands_behind(&self, fluid: &FluidProcess) -> bool {
        let first = self.in_order().and_then(|mut waiting| waiting.next());
        first.is_some_and(|first| fluid.is_ahead_of(first.order))
    }

    /// Removes and returns all waiting frames, oldest first.
    pub fn drain(&mut self) -> Vec<Queued<F>> {
        let mut waiting = Vec::new();
        each!(&mut self.discipline, discipline => discipline.drain(&mut waiting));
        waiting.sort_unstable_by_key(|waiting| waiting.order);
        waiting
    }

    /// Sets limits and discipline for the following frames. Waiting frames stay, even above the
    /// limits. Another discipline takes them over in the order of arrival, and then serves them in
    /// its own order.
    pub fn configure(&mut self, now: Time, config: &QueueConfig, rate: Option<Rate>) {
        let wanted = &config.discipline;
        let keeps_state = *wanted == self.config.discipline
            || each!(&mut self.discipline, discipline => discipline.configure(now, wanted));
        if !keeps_state {
            let waiting = self.drain();
            self.discipline = Kind::of(&config.discipline, &self.stream);
            for frame in waiting {
                each!(&mut self.discipline, discipline => discipline.adopt(now, frame));
            }
        }
        self.config = config.clone();
        self.capped = config.discipline.has_caps();
        self.set_rate(rate);
    }

    /// Applies the limits at another rate.
    pub fn set_rate(&mut self, rate: Option<Rate>) {
        self.bound = Bound::of(self.config.limit, rate);
        self.rate = rate;
    }

    /// Applies a framing to all frames that still wait.
    pub fn reframe(&mut self, rate: &RateLimit, framing: Framing) {
        let line_bytes = |info: &FrameInfo| rate.line_bytes(info, framing);
        each!(&mut self.discipline, discipline => discipline.reframe(&line_bytes));
    }
}

impl<F: Frame> Kind<F> {
    fn of(discipline: &Discipline, stream: &Stream) -> Self {
        let single: Box<dyn InClass<F>> = match discipline {
            Discipline::Fifo(config) => return Self::Fifo(Fifo::new(*config)),
            Discipline::Red(config) => Box::new(Red::new(config.clone(), stream)),
            Discipline::Step(config) => Box::new(Step::new(*config)),
            Discipline::Codel(config) => Box::new(Codel::new(*config)),
            Discipline::FqCodel(config) => Box::new(FqCodel::new(*config, stream)),
            Discipline::Pie(config) => Box::new(Pie::new(*config, stream)),
            Discipline::DualPi2(config) => {
                return Self::Classes(Box::new(DualPi2::new(*config)));
            }
            Discipline::Drr(config) => return Self::classes::<Drr>(config, stream),
            Discipline::Wf2q(config) => return Self::classes::<Wf2q>(config, stream),
            Discipline::Prio(config) => return Self::classes::<Prio>(config, stream),
        };
        Self::Single(single)
    }

    fn classes<P: Policy + 'static>(config: &P::Config, stream: &Stream) -> Self {
        Self::Classes(Box::new(Classful::<F, P>::new(config, stream)))
    }
}
