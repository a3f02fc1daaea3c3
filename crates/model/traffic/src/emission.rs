//! What sources give.

use netloom_units::{Duration, Time};

use crate::Pace;

/// One frame or packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emission {
    /// When it is sent, counted from the start of its source.
    pub at: Time,
    /// Its length in bytes, as the entry's `size` says it.
    pub bytes: u32,
}

/// A stretch of time in which one sender is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// When it begins, counted from the start of its source.
    pub at: Time,
    /// How long it lasts.
    pub lasts: Duration,
    /// Where in a frame it begins, from 0 to below 1: how much of the first frame is yet to come.
    pub phase: f64,
}

impl Burst {
    /// When it is over.
    pub fn end(&self) -> Time {
        self.at + self.lasts
    }
}

/// From when on a rate holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateStep {
    /// Counted from the start of the source.
    pub at: Time,
    /// The rate; `None` while nothing is sent.
    pub rate: Option<Pace>,
}
