//! Orders of numbers, as `addresses` takes them.

use crate::routing::Ties;

/// The order in which segments and nodes are numbered.
pub(crate) struct Numbering {
    pub segments: Order,
    pub nodes: Order,
    /// The choice among equal paths. Routes follow the numbers: if the numbers are for people, so
    /// are the routes.
    pub ties: Ties,
}

/// Indices in the order of their numbers.
pub(crate) struct Order {
    pub(super) indices: Vec<usize>,
    /// Whether halves, quarters and so on of the order belong together, down to pairs. If so, the
    /// numbers must keep them together, too.
    pub(super) aligned: bool,
}

impl Order {
    pub(super) fn of_file(count: usize) -> Self {
        Self { indices: (0..count).collect(), aligned: false }
    }

    /// Returns the indices in the order of their numbers, of which the lowest is `first`.
    pub fn numbered_from(&self, first: usize) -> impl Iterator<Item = usize> {
        // Items whose number would be below the first get a number after the last.
        let misplaced = if self.aligned { first.min(self.indices.len()) } else { 0 };
        let (before, rest) = self.indices.split_at(misplaced);
        rest.iter().chain(before).copied()
    }
}
