//! The event queue: one deadline for each entity that has something in progress. Their order
//! depends neither on memory nor on threads, nor on how the network is divided.
//!
//! Events are ordered by time, generation, class, and the number of their entity. An event that
//! another one caused at the same time has the generation of that one plus one. All others have
//! generation 0.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use netloom_units::Time;

/// An entity that has deadlines. Classes are in order: at the same time and in the same generation,
/// the first is processed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entity {
    /// The timeline.
    Timeline,
    /// A pipe between two nodes.
    Pipe(u32),
    /// A switched network.
    Island(u32),
    /// A timer of a host.
    Timer(u32),
    /// A source of traffic.
    Source(u32),
}

/// Number of classes.
const CLASSES: usize = 5;

impl Entity {
    #[inline]
    const fn class(self) -> usize {
        match self {
            Self::Timeline => 0,
            Self::Pipe(_) => 1,
            Self::Island(_) => 2,
            Self::Timer(_) => 3,
            Self::Source(_) => 4,
        }
    }

    #[inline]
    const fn number(self) -> u32 {
        match self {
            Self::Timeline => 0,
            Self::Pipe(number)
            | Self::Island(number)
            | Self::Timer(number)
            | Self::Source(number) => number,
        }
    }

    #[inline]
    fn of(class: u64, number: u32) -> Self {
        match class {
            0 => Self::Timeline,
            1 => Self::Pipe(number),
            2 => Self::Island(number),
            3 => Self::Timer(number),
            _ => Self::Source(number),
        }
    }
}

/// An entry of the queue as one number: its time (64 bits), generation (24), class (8) and number
/// (32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key(u128);

impl Key {
    const NONE: Self = Self(u128::MAX);

    #[inline]
    fn new(at: Time, generation: u32, entity: Entity) -> Self {
        let order = u64::from(generation) << 40 | (entity.class() as u64) << 32;
        let order = order | u64::from(entity.number());
        Self(u128::from(at.as_nanos()) << 64 | u128::from(order))
    }

    #[inline]
    const fn at(self) -> Time {
        Time::from_nanos((self.0 >> 64) as u64)
    }

    #[inline]
    fn entity(self) -> Entity {
        Entity::of(self.0 as u64 >> 32 & 0xff, self.0 as u32)
    }

    #[inline]
    const fn generation(self) -> u32 {
        (self.0 as u64 >> 40) as u32
    }
}

/// The deadline of an entity.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    /// Current deadline of the entity.
    due: Key,
    /// The first of the entity's entries in the heap, which is not later than its deadline.
    entered: Key,
}

impl Deadline {
    const NONE: Self = Self { due: Key::NONE, entered: Key::NONE };
}

/// The queue of deadlines.
///
/// A deadline that moves to a later time, as TCP's do with each acknowledgement, keeps its entry in
/// the heap. The entry is moved when it comes to the top.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<Key>>,
    deadlines: [Vec<Deadline>; CLASSES],
    now: Time,
    generation: u32,
}

/// An event that is due.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    pub at: Time,
    pub generation: u32,
    pub entity: Entity,
}

impl Queue {
    /// Current time.
    #[inline]
    pub const fn now(&self) -> Time {
        self.now
    }

    /// Sets the deadline of `entity`, or removes it. A deadline that has come belongs to the next
    /// generation.
    #[inline]
    pub fn set(&mut self, entity: Entity, deadline: Option<Time>) {
        let due = match deadline {
            None => Key::NONE,
            Some(at) => {
                let generation = if at <= self.now { self.generation + 1 } else { 0 };
                Key::new(at.max(self.now), generation, entity)
            }
        };
        let deadlines = &mut self.deadlines[entity.class()];
        let number = entity.number() as usize;
        if deadlines.len() <= number {
            deadlines.resize(number + 1, Deadline::NONE);
        }
        let set = &mut deadlines[number];
        // The entity is already due at that time: it keeps its earlier place.
        if set.due.at() == due.at() && set.due < due {
            return;
        }
        set.due = due;
        if due < set.entered {
            set.entered = due;
            self.heap.push(Reverse(due));
        }
    }

