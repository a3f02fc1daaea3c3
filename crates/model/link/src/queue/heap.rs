//! A binary heap over small numbers (classes) whose keys can be changed. It gives the order of
//! service of `wf2q+`, and the class that loses a frame when a queue with classes is full.

/// A min-heap of indices below a fixed number, each at most once. Equal keys are ordered by index.
#[derive(Debug)]
pub(super) struct IndexedHeap<K> {
    entries: Vec<(K, u32)>,
    /// The position of each index in `entries`, or `ABSENT`.
    places: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

impl<K: Ord + Copy> IndexedHeap<K> {
    pub fn new(indices: usize) -> Self {
        Self { entries: Vec::new(), places: vec![ABSENT; indices] }
    }

    /// Returns the index with the smallest key, and the key.
    #[inline]
    pub fn peek(&self) -> Option<(usize, K)> {
        self.entries.first().map(|(key, index)| (*index as usize, *key))
    }

    /// Returns the key of `index`, if the heap contains it.
    #[inline]
    pub fn key(&self, index: usize) -> Option<K> {
        let place = self.places[index];
        (place != ABSENT).then(|| self.entries[place as usize].0)
    }

    /// Inserts `index`, or changes its key.
    pub fn set(&mut self, index: usize, key: K) {
        let place = self.places[index];
        if place == ABSENT {
            self.entries.push((key, index as u32));
            self.rise(self.entries.len() - 1);
        } else {
            self.entries[place as usize].0 = key;
            let place = self.rise(place as usize);
            self.sink(place);
        }
    }

    /// Removes `index`, if the heap contains it.
    pub fn remove(&mut self, index: usize) {
        let place = std::mem::replace(&mut self.places[index], ABSENT);
        if place == ABSENT {
            return;
        }
        let place = place as usize;
        self.entries.swap_remove(place);
        if place < self.entries.len() {
            let place = self.rise(place);
            self.sink(place);
        }
    }

    /// Moves an entry up to its position, and records the positions of all entries that it passes.
    fn rise(&mut self, mut place: usize) -> usize {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.entries[parent] <= self.entries[place] {
                break;
            }
            self.swap(place, parent);
            place = parent;
        }
        self.places[self.entries[place].1 as usize] = place as u32;
        place
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let left = 2 * place + 1;
            let children = left..(left + 2).min(self.entries.len());
            let Some(child) = children.min_by_key(|child| self.entries[*child]) else { return };
            if self.entries[place] <= self.entries[child] {
                return;
            }
            self.swap(place, child);
            place = child;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.entries.swap(a, b);
        for place in [a, b] {
            self.places[self.entries[place].1 as usize] = place as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares the heap with a map that is searched.
        #[test]
        fn the_smallest_key_is_on_top(
            steps in prop::collection::vec((0usize..20, option()), 1..200),
        ) {
            let (mut heap, mut map) = (IndexedHeap::new(20), BTreeMap::new());
            for (index, key) in steps {
                match key {
                    Some(key) => { heap.set(index, key); map.insert(index, key); }
                    None => { heap.remove(index); map.remove(&index); }
                }
                prop_assert_eq!(heap.key(index), key);
                let smallest = map.iter().min_by_key(|(index, key)| (**key, **index));
                prop_assert_eq!(heap.peek(), smallest.map(|(index, key)| (*index, *key)));
            }
            let mut left: Vec<_> = map.into_iter().map(|(index, key)| (key, index)).collect();
            left.sort_unstable();
            let mut out = Vec::new();
            while let Some((index, key)) = heap.peek() {
                heap.remove(index);
                out.push((key, index));
            }
            prop_assert_eq!(out, left);
        }
    }

    fn option() -> impl Strategy<Value = Option<u8>> {
        prop::option::weighted(0.7, 0u8..10)
    }
}
