//! The values that sources yield.

use netloom_units::{Duration, Time};

use crate::Pace;

/// One frame or packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emission {
    /// Time at which it is sent, counted from the start of its source.
    pub at: Time,
    /// Length in bytes, in the sense of the entry's `size`.
    pub bytes: u32,
}

/// A period in which one sender is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// Time at which it begins, counted from the start of its source.
    pub at: Time,
    /// Duration of the burst.
    pub lasts: Duration,
    /// Place in a frame at which the burst begins, from 0 to below 1: the share of the first frame
    /// that is still to be sent.
    pub phase: f64,
}

impl Burst {
    /// Returns the time at which the burst ends.
    pub fn end(&self) -> Time {
        self.at + self.lasts
    }
}

/// A step of a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateStep {
    /// Time from which the rate holds, counted from the start of the source.
    pub at: Time,
    /// The rate. `None` while nothing is sent.
    pub rate: Option<Pace>,
}
