//! Which worker. Not here: the identities of what a network consists of (`netloom-fabric`).

use std::fmt;

/// A worker of a data plane, which never changes while the data plane lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerId(pub u32);

impl WorkerId {
    /// The first `count` workers.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..count).map(Self::at)
    }

    /// The worker at a place in a list that has one for each.
    pub fn at(place: usize) -> Self {
        // A machine has fewer threads.
        Self(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// Its place in a list that has one for each worker.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {}", self.0)
    }
}
