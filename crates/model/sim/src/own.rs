//! The part of a network's things that one cell holds, by their numbers in the whole network. Not
//! here: which cell holds what (`partition`).

use std::ops::{Index, IndexMut};

/// Some of many things, each stored by its number in the whole network.
#[derive(Debug)]
pub(crate) struct Own<T>(Vec<Option<Box<Apart<T>>>>);

/// A value that shares no cache line with those of other cells.
#[derive(Debug)]
#[repr(align(64))]
struct Apart<T>(T);

impl<T> Default for Own<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Own<T> {
    /// Stores `thing` under `number`.
    pub fn put(&mut self, number: u32, thing: T) {
        let number = number as usize;
        if self.0.len() <= number {
            self.0.resize_with(number + 1, || None);
        }
        self.0[number] = Some(Box::new(Apart(thing)));
    }

    /// Returns the thing with that number, if it is here.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        self.0.get(number as usize)?.as_deref().map(|apart| &apart.0)
    }

    /// Returns the thing with that number for changes, if it is here.
    #[inline]
    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.0.get_mut(number as usize)?.as_deref_mut().map(|apart| &mut apart.0)
    }

    /// Returns all things that are here, for changes.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten().map(|apart| &mut apart.0)
    }

    /// Returns all things that are here, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.0).filter_map(|(number, thing)| Some((number, &thing.as_deref()?.0)))
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
