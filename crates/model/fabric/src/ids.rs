//! Identities of the parts of a network. The description of the network chooses them. An identity
//! never changes while its part is in a network. Internal places, which the network chooses itself,
//! are separate.

use std::fmt;

use netloom_link::Direction;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $word:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the index to use in a list that has an entry for each identity.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, " {}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A link.
    LinkId, "link";
    /// A port of the network, through which frames enter it from a device or a simulated node, and
    /// leave it.
    PortId, "port";
    /// A segment, such as a switch, which joins more than two links.
    SegmentId, "segment";
}

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PipeId {
    /// The link.
    pub link: LinkId,
    /// The direction.
    pub direction: Direction,
}

impl PipeId {
    /// Returns the index in a list that has two entries for each link identity.
    pub const fn index(self) -> usize {
        2 * self.link.index() + self.direction.index()
    }

    /// Returns the pipe with this [index](Self::index).
    pub const fn from_index(index: u32) -> Self {
        let direction = Direction::from_end((index % 2) as usize);
        Self { link: LinkId(index / 2), direction }
    }
}

impl fmt::Display for PipeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.link, self.direction)
    }
}
