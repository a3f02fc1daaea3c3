//! Identifiers: stations of a medium, and receivers of frames.

use std::fmt;

/// A station of a medium. The description of the medium chooses the numbers. They should be small:
/// a medium keeps a place for each number up to the largest.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct StationId(pub u32);

impl StationId {
    /// Returns the index to use in a list that has an entry for each station.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for StationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "station {}", self.0)
    }
}

/// The receiver of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// One station.
    Station(StationId),
    /// Every station that hears it: broadcast and multicast.
    All,
    /// An address that no station has. The frame is sent as to a station that never answers.
    Nobody,
}

impl Receiver {
    /// Returns whether a station that hears the frame is one of its receivers.
    pub(crate) fn includes(self, station: StationId) -> bool {
        match self {
            Self::Station(to) => to == station,
            Self::All => true,
            Self::Nobody => false,
        }
    }
}
