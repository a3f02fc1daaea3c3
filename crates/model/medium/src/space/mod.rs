//! What a medium asks about space: who hears whom, how strongly, after which delay. Not here:
//! positions as functions of time, propagation, antennas.
//!
//! | file | space |
//! |---|---|
//! | `pairs` | pairs that are listed |
//! | `disk` | positions that do not move, and a reach |

mod disk;
mod pairs;

use std::fmt::Debug;

use netloom_units::{Duration, Time};

use crate::StationId;
pub use disk::Disk;
pub use pairs::Pairs;

/// The way from a sender to one who may hear it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// Who may hear it.
    pub to: StationId,
    /// Power that arrives, in dBm, without fading.
    pub power: f64,
    /// How long the way takes.
    pub delay: Duration,
    /// What can be made of it.
    pub audible: Audible,
}

/// What a station can make of a signal that reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audible {
    /// What the medium's thresholds say of its power.
    ByPower,
    /// It can be decoded, whatever its power.
    Decoded,
    /// It can only be sensed, whatever its power.
    Sensed,
}

/// Who hears whom.
pub trait Space: Debug + Send {
    /// Appends the way to each station that a frame which `from` begins to send at `at` reaches, in
    /// any order, and returns until when the answer stays the same ([`FOREVER`] if nothing moves).
    fn paths(&mut self, at: Time, from: StationId, into: &mut Vec<Path>) -> Time;
}

/// Until when what does not move stays where it is.
pub const FOREVER: Time = Time::from_nanos(u64::MAX);
