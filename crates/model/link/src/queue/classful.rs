//! The queues of classes: who is let in, and whose frame goes when the queue is full. Not here: in
//! which order classes are served, which is a [`Policy`] (`drr`, `wf2q`, `prio`).

use std::cmp::Reverse;

use netloom_units::{Rate, Time};

use super::classes::{ClassTerms, Classes};
use super::config::Discipline;
use super::heap::IndexedHeap;
use super::limit::Room;
use super::schedule::{Backlog, Effects, Rejection, Schedule, Waiting};
use super::store::Store;
use crate::{DropReason, Frame, FrameInfo, Stream};

/// In which order classes are served. Lengths are in bytes on the line.
pub(super) trait Policy: std::fmt::Debug + Send + Sized {
    /// Its parameters.
    type Config;

    /// The parameters in `discipline`, if it is this one.
    fn config(discipline: &Discipline) -> Option<&Self::Config>;

    /// The policy and its classes.
    fn new(config: &Self::Config, stream: &Stream) -> (Self, Classes);

    /// Takes over the parameters of `new`, which has the same classes, and keeps all state.
    fn configure(&mut self, new: Self);

    /// `class`, of which nothing waited, has a frame of `bytes` on a line of `rate`.
    fn activate(&mut self, now: Time, class: usize, bytes: u64, rate: Option<Rate>);

    /// The only frame of `class` is gone without having been served.
    fn deactivate(&mut self, class: usize);

    /// The class to serve next of those that are active; `head` is the length of a class's first
    /// frame.
    fn pick(&mut self, head: impl Fn(usize) -> u64) -> Option<usize>;

    /// The class that was picked sends `bytes` from `now` on; its next frame is `next` long.
    fn served(&mut self, now: Time, class: usize, bytes: u64, next: Option<u64>);

    /// Nothing waits any more, and the line is idle.
    fn idle(&mut self) {}

    /// How much `class` is in the way with `bytes` waiting: in a full queue the newest frame of the
    /// class with the greatest burden goes, which may be the arrival.
    fn burden(&self, class: usize, bytes: u64, terms: ClassTerms) -> u64;
}

/// The longest queue for its weight: the burden where classes share by weight (the buffer stealing
/// of McKenney 1991 that Shreedhar & Varghese use).
pub(super) fn length_for_weight(bytes: u64, terms: ClassTerms) -> u64 {
    bytes.saturating_mul(1 << 16) / u64::from(terms.weight.max(1))
}

/// A queue for each class.
#[derive(Debug)]
pub(super) struct Classful<F, P> {
    policy: P,
    classes: Classes,
    stores: Vec<Store<F>>,
    backlog: Backlog,
    /// For each class that has had frames an upper bound of its burden, the greatest first. Burdens
    /// that have fallen since are corrected when the greatest is asked for, so that frames that come
    /// and go cost nothing here.
    burdens: IndexedHeap<Reverse<u64>>,
    stream: Stream,
}

impl<F: Frame, P: Policy> Classful<F, P> {
    pub fn new(config: &P::Config, stream: &Stream) -> Self {
        let (policy, classes) = P::new(config, stream);
        let count = classes.terms.len();
        Self {
            policy,
            classes,
            stores: (0..count).map(|_| Store::default()).collect(),
            backlog: Backlog::default(),
            burdens: IndexedHeap::new(count),
            stream: stream.clone(),
        }
    }

    fn class_of(&self, waiting: &Waiting<F>) -> usize {
        self.classes.class_of(waiting.frame.header().as_ref())
    }

    fn push(&mut self, now: Time, class: usize, waiting: Waiting<F>, rate: Option<Rate>) {
        let store = &mut self.stores[class];
        if store.is_empty() {
            self.policy.activate(now, class, waiting.line_bytes, rate);
        }
        self.backlog.add(&waiting);
        store.push(waiting);
        self.weigh(class);
    }

    fn burden(&self, class: usize) -> u64 {
        let bytes = self.stores[class].backlog().line_bytes;
        self.policy.burden(class, bytes, self.classes.terms[class])
    }

