//! A radio channel: everything between two antennas.

use std::sync::Arc;

use netloom_mobility::Point;
use netloom_units::Time;

use crate::obstacles::Obstacles;
use crate::path::Path;
use crate::propagation::{PathLoss, Route};
use crate::shadowing::Shadowing;
use crate::surroundings::Surroundings;
use crate::{Antenna, ErrorTable, Fading, Modulation, RadioConfig, RadioError};

/// One end of a signal's path.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// Number of the station, which distinguishes pairs of stations.
    pub station: u32,
    /// Position of the station.
    pub at: Point,
    /// Height of the antenna above the station's position, in m.
    pub height: f64,
    /// The station's antenna.
    pub antenna: &'a Antenna,
}

/// A radio channel.
#[derive(Debug)]
pub struct Radio {
    propagation: Box<dyn PathLoss>,
    shadowing: Option<Shadowing>,
    obstacles: Obstacles,
    fading: Fading,
    errors: Option<Arc<ErrorTable>>,
    /// Size of the squares to which positions are rounded, in m.
    quantise: Option<f64>,
}

impl Radio {
    /// Creates a channel.
    ///
    /// # Errors
    /// If a file has not been read, names an unknown station, or has places in degrees without a
    /// plane.
    pub fn new(config: &RadioConfig, given: &Surroundings<'_>) -> Result<Self, RadioError> {
        let shadowing = config.shadowing.as_ref();
        let errors = config
            .error_table
            .as_ref()
            .map(|table| table.values().cloned().ok_or_else(|| RadioError::unread(table.file())));
        Ok(Self {
            propagation: config.propagation.at_work(config.frequency, given)?,
            shadowing: shadowing.map(|shadowing| Shadowing::new(shadowing, given.seed)),
            obstacles: Obstacles::new(&config.obstacles, given.plane)?,
            fading: config.fading.clone(),
            errors: errors.transpose()?,
            quantise: config.quantise.map(|square| square.metres()),
        })
    }

    /// Returns the path of a signal that is sent at `at`, without fading. Its loss is the sum of
    /// path loss, obstacles and shadowing, minus the gains of both antennas. Returns `None` if
    /// nothing arrives.
    pub fn path(&self, at: Time, from: &End<'_>, to: &End<'_>) -> Option<Path> {
        let (start, end) = (self.antenna_at(from), self.antenna_at(to));
        let route = Route { at, from: from.station, to: to.station, start, end };
        let mut path = self.propagation.path(&route)?;
        path.loss += self.obstacles.loss(start, end);
        if let Some(shadowing) = &self.shadowing {
            path.loss += shadowing.loss((from.station, start), (to.station, end));
        }
        path.loss -= from.antenna.gain(start, end) + to.antenna.gain(end, start);
        Some(path)
    }

    /// Returns the loss in dB of [`Radio::path`].
    pub fn loss(&self, at: Time, from: &End<'_>, to: &End<'_>) -> Option<f64> {
        Some(self.path(at, from, to)?.loss)
    }

    /// Draws the fading of one frame at one receiver over `distance` m, in dB. It is added to the
    /// frame's power. `draw` returns uniform numbers between 0 and 1, both excluded.
    pub fn fading(&self, distance: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
        match &self.fading {
            Fading::None => 0.0,
            fading => crate::dbm(fading.factor(distance, draw)),
        }
    }

    /// Returns the logarithm of the probability that one bit survives at a plain ratio of `sinr`.
    /// It comes from the error table if there is one that has the rate, and from
    /// [`Modulation::log_success`] otherwise.
    pub fn log_success(&self, modulation: Modulation, sinr: f64) -> f64 {
        let table = self.errors.as_ref();
        let measured = table.and_then(|table| table.log_success(modulation.rate(), sinr));
        measured.unwrap_or_else(|| modulation.log_success(sinr))
    }

    /// Returns a distance in m beyond which the loss exceeds `loss` dB on every path, apart from
    /// fading and the gains of antennas. It bounds the search for stations that can hear a signal.
    /// `height` is that of the highest antenna, with its station's z. Returns `None` if there is no
    /// such distance.
    pub fn farthest(&self, loss: f64, height: f64) -> Option<f64> {
        let shadows = self.shadowing.as_ref().map_or(0.0, Shadowing::most);
        // Each end may be half a diagonal away from the middle of its square.
        let rounding = self.quantise.map_or(0.0, |square| square * std::f64::consts::SQRT_2);
        Some(self.propagation.farthest(loss + shadows, height)? + rounding)
    }

    fn antenna_at(&self, end: &End<'_>) -> Point {
        let round = |metres: f64| match self.quantise {
            Some(square) => (libm::floor(metres / square) + 0.5) * square,
            None => metres,
        };
        Point::new(round(end.at.x), round(end.at.y), end.at.z + end.height)
    }
}
