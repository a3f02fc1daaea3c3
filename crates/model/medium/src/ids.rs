//! Who is on a medium, and whom a frame is for.

use std::fmt;

/// A station of a medium. Whoever describes the medium chooses the numbers, small ones: a medium
/// keeps a place for each number up to the largest.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct StationId(pub u32);

impl StationId {
    /// The index to use in a list that has an entry for each station.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "station {}", self.0)
    }
}

/// Whom a frame is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// One station.
    Station(StationId),
    /// Every station that hears it: broadcast and multicast.
    All,
    /// An address that no station has: sent as to a station that never answers.
    Nobody,
}

impl Receiver {
    /// Whether a station that hears the frame is one that it is for.
    pub(crate) fn includes(self, station: StationId) -> bool {
        match self {
            Self::Station(to) => to == station,
            Self::All => true,
            Self::Nobody => false,
        }
    }
}
