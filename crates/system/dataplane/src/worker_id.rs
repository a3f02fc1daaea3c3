//! Identities of workers. Not here: identities of the parts of a network (`netloom-fabric`).

use std::fmt;

/// Identity of a worker, which never changes while the data plane runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkerId(pub u32);

impl WorkerId {
    /// Returns the first `count` workers.
    pub fn first(count: usize) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..count).map(Self::at)
    }

    /// Returns the worker with this index in a list of all workers.
    pub fn at(place: usize) -> Self {
        // No machine has that many threads.
        Self(u32::try_from(place).unwrap_or(u32::MAX))
    }

    /// Returns the worker's index in a list of all workers.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "worker {}", self.0)
    }
}
