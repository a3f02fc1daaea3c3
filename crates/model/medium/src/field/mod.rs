//! The channel between stations: hearers, and the power and delay at each.
//!
//! | file | field |
//! |---|---|
//! | `cable` | stations on a cable |
//! | `pairs` | listed pairs, without a channel |
//! | `open` | stations that move, and a radio channel between them |
//! | `grid` | a spatial index of stations |
//! | `trajectories` | positions of stations |

mod cable;
mod grid;
mod open;
mod pairs;
mod trajectories;

use std::fmt::Debug;

use netloom_link::BitErrorRate;
use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Probability, Time};

use crate::{StationConfig, StationId};
pub(crate) use cable::Cable;
pub(crate) use open::OpenField;
pub(crate) use pairs::Pairs;

/// The path from a sender to a station that may hear it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Path {
    /// The station that may hear it.
    pub to: StationId,
    /// Power that arrives, in dBm, without fading.
    pub power: f64,
    /// Propagation delay.
    pub delay: Duration,
    /// Length of the path, in m.
    pub distance: f64,
    /// Whether a signal that is strong enough can be decoded.
    pub can_decode: bool,
    /// Random losses, whatever the power.
    pub channel: Channel,
}

/// Random losses.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Channel {
    /// Probability that a frame is lost.
    pub loss: Probability,
    /// Probability that a bit of it is wrong.
    pub ber: BitErrorRate,
}

impl Channel {
    /// Returns the probability that a frame of `bytes` is lost.
    pub fn loses(self, bytes: u32) -> f64 {
        let damaged = self.ber.frame_error_probability(bytes.into());
        let lost = self.loss.value();
        lost + (1.0 - lost) * damaged
    }
}

/// The stations of a medium, and the paths between them.
pub(crate) trait Field: Debug + Send {
    /// Adds a station or replaces it.
    fn place(&mut self, now: Time, id: StationId, config: &StationConfig, moves: Trajectory);

    /// Changes the power or antenna of a station.
    fn refit(&mut self, id: StationId, config: &StationConfig);

    /// Removes a station and returns its trajectory.
    fn remove(&mut self, id: StationId) -> Option<Trajectory>;

    /// Returns the position of a station at `at`, or `None` if it is away.
    fn position(&mut self, at: Time, id: StationId) -> Option<Point>;

    /// Returns the trajectory of a station.
    fn trajectory_mut(&mut self, id: StationId) -> Option<&mut Trajectory>;

    /// Records that a station moves in another way from `now` on.
    fn moved(&mut self, _now: Time, _id: StationId) {}

    /// Appends the path to each station that a transmission of `from` at `at` reaches, in any
    /// order. Returns the time until which the result stays valid.
    fn paths(&mut self, at: Time, from: StationId, into: &mut Vec<Path>) -> Time;

    /// Sets the loss in dB of the path from one station to another, whatever lies between them. Has
    /// no effect in fields without a radio channel.
    fn set_loss(&mut self, _from: StationId, _to: StationId, _loss: f64) {}

    /// Returns the path from one station to another, or `None` if the signal does not reach it.
    fn way(&mut self, at: Time, from: StationId, to: StationId) -> Option<Path> {
        let mut paths = Vec::new();
        self.paths(at, from, &mut paths);
        paths.into_iter().find(|path| path.to == to)
    }

    /// Returns the fading of one signal over `distance` m, as a ratio of powers. `draw` gives
    /// uniform numbers between 0 and 1, both excluded.
    fn fading(&self, _distance: f64, _draw: &mut dyn FnMut() -> f64) -> f64 {
        1.0
    }
}

/// The time until which stations without movement stay where they are.
pub(crate) const FOREVER: Time = Time::from_nanos(u64::MAX);
