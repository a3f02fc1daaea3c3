//! Samples of shared media. Not here: what media do (`netloom-medium`).

use netloom_fabric::SegmentId;
use netloom_medium::{NeighbourChange, NeighbourView, Point, StationCounters, StationId};

/// Sample of a shared medium.
#[derive(Debug, Clone, PartialEq)]
pub struct MediumSample {
    /// Which one.
    pub medium: SegmentId,
    /// Its stations, in the order of their numbers.
    pub stations: Vec<StationSample>,
    /// Pairs of stations that came within reach of each other, or left it, since the last sample.
    pub changes: Vec<NeighbourChange>,
    /// Entries of its air log since the last sample, if it has one.
    pub air: Vec<u8>,
}

/// Sample of a station on a shared medium.
#[derive(Debug, Clone, PartialEq)]
pub struct StationSample {
    /// Which one.
    pub station: StationId,
    /// Whether its radio is on.
    pub on: bool,
    /// Where it is, in m; nothing while it is away.
    pub position: Option<Point>,
    /// Frames that wait in it, with the one that it serves.
    pub queued: u64,
    /// The contention window from which it draws its next backoff, in slots.
    pub window: u32,
    /// Counters since the station was added.
    pub counters: StationCounters,
    /// Those that it reaches.
    pub reached: Vec<NeighbourView>,
}

/// Most stations of a medium whose pairs are watched.
pub const MOST_WATCHED: usize = 100;
