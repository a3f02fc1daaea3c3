//! The queues of classes: which frames are admitted, whose frame is dropped when the queue is full,
//! and which class waits for its cap. Not here: the order in which classes are served, which is a
//! [`Policy`] (`drr`, `wf2q`, `prio`).

use std::cmp::Reverse;

use netloom_units::{Rate, Time};

use super::caps::Caps;
use super::class_queue::ClassQueue;
use super::classes::{ClassTerms, Classes};
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::heap::IndexedHeap;
use super::limit::{Bound, Room};
use crate::{DropReason, Frame, FrameInfo, Stream};

/// The order in which classes are served. Lengths are in bytes on the line.
pub(super) trait Policy: std::fmt::Debug + Send + Sized {
    /// Its parameters.
    type Config;

    /// Returns the parameters in `discipline`, if it has this policy.
    fn config(discipline: &Discipline) -> Option<&Self::Config>;

    /// Creates the policy and its classes.
    fn new(config: &Self::Config, stream: &Stream) -> (Self, Classes);

    /// Applies the parameters of `new`, which has the same classes, and keeps all state.
    fn configure(&mut self, new: Self);

    /// Adds `class`, which had no frame: its first frame has `bytes` bytes, on a line of `rate`.
    fn activate(&mut self, now: Time, class: usize, bytes: u64, rate: Option<Rate>);

    /// Removes `class`, whose frames have all left without being served.
    fn deactivate(&mut self, class: usize);

    /// Picks the next class to serve among the active ones. `head` returns the length of a class's
    /// first frame; a discipline of the class may send another frame instead.
    fn pick(&mut self, head: impl Fn(usize) -> u64) -> Option<usize>;

    /// Records that the picked class sends `bytes` from `now` on. `next` is the length of its next
    /// frame. If it is `None`, the class has no more frames or waits for its cap, and is no longer
    /// active.
    fn served(&mut self, now: Time, class: usize, bytes: u64, next: Option<u64>);

    /// Records that no class is active any more and the line is idle.
    fn idle(&mut self) {}

    /// Returns the burden of `class` with `bytes` waiting. If the queue is full, the newest frame
    /// of the class with the greatest burden is dropped, which may be the arrival.
    fn burden(&self, class: usize, bytes: u64, terms: ClassTerms) -> u64;
}

/// Burden for classes that share by weight: the length of the queue divided by the weight (the
/// buffer stealing of McKenney 1991 that Shreedhar & Varghese use).
pub(super) fn length_for_weight(bytes: u64, terms: ClassTerms) -> u64 {
    bytes.saturating_mul(1 << 16) / u64::from(terms.weight.max(1))
}

/// A queue for each class.
#[derive(Debug)]
pub(super) struct Classful<F, P> {
    policy: P,
    classes: Classes,
    queues: Vec<ClassQueue<F>>,
    caps: Caps,
    /// Class whose frame is on the line, or was the last one there.
    on_line: Option<usize>,
    backlog: Backlog,
    /// Upper bound of the burden of each class that has had frames, the greatest first. Burdens
    /// that have fallen since are corrected only when the greatest is needed, so frames that come
    /// and go cost nothing here.
    burdens: IndexedHeap<Reverse<u64>>,
    stream: Stream,
}

impl<F: Frame, P: Policy> Classful<F, P> {
    pub fn new(config: &P::Config, stream: &Stream) -> Self {
        let (policy, classes) = P::new(config, stream);
        let count = classes.terms.len();
        let queue = |class| ClassQueue::new(classes.discipline(class), class, stream);
        Self {
            policy,
            queues: (0..count).map(queue).collect(),
            caps: Caps::new(&classes.caps()),
            on_line: None,
            backlog: Backlog::default(),
            burdens: IndexedHeap::new(count),
            stream: stream.clone(),
            classes,
        }
    }

    fn class_of(&self, waiting: &Queued<F>) -> usize {
        self.classes.class_of(waiting.frame.header().as_ref())
    }

    /// Activates `class`, which had no frame and now has one of `bytes` in front, or lets it wait
    /// for its cap.
    #[inline]
    fn begin(&mut self, now: Time, class: usize, bytes: u64, rate: Option<Rate>) {
        match self.caps.closed_until(class, now) {
            Some(opens) => self.caps.close(class, opens),
            None => self.policy.activate(now, class, bytes, rate),
        }
    }

    /// Deactivates `class`, which has lost all its frames.
    fn end(&mut self, class: usize) {
        if !self.caps.forget(class) {
            self.policy.deactivate(class);
        }
    }

