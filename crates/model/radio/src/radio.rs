//! A channel at work: everything between two antennas.

use netloom_mobility::{Plane, Point};
use netloom_units::Time;

use crate::obstacles::Obstacles;
use crate::propagation::{PathLoss, Route};
use crate::shadowing::Shadowing;
use crate::{Antenna, Fading, LossGrid, RadioConfig, RadioError};

/// One end of a signal's path.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    /// The station's number, by which pairs are told apart.
    pub station: u32,
    /// Where the station is.
    pub at: Point,
    /// How much higher its antenna is than that, in m.
    pub height: f64,
    /// Its antenna.
    pub antenna: &'a Antenna,
}

/// What a signal meets on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// What is lost, in dB, less the gains of both antennas.
    pub loss: f64,
    /// Whether a frame can be understood at all. If not, it only occupies the channel (`range`
    /// with a `sense` beyond its `reach`).
    pub decodable: bool,
}

impl Path {
    pub(crate) const fn decodable(loss: f64) -> Self {
        Self { loss, decodable: true }
    }
}

/// What a channel needs beside its own keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The seed of shadows.
    pub seed: u64,
    /// The names of stations, in the order of their numbers: loss matrices name them.
    pub names: &'a [&'a str],
    /// What makes metres of degrees.
    pub plane: Option<&'a Plane>,
    /// What the file of `grid` holds.
    pub grid: Option<&'a LossGrid>,
}

/// A radio channel.
#[derive(Debug)]
pub struct Radio {
    propagation: Box<dyn PathLoss>,
    shadowing: Option<Shadowing>,
    obstacles: Obstacles,
    fading: Fading,
    /// The size of the squares that positions are rounded to, in m.
    quantise: Option<f64>,
}

impl Radio {
    /// A channel.
    ///
    /// # Errors
    /// A file has not been read, or names a station that there is not.
    pub fn new(config: &RadioConfig, given: &Surroundings<'_>) -> Result<Self, RadioError> {
        let shadowing = config.shadowing.as_ref();
        Ok(Self {
            propagation: config.propagation.at_work(config.frequency, given)?,
            shadowing: shadowing.map(|shadowing| Shadowing::new(shadowing, given.seed)),
            obstacles: Obstacles::new(&config.obstacles, given.plane)?,
            fading: config.fading.clone(),
            quantise: config.quantise.map(|square| square.metres()),
        })
    }

    /// The way of a signal that is sent at `at`, without fading: path loss, obstacles and shadow,
    /// less the gains of both antennas. `None` if nothing arrives.
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

    /// The loss in dB of [`Radio::path`].
    pub fn loss(&self, at: Time, from: &End<'_>, to: &End<'_>) -> Option<f64> {
        Some(self.path(at, from, to)?.loss)
    }

    /// The fading of one frame at one receiver over `distance` m, in dB, to be added to its power.
    /// `draw` gives uniform numbers between 0 and 1, both excluded.
    pub fn fading(&self, distance: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
        match &self.fading {
            Fading::None => 0.0,
            fading => crate::dbm(fading.factor(distance, draw)),
        }
    }

    /// A distance in m beyond which more than `loss` dB are lost on every path, fading and the
    /// gains of antennas left aside: for the search of who can hear something. `height` is that of
    /// the highest antenna, its z included. `None` if there is no such distance.
    pub fn farthest(&self, loss: f64, height: f64) -> Option<f64> {
        let shadows = self.shadowing.as_ref().map_or(0.0, Shadowing::most);
        // Both ends may be half a diagonal further away than the middles of their squares.
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
