//! The two directions of a link. Not here: the word `both`, which only scenarios use.

use std::fmt;

/// A direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From the link's first end to its second.
    Forward,
    /// From the second end to the first.
    Reverse,
}

impl Direction {
    /// Both directions, in the order of a link's pipes.
    pub const BOTH: [Self; 2] = [Self::Forward, Self::Reverse];

    /// Index of the direction in [`BOTH`](Self::BOTH); also the index of the end at which it
    /// begins.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The direction that begins at end 0 or 1 of a link.
    pub const fn from_end(end: usize) -> Self {
        if end == 0 { Self::Forward } else { Self::Reverse }
    }

    /// Name of the direction, as in the names of random streams.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