    /// Activates the waiting classes whose caps allow it at `now`.
    #[inline]
    fn open(&mut self, now: Time, rate: Option<Rate>) {
        while let Some(class) = self.caps.open_next(now) {
            let bytes = self.queues[class].head_line_bytes().unwrap_or(0);
            self.policy.activate(now, class, bytes, rate);
        }
    }

    /// Records that the frame on the line has left it. If nothing of its class waits, the class is
    /// idle from then on.
    #[inline]
    fn rest(&mut self, now: Time, effects: &mut Effects<F>) {
        if let Some(class) = self.on_line.take()
            && self.queues[class].is_empty()
        {
            let none = self.queues[class].dequeue(now, effects);
            debug_assert!(none.is_none(), "an empty queue has no frame");
        }
    }

    /// Adds a frame of a class with a plain queue.
    fn enqueue_plain(
        &mut self,
        now: Time,
        class: usize,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        let own = self.queues[class].backlog();
        let limit = self.classes.terms[class].limit;
        let within = limit.is_none_or(|limit| room.admits_within(limit, own, &waiting));
        if !within
            || !room.admits(self.backlog, &waiting)
                && !self.make_room(now, class, &waiting, room, effects)
        {
            return Err((waiting, DropReason::QueueFull));
        }
        self.push(now, class, waiting, room.rate);
        Ok(())
    }

    /// Adds a frame of a class with a discipline of its own, which decides first. If the queue of
    /// all classes is then too long, frames are dropped as usual; this frame may be one of them.
    fn enqueue_own(
        &mut self,
        now: Time,
        class: usize,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        if !room.admits(self.backlog, &waiting) && !room.can_be_made(self.backlog, &waiting) {
            return Err((waiting, DropReason::QueueFull));
        }
        let limit = self.classes.terms[class].limit;
        let bound = limit.map_or(Bound::NONE, |limit| Bound::of(limit, room.rate));
        let queue = &mut self.queues[class];
        let before = queue.backlog();
        let is_on_line = self.on_line == Some(class) && !room.idle;
        let idle = before.frames == 0 && !is_on_line;
        let result = queue.enqueue(now, waiting, Room { bound, idle, ..room }, effects);
        let after = queue.backlog();
        self.backlog.exchange(before, after);
        match (before.frames, after.frames) {
            (0, 1..) => {
                let bytes = queue.head_line_bytes().unwrap_or(0);
                self.begin(now, class, bytes, room.rate);
            }
            (1.., 0) => self.end(class),
            _ => {}
        }
        result?;
        self.weigh(class);
        while room.is_exceeded(self.backlog)
            && let Some((victim, burden)) = self.greatest_burden()
        {
            let is_own = self.burden(class) == burden && !self.queues[class].is_empty();
            self.drop_one(now, if is_own { class } else { victim }, effects);
        }
        Ok(())
    }

    fn push(&mut self, now: Time, class: usize, waiting: Queued<F>, rate: Option<Rate>) {
        if self.queues[class].is_empty() {
            self.begin(now, class, waiting.line_bytes, rate);
        }
        self.backlog.add(&waiting);
        self.queues[class].adopt(now, waiting);
        self.weigh(class);
    }

    /// Removes the next frame of `class`, which was picked, for the line.
    fn take(&mut self, now: Time, class: usize, effects: &mut Effects<F>) -> Option<Queued<F>> {
        let queue = &mut self.queues[class];
        let before = queue.backlog();
        let next = queue.dequeue(now, effects);
        let (after, head) = (queue.backlog(), queue.head_line_bytes());
        self.backlog.exchange(before, after);
        let Some(waiting) = next else {
            // No discipline drops its last frame on the way out. If one did, the next class would
            // follow.
            self.policy.deactivate(class);
            return None;
        };
        self.caps.sends(class, now, &waiting);
        let closed = head.and_then(|_| self.caps.closed_until(class, now));
        let head = if closed.is_some() { None } else { head };
        self.policy.served(now, class, waiting.line_bytes, head);
        if let Some(opens) = closed {
            self.caps.close(class, opens);
        }
        self.on_line = Some(class);
        Some(waiting)
    }

    fn burden(&self, class: usize) -> u64 {
        let bytes = self.queues[class].backlog().line_bytes;
        self.policy.burden(class, bytes, self.classes.terms[class])
    }

    /// Raises the recorded burden of `class` if its burden has grown beyond it.
    #[inline]
    fn weigh(&mut self, class: usize) {
        let burden = self.burden(class);
        if self.burdens.key(class).is_none_or(|Reverse(bound)| bound < burden) {
            self.burdens.set(class, Reverse(burden));
        }
    }

