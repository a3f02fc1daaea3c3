//! The trait of models of path loss.

use std::fmt;

use netloom_mobility::Point;
use netloom_units::Time;

use crate::path::Path;

/// The two ends of a signal's path, and the time at which it is sent.
pub(crate) struct Route {
    pub at: Time,
    /// Numbers of the stations.
    pub from: u32,
    pub to: u32,
    /// Positions of the antennas, heights included.
    pub start: Point,
    pub end: Point,
}

impl Route {
    /// Returns the square of the distance, in m². It is at least a square centimetre, since the
    /// formulas are for the far field and their gain grows without bound at shorter distances.
    pub fn square(&self) -> f64 {
        (self.end - self.start).square().max(1e-4)
    }
}

/// A model of path loss.
pub(crate) trait PathLoss: fmt::Debug + Send + Sync {
    /// Returns the path with its loss, or `None` if nothing arrives.
    fn path(&self, route: &Route) -> Option<Path>;
    /// Returns a distance in m beyond which the loss exceeds `loss` dB between antennas up to
    /// `height` m high, or `None` if there is no such distance.
    fn farthest(&self, loss: f64, height: f64) -> Option<f64>;
}
