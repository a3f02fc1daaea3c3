//! An agenda of due times: a heap with at most one entry for each key. Entries can be moved and
//! removed.

use netloom_units::Time;

/// Place of a key that has no entry.
const ABSENT: u32 = u32::MAX;

/// Due time, and the rank among all entries of the same nanosecond.
pub(crate) type Due = (Time, u64);

/// A binary heap of keys, ordered by due time. Keys are small numbers.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: Vec<(Due, u32)>,
    /// Index in the heap of each key.
    places: Vec<u32>,
}

impl Agenda {
    /// Makes room for keys below `keys`.
    pub fn grow(&mut self, keys: usize) {
        if self.places.len() < keys {
            self.places.resize(keys, ABSENT);
        }
    }

    /// Returns the entry that is due first.
    #[inline]
    pub fn first(&self) -> Option<(Due, u32)> {
        self.heap.first().copied()
    }

    /// Returns whether `key` has an entry.
    pub fn has(&self, key: u32) -> bool {
        self.places[key as usize] != ABSENT
    }

    /// Sets `key` to be due at `due`, and at no other time.
    #[inline]
    pub fn set(&mut self, key: u32, due: Due) {
        let place = self.places[key as usize];
        if place == ABSENT {
            self.heap.push((due, key));
            self.rise(self.heap.len() - 1);
            return;
        }
        let place = place as usize;
        let before = std::mem::replace(&mut self.heap[place].0, due);
        if due < before {
            self.rise(place);
        } else {
            self.sink(place);
        }
    }

    /// Removes the entry of `key`.
    #[inline]
    pub fn clear(&mut self, key: u32) {
        let place = self.places[key as usize];
        if place == ABSENT {
            return;
        }
        let place = place as usize;
        self.places[key as usize] = ABSENT;
        let Some(last) = self.heap.pop() else { return };
        if place == self.heap.len() {
            return;
        }
        let before = std::mem::replace(&mut self.heap[place], last);
        if last.0 < before.0 {
            self.rise(place);
        } else {
            self.sink(place);
        }
    }

    fn rise(&mut self, mut place: usize) {
        let entry = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent].0 <= entry.0 {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize) {
        let entry = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.heap[child + 1].0 < self.heap[child].0 {
                child += 1;
            }
            if self.heap[child].0 >= entry.0 {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: (Due, u32)) {
        self.heap[place] = entry;
        self.places[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_units::Stream;

    #[test]
    fn keys_come_in_the_order_of_what_they_are_due_at_however_they_were_moved() {
        let mut agenda = Agenda::default();
        agenda.grow(50);
        let mut due = [None; 50];
        let mut stream = Stream::new(1, "agenda");
        for _ in 0..20_000 {
            let key = stream.below(50) as usize;
            if stream.chance(0.3) {
                agenda.clear(key as u32);
                due[key] = None;
            } else {
                let at = (Time::from_nanos(stream.below(40)), stream.below(4));
                agenda.set(key as u32, at);
                due[key] = Some(at);
            }
            let first = due.iter().flatten().min().copied();
            assert_eq!(agenda.first().map(|(due, _)| due), first);
        }
    }
}