    /// Records all burdens anew.
    fn weigh_all(&mut self) {
        for class in 0..self.queues.len() {
            self.burdens.remove(class);
            if !self.queues[class].is_empty() {
                self.weigh(class);
            }
        }
    }

    /// Returns the class with the greatest burden, and the burden.
    fn greatest_burden(&mut self) -> Option<(usize, u64)> {
        loop {
            let (class, Reverse(bound)) = self.burdens.peek()?;
            let burden = self.burden(class);
            if self.queues[class].is_empty() {
                self.burdens.remove(class);
            } else if burden == bound {
                return Some((class, burden));
            } else {
                self.burdens.set(class, Reverse(burden));
            }
        }
    }

    /// Drops frames of other classes until `waiting` has room. Returns `false` if `waiting` itself
    /// must be dropped.
    #[cold]
    fn make_room(
        &mut self,
        now: Time,
        class: usize,
        waiting: &Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> bool {
        if !room.can_be_made(self.backlog, waiting) {
            return false;
        }
        let bytes = self.queues[class].backlog().line_bytes + waiting.line_bytes;
        let own = self.policy.burden(class, bytes, self.classes.terms[class]);
        while !room.admits(self.backlog, waiting) {
            match self.greatest_burden() {
                Some((victim, burden)) if burden > own => self.drop_one(now, victim, effects),
                _ => return false,
            }
        }
        true
    }

    /// Drops the newest frame of `class`, or the one that its discipline gives up.
    fn drop_one(&mut self, now: Time, class: usize, effects: &mut Effects<F>) {
        let Some(dropped) = self.queues[class].give_up() else { return };
        if self.queues[class].is_empty() {
            self.end(class);
        }
        self.backlog.remove(&dropped);
        effects.drop(now, dropped, DropReason::QueueFull);
    }

    /// Applies changed caps and adds the classes again that waited for the old ones.
    fn reopen(&mut self, now: Time) {
        let mut closed = Vec::new();
        while let Some(class) = self.caps.open_next(Time::from_nanos(u64::MAX)) {
            closed.push(class);
        }
        self.caps.configure(&self.classes.caps());
        for class in closed {
            let bytes = self.queues[class].head_line_bytes().unwrap_or(0);
            self.begin(now, class, bytes, None);
        }
    }
}

impl<F: Frame, P: Policy> QueueDiscipline<F> for Classful<F, P> {
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        self.open(now, room.rate);
        let class = self.class_of(&waiting);
        // At its cap, a class waits even if the line is free, so limits apply to it.
        let line_free = room.line_free && self.caps.closed_until(class, now).is_none();
        let room = Room { line_free, ..room };
        match self.queues[class] {
            ClassQueue::Plain(_) => self.enqueue_plain(now, class, waiting, room, effects),
            ClassQueue::Own(_) => self.enqueue_own(now, class, waiting, room, effects),
        }
    }

    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Queued<F>> {
        self.rest(now, effects);
        self.open(now, None);
        loop {
            let queues = &self.queues;
            let picked = self.policy.pick(|class| queues[class].head_line_bytes().unwrap_or(0));
            let Some(class) = picked else {
                self.policy.idle();
                return None;
            };
            if let Some(waiting) = self.take(now, class, effects) {
                return Some(waiting);
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        for class in 0..self.queues.len() {
            if !self.queues[class].is_empty() {
                self.queues[class].drain(into);
                self.end(class);
                self.burdens.remove(class);
            }
        }
        self.backlog = Backlog::default();
        self.policy.idle();
    }

    fn adopt(&mut self, now: Time, waiting: Queued<F>) {
        let class = self.class_of(&waiting);
        self.push(now, class, waiting, None);
    }

    fn configure(&mut self, now: Time, discipline: &Discipline) -> bool {
        let Some(config) = P::config(discipline) else { return false };
        let (policy, classes) = P::new(config, &self.stream);
        if !classes.classifies_like(&self.classes) {
            return false;
        }
        self.policy.configure(policy);
        self.classes = classes;
        for (class, queue) in self.queues.iter_mut().enumerate() {
            queue.configure(now, self.classes.discipline(class), class, &self.stream);
        }
        self.reopen(now);
        self.weigh_all();
        true
    }

    fn opens(&self) -> Option<Time> {
        self.caps.opens()
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.queues.iter_mut().for_each(|queue| queue.reframe(line_bytes));
        self.backlog.line_bytes = self.queues.iter().map(|queue| queue.backlog().line_bytes).sum();
        self.weigh_all();
    }
}
