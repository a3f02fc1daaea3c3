//! What is due next: one deadline for each thing that has something under way, in an order that
//! owes nothing to memory, threads or how the network is divided.
//!
//! Events happen in the order of their time, their generation, their class and the number of what
//! they are events of. The generation of an event is 0, or one more than that of the event at the
//! same time which caused it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use netloom_units::Time;

/// What has deadlines, in the order of classes: at the same time and in the same generation, the
/// first is first.
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

/// Classes that have numbers.
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

/// An entry: its time, and in one number its generation (24 bits), class (8) and number (32).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    at: Time,
    order: u64,
}

impl Key {
    const NONE: Self = Self { at: Time::from_nanos(u64::MAX), order: u64::MAX };

    #[inline]
    fn entity(self) -> Entity {
        Entity::of(self.order >> 32 & 0xff, self.order as u32)
    }

    #[inline]
    const fn generation(self) -> u32 {
        (self.order >> 40) as u32
    }
}

/// The deadlines.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<Key>>,
    /// The valid deadline of each thing. Entries of the heap that differ are stale.
    scheduled: [Vec<Key>; CLASSES],
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
    /// Sets when `entity` is due, or that it is not. What is due now is so in the next generation.
    #[inline]
    pub fn set(&mut self, entity: Entity, deadline: Option<Time>) {
        let key = match deadline {
            None => Key::NONE,
            Some(at) => {
                let generation = if at <= self.now { self.generation + 1 } else { 0 };
                self.key(at.max(self.now), generation, entity)
            }
        };
        let scheduled = &mut self.scheduled[entity.class()];
        let number = entity.number() as usize;
        if scheduled.len() <= number {
            scheduled.resize(number + 1, Key::NONE);
        }
        let before = std::mem::replace(&mut scheduled[number], key);
        // Due now already: it stays as early as it was.
        if before.at == key.at && before.order < key.order {
            scheduled[number] = before;
        } else if key != before && key != Key::NONE {
            self.heap.push(Reverse(key));
        }
    }

    #[inline]
    fn key(&self, at: Time, generation: u32, entity: Entity) -> Key {
        let order = u64::from(generation) << 40 | (entity.class() as u64) << 32;
        Key { at, order: order | u64::from(entity.number()) }
    }

    /// When something is due next.
    #[inline]
    pub fn next(&mut self) -> Option<Time> {
        while let Some(Reverse(key)) = self.heap.peek() {
            if self.is_valid(*key) {
                return Some(key.at);
            }
            self.heap.pop();
        }
        None
    }

    /// Takes the first event, if it is due by `until`. From then on, its time is now.
    #[inline]
    pub fn pop(&mut self, until: Time) -> Option<Due> {
        loop {
            let Reverse(key) = self.heap.peek()?;
            if key.at > until {
                return None;
            }
            let key = *key;
            self.heap.pop();
            if !self.is_valid(key) {
                continue;
            }
            let entity = key.entity();
            self.scheduled[entity.class()][entity.number() as usize] = Key::NONE;
            (self.now, self.generation) = (key.at, key.generation());
            return Some(Due { at: key.at, generation: key.generation(), entity });
        }
    }

    /// Nothing more is due before `now`, which begins.
    pub fn reach(&mut self, now: Time) {
        if now > self.now {
            (self.now, self.generation) = (now, 0);
        }
    }

    #[inline]
    fn is_valid(&self, key: Key) -> bool {
        let entity = key.entity();
        self.scheduled[entity.class()].get(entity.number() as usize) == Some(&key)
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
