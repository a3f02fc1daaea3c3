//! Identities of the parts of a network. Whoever describes the network chooses them; an identity
//! never changes while the thing is in a network. Not here: where a network keeps a thing, which it
//! chooses itself.

use std::fmt;

use netloom_link::Direction;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $word:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The index to use in a list that has an entry for each identity.
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
    /// A port of the network: where frames enter it from a device or a simulated node, and leave
    /// it.
    PortId, "port";
    /// A segment: what joins more than two links, such as a switch.
    SegmentId, "segment";
}

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PipeId {
    /// The link.
    pub link: LinkId,
    /// Which of its directions.
    pub direction: Direction,
}

impl PipeId {
    /// Its place in a list that has two for each link identity.
    pub const fn index(self) -> usize {
        2 * self.link.index() + self.direction.index()
    }
}

impl fmt::Display for PipeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.link, self.direction)
    }
}