    /// Returns the time of the next event.
    #[inline]
    pub fn next(&mut self) -> Option<Time> {
        loop {
            let Reverse(key) = *self.heap.peek()?;
            if self.is_due(key) {
                return Some(key.at());
            }
            self.put_in_place();
        }
    }

    /// Takes the first event if it is due by `until`, and advances the current time to it.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<Due> {
        loop {
            let Reverse(key) = *self.heap.peek()?;
            if key.at() > until {
                return None;
            }
            if !self.is_due(key) {
                self.put_in_place();
                continue;
            }
            // Its entry stays in the heap until it is next examined. By then the entity mostly has
            // another deadline.
            let (at, generation, entity) = (key.at(), key.generation(), key.entity());
            self.deadline(entity).due = Key::NONE;
            (self.now, self.generation) = (at, generation);
            return Some(Due { at, generation, entity });
        }
    }

    /// Corrects the first entry of the heap, which is not a deadline: moves it to the entity's
    /// deadline, or drops it.
    fn put_in_place(&mut self) {
        let Some(mut first) = self.heap.peek_mut() else { return };
        let Reverse(key) = *first;
        let entity = key.entity();
        let deadline = &mut self.deadlines[entity.class()][entity.number() as usize];
        if deadline.entered != key {
            // The entity has, or had, an earlier entry.
            PeekMut::pop(first);
            return;
        }
        deadline.entered = deadline.due;
        if deadline.due == Key::NONE {
            PeekMut::pop(first);
        } else {
            *first = Reverse(deadline.due);
        }
    }

    #[inline]
    fn deadline(&mut self, entity: Entity) -> &mut Deadline {
        &mut self.deadlines[entity.class()][entity.number() as usize]
    }

    #[inline]
    fn is_due(&mut self, key: Key) -> bool {
        let deadline = self.deadline(key.entity());
        deadline.due == key && deadline.entered == key
    }

    /// Advances the current time to `now`. Everything due before it has been processed.
    pub fn reach(&mut self, now: Time) {
        if now > self.now {
            (self.now, self.generation) = (now, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> Option<Time> {
        Some(Time::from_nanos(nanos))
    }

    fn drain(queue: &mut Queue) -> Vec<(u64, Entity)> {
        let until = Time::from_nanos(1000);
        std::iter::from_fn(|| queue.pop(until)).map(|due| (due.at.as_nanos(), due.entity)).collect()
    }

    #[test]
    fn ties_are_broken_by_class_and_number_and_not_by_the_order_of_entry() {
        let mut queue = Queue::default();
        let all = [
            Entity::Timeline,
            Entity::Pipe(3),
            Entity::Pipe(7),
            Entity::Timer(0),
            Entity::Source(0),
        ];
        for entity in all.into_iter().rev() {
            queue.set(entity, at(5));
        }
        queue.set(Entity::Source(1), at(4));
        let expected: Vec<_> =
            [(4, Entity::Source(1))].into_iter().chain(all.map(|entity| (5, entity))).collect();
        assert_eq!(drain(&mut queue), expected);
    }

    #[test]
    fn what_an_event_causes_at_its_own_time_comes_after_all_of_its_generation() {
        let mut queue = Queue::default();
        queue.set(Entity::Pipe(1), at(5));
        queue.set(Entity::Source(9), at(5));
        let first = queue.pop(Time::from_nanos(5)).expect("a pipe");
        assert_eq!((first.entity, first.generation), (Entity::Pipe(1), 0));
        queue.set(Entity::Pipe(0), at(5));
        assert_eq!(drain(&mut queue), [(5, Entity::Source(9)), (5, Entity::Pipe(0))]);
    }

    #[test]
    fn a_deadline_can_move_both_ways_and_go() {
        let mut queue = Queue::default();
        queue.set(Entity::Pipe(0), at(5));
        queue.set(Entity::Pipe(0), at(9));
        queue.set(Entity::Pipe(1), at(9));
        queue.set(Entity::Pipe(1), at(7));
        queue.set(Entity::Pipe(2), at(1));
        queue.set(Entity::Pipe(2), None);
        assert_eq!(queue.next(), at(7));
        assert_eq!(drain(&mut queue), [(7, Entity::Pipe(1)), (9, Entity::Pipe(0))]);
        assert_eq!(queue.next(), None);
    }
}
