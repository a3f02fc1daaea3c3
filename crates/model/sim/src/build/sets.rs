//! Disjoint sets of numbers.

/// Disjoint sets of numbers (Galler and Fischer 1964). Each set is identified by its lowest number.
#[derive(Debug, Clone)]
pub(super) struct Sets(Vec<usize>);

impl Sets {
    /// Returns a set for each of so many numbers.
    pub fn new(numbers: usize) -> Self {
        Self((0..numbers).collect())
    }

    /// Returns the lowest number of the set that a number is in.
    pub fn first(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}
