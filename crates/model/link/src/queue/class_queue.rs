//! The queue of one class: frames in order, or a discipline of the class's own. Not here: the class
//! of a frame (`classes`), and the order in which classes are served (`classful`).

use netloom_units::Time;

use super::Kind;
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::limit::Room;
use super::store::Store;
use crate::{Frame, FrameInfo, Stream};

/// The additional abilities of a discipline in a class. No such discipline drops its last frame on
/// the way out.
pub(super) trait InClass<F: Frame>: QueueDiscipline<F> {
    /// Bytes on the line of the next frame to leave, if nothing is dropped on the way out.
    fn head_line_bytes(&self) -> Option<u64>;

    /// Removes and returns the frame that is dropped when the queue of all classes is full.
    fn give_up(&mut self) -> Option<Queued<F>>;
}

/// A plain queue is stored in place, because most classes have one; all other disciplines are
/// boxed.
#[derive(Debug)]
pub(super) enum ClassQueue<F> {
    Plain(Store<F>),
    Own(Box<dyn InClass<F>>),
}

impl<F: Frame> ClassQueue<F> {
    /// Creates an empty queue of class number `class`, with `discipline` if the class has one of
    /// its own. Its random numbers come from the `stream` of the whole queue.
    pub fn new(discipline: Option<&Discipline>, class: usize, stream: &Stream) -> Self {
        let kind = |own| Kind::of(own, &stream.fork(&format!("class {class}")));
        match discipline.map(kind) {
            Some(Kind::Fifo(fifo)) => Self::Own(Box::new(fifo)),
            Some(Kind::Single(single)) => Self::Own(single),
            // `check` rejects classes within classes.
            Some(Kind::Classes(_)) | None => Self::Plain(Store::default()),
        }
    }

    #[inline]
    pub fn backlog(&self) -> Backlog {
        match self {
            Self::Plain(store) => store.backlog(),
            Self::Own(own) => own.backlog(),
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Plain(store) => store.is_empty(),
            Self::Own(own) => own.backlog().frames == 0,
        }
    }

    /// Bytes on the line of the next frame to leave, if nothing is dropped on the way out.
    #[inline]
    pub fn head_line_bytes(&self) -> Option<u64> {
        match self {
            Self::Plain(store) => store.head_line_bytes(),
            Self::Own(own) => own.head_line_bytes(),
        }
    }

    /// Adds a frame. The discipline may drop it, or others for it.
    pub fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        match self {
            Self::Plain(store) => {
                store.push(waiting);
                Ok(())
            }
            Self::Own(own) => own.enqueue(now, waiting, room, effects),
        }
    }

    /// Adds a frame regardless of the limits.
    pub fn adopt(&mut self, now: Time, waiting: Queued<F>) {
        match self {
            Self::Plain(store) => store.push(waiting),
            Self::Own(own) => own.adopt(now, waiting),
        }
    }

    /// Removes and returns the next frame for the line.
    #[inline]
    pub fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Queued<F>> {
        match self {
            Self::Plain(store) => store.pop(),
            Self::Own(own) => own.dequeue(now, effects),
        }
    }

    /// Removes and returns the frame that is dropped when the queue of all classes is full.
    pub fn give_up(&mut self) -> Option<Queued<F>> {
        match self {
            Self::Plain(store) => store.pop_newest(),
            Self::Own(own) => own.give_up(),
        }
    }

    pub fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        match self {
            Self::Plain(store) => store.drain(into),
            Self::Own(own) => own.drain(into),
        }
    }

    /// Sets `discipline`. Waiting frames stay: another discipline takes them over in the order of
    /// arrival.
    pub fn configure(
        &mut self,
        now: Time,
        discipline: Option<&Discipline>,
        class: usize,
        stream: &Stream,
    ) {
        let keeps_state = match (&mut *self, discipline) {
            (Self::Plain(_), None) => true,
            (Self::Own(own), Some(discipline)) => own.configure(now, discipline),
            _ => false,
        };
        if keeps_state {
            return;
        }
        let mut waiting = Vec::new();
        self.drain(&mut waiting);
        waiting.sort_unstable_by_key(|waiting| waiting.order);
        *self = Self::new(discipline, class, stream);
        for frame in waiting {
            self.adopt(now, frame);
        }
    }

    pub fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        match self {
            Self::Plain(store) => store.reframe(line_bytes),
            Self::Own(own) => own.reframe(line_bytes),
        }
    }
}