    /// Writes down the burden of `class` if it has grown beyond what is written.
    #[inline]
    fn weigh(&mut self, class: usize) {
        let burden = self.burden(class);
        if self.burdens.key(class).is_none_or(|Reverse(bound)| bound < burden) {
            self.burdens.set(class, Reverse(burden));
        }
    }

    /// Writes down all burdens anew.
    fn weigh_all(&mut self) {
        for class in 0..self.stores.len() {
            self.burdens.remove(class);
            if !self.stores[class].is_empty() {
                self.weigh(class);
            }
        }
    }

    /// The class with the greatest burden.
    fn greatest_burden(&mut self) -> Option<(usize, u64)> {
        loop {
            let (class, Reverse(bound)) = self.burdens.peek()?;
            let burden = self.burden(class);
            if self.stores[class].is_empty() {
                self.burdens.remove(class);
            } else if burden == bound {
                return Some((class, burden));
            } else {
                self.burdens.set(class, Reverse(burden));
            }
        }
    }

    /// Drops the newest frames of other classes until `waiting` has room. `false`: it is the one that
    /// has to go.
    #[cold]
    fn make_room(
        &mut self,
        now: Time,
        class: usize,
        waiting: &Waiting<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> bool {
        if !room.can_be_made(self.backlog, waiting) {
            return false;
        }
        let bytes = self.stores[class].backlog().line_bytes + waiting.line_bytes;
        let own = self.policy.burden(class, bytes, self.classes.terms[class]);
        while !room.admits(self.backlog, waiting) {
            match self.greatest_burden() {
                Some((victim, burden)) if burden > own => self.drop_newest(now, victim, effects),
                _ => return false,
            }
        }
        true
    }

    fn drop_newest(&mut self, now: Time, class: usize, effects: &mut Effects<F>) {
        let store = &mut self.stores[class];
        let Some(newest) = store.pop_newest() else { return };
        if store.is_empty() {
            self.policy.deactivate(class);
        }
        self.backlog.remove(&newest);
        effects.drop(now, newest, DropReason::QueueFull);
    }
}

impl<F: Frame, P: Policy> Schedule<F> for Classful<F, P> {
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Waiting<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        let class = self.class_of(&waiting);
        let own = self.stores[class].backlog();
        let within = self.classes.terms[class]
            .limit
            .is_none_or(|limit| room.admits_within(limit, own, &waiting));
        if !within
            || !room.admits(self.backlog, &waiting)
                && !self.make_room(now, class, &waiting, room, effects)
        {
            return Err((waiting, DropReason::QueueFull));
        }
        self.push(now, class, waiting, room.rate);
        Ok(())
    }

    fn dequeue(&mut self, now: Time, _effects: &mut Effects<F>) -> Option<Waiting<F>> {
        let stores = &mut self.stores;
        let picked = self.policy.pick(|class| stores[class].head_line_bytes().unwrap_or(0));
        let Some((class, waiting)) = picked.and_then(|class| Some((class, stores[class].pop()?)))
        else {
            self.policy.idle();
            return None;
        };
        let next = stores[class].head_line_bytes();
        self.policy.served(now, class, waiting.line_bytes, next);
        self.backlog.remove(&waiting);
        Some(waiting)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn drain(&mut self, into: &mut Vec<Waiting<F>>) {
        for (class, store) in self.stores.iter_mut().enumerate() {
            if !store.is_empty() {
                store.drain(into);
                self.policy.deactivate(class);
                self.burdens.remove(class);
            }
        }
        self.backlog = Backlog::default();
        self.policy.idle();
    }

    fn adopt(&mut self, now: Time, waiting: Waiting<F>) {
        let class = self.class_of(&waiting);
        self.push(now, class, waiting, None);
    }

    fn configure(&mut self, _now: Time, discipline: &Discipline) -> bool {
        let Some(config) = P::config(discipline) else { return false };
        let (policy, classes) = P::new(config, &self.stream);
        if !classes.classifies_like(&self.classes) {
            return false;
        }
        self.policy.configure(policy);
        self.classes = classes;
        self.weigh_all();
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.stores.iter_mut().for_each(|store| store.reframe(line_bytes));
        self.backlog.line_bytes = self.stores.iter().map(|store| store.backlog().line_bytes).sum();
        self.weigh_all();
    }
}
