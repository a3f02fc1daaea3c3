//! The part of a network's things that one cell holds, by their numbers in the whole network. Not
//! here: which cell holds what (`partition`).

use std::ops::{Index, IndexMut};

/// No place.
const NOWHERE: u32 = u32::MAX;

/// Some of many things, one behind the other in memory, by their numbers in the whole network.
#[derive(Debug)]
pub(crate) struct Own<T> {
    things: Vec<T>,
    /// The place of each thing, by its number. Empty as long as each place is the number itself,
    /// as in a network of one cell.
    places: Vec<u32>,
}

impl<T> Default for Own<T> {
    fn default() -> Self {
        Self { things: Vec::new(), places: Vec::new() }
    }
}

impl<T> Own<T> {
    /// Makes room for `more` things.
    pub fn reserve(&mut self, more: usize) {
        self.things.reserve_exact(more);
    }

    /// Stores `thing` under `number`, which must be new.
    pub fn put(&mut self, number: u32, thing: T) {
        // There are fewer things than 32 bits can number.
        let place = self.things.len() as u32;
        if number != place || !self.places.is_empty() {
            if self.places.is_empty() {
                self.places.extend(0..place);
            }
            let length = self.places.len().max(number as usize + 1);
            self.places.resize(length, NOWHERE);
            self.places[number as usize] = place;
        }
        self.things.push(thing);
    }

    #[inline]
    fn place(&self, number: u32) -> usize {
        if self.places.is_empty() {
            return number as usize;
        }
        self.places.get(number as usize).map_or(NOWHERE, |place| *place) as usize
    }

    /// Returns the thing with that number, if it is here.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        self.things.get(self.place(number))
    }

    /// Returns the thing with that number for changes, if it is here.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let place = self.place(number);
        self.things.get_mut(place)
    }

    /// Returns all things that are here, for changes, in the order in which they were stored.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.things.iter_mut()
    }

    /// Returns all things that are here, with their numbers, in the order of the numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let most = self.things.len().max(self.places.len()) as u32;
        (0..most).filter_map(|number| Some((number, self.get(number)?)))
    }
}

impl<T: Default> Own<T> {
    /// Returns the thing with that number. Creates it if it does not exist yet.
    #[inline]
    pub fn entry(&mut self, number: u32) -> &mut T {
        if self.get(number).is_none() {
            self.put(number, T::default());
        }
        &mut self[number]
    }
}

impl<T> Index<u32> for Own<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        self.get(number).expect("a cell is asked for its own")
    }
}

impl<T> IndexMut<u32> for Own<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        self.get_mut(number).expect("a cell is asked for its own")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_by_numbers_in_any_order() {
        let mut own = Own::default();
        for number in [0u32, 1, 7, 3] {
            own.put(number, number * 10);
        }
        let all: Vec<(u32, u32)> = own.iter().map(|(number, thing)| (number, *thing)).collect();
        assert_eq!(all, [(0, 0), (1, 10), (3, 30), (7, 70)]);
        assert_eq!((own.get(2), own.get(8)), (None, None));
        assert_eq!(own.get_mut(3), Some(&mut 30));
        *own.entry(8) += 5;
        assert_eq!((own[8], own[1]), (5, 10));
    }
}
