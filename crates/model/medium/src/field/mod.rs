//! Who hears whom, how strongly, after which delay.
//!
//! | file | field |
//! |---|---|
//! | `cable` | stations on a cable |
//! | `pairs` | pairs that are listed, without a channel |
//! | `open` | stations that move, and a radio channel between them |
//! | `grid` | which stations may be near enough: a spatial index |
//! | `trajectories` | where stations are |

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

/// The way from a sender to one who may hear it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Path {
    /// Who may hear it.
    pub to: StationId,
    /// Power that arrives, in dBm, without fading.
    pub power: f64,
    /// How long the way takes.
    pub delay: Duration,
    /// How far it is, in m.
    pub distance: f64,
    /// Whether a signal that is strong enough can be decoded.
    pub can_decode: bool,
    /// What is lost by chance, whatever the power.
    pub channel: Channel,
}

/// What is lost by chance.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Channel {
    /// The probability that a frame is.
    pub loss: Probability,
    /// The probability that a bit of it is wrong.
    pub ber: BitErrorRate,
}

impl Channel {
    /// The probability that a frame of `bytes` is lost.
    pub fn loses(self, bytes: u32) -> f64 {
        let damaged = self.ber.frame_error_probability(bytes.into());
        let lost = self.loss.value();
        lost + (1.0 - lost) * damaged
    }
}

/// Who hears whom.
pub(crate) trait Field: Debug + Send {
    /// A station comes, or is another from now on.
    fn place(&mut self, now: Time, id: StationId, config: &StationConfig, moves: Trajectory);

    /// A station has another power or antenna.
    fn refit(&mut self, id: StationId, config: &StationConfig);

    /// A station goes; how it moved.
    fn remove(&mut self, id: StationId) -> Option<Trajectory>;

    /// Where a station is at `at`; `None` if it is not there.
    fn position(&mut self, at: Time, id: StationId) -> Option<Point>;

    /// How a station moves.
    fn trajectory_mut(&mut self, id: StationId) -> Option<&mut Trajectory>;

    /// A station moves in another way from `now` on.
    fn moved(&mut self, _now: Time, _id: StationId) {}

    /// Appends the way to each station that a signal which `from` begins to send at `at` reaches,
    /// in any order, and returns until when the answer stays the same.
    fn paths(&mut self, at: Time, from: StationId, into: &mut Vec<Path>) -> Time;

    /// From now on the way from one station to another loses so much, in dB, whatever lies between
    /// them. Nothing where there is no such channel.
    fn set_loss(&mut self, _from: StationId, _to: StationId, _loss: f64) {}

    /// The way from one station to another; `None` if it does not reach it.
    fn way(&mut self, at: Time, from: StationId, to: StationId) -> Option<Path> {
        let mut paths = Vec::new();
        self.paths(at, from, &mut paths);
        paths.into_iter().find(|path| path.to == to)
    }

    /// The fading of one signal over `distance` m, as a ratio of powers. `draw` gives uniform
    /// numbers between 0 and 1, both excluded.
    fn fading(&self, _distance: f64, _draw: &mut dyn FnMut() -> f64) -> f64 {
        1.0
    }
}

/// Until when what does not move stays where it is.
pub(crate) const FOREVER: Time = Time::from_nanos(u64::MAX);
