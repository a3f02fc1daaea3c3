//! A cable or a hub: every station hears every other, after the propagation delay between them.

use netloom_mobility::{Point, Trajectory};
use netloom_radio::LIGHT;
use netloom_units::{Duration, Time};

use super::{Channel, FOREVER, Field, Path};
use crate::mac::{CableConfig, CableShape};
use crate::{StationConfig, StationId};

/// Power of all signals, in dBm: a cable has no loss.
const POWER: f64 = 0.0;

/// A cable with stations.
#[derive(Debug)]
pub(crate) struct Cable {
    config: CableConfig,
    stations: Vec<Option<Tap>>,
}

/// Connection of a station to the cable.
#[derive(Debug)]
struct Tap {
    /// Metres from one end; `None` where stations are spread evenly.
    at: Option<f64>,
    /// Its movement in space, which has no effect here.
    moves: Trajectory,
}

impl Cable {
    pub fn new(config: &CableConfig) -> Self {
        Self { config: config.clone(), stations: Vec::new() }
    }

    /// Returns the stations and their positions, in metres from one end.
    fn places(&self) -> impl Iterator<Item = (StationId, f64)> {
        let length = self.config.length.metres();
        let taps = || (0..).zip(&self.stations).filter_map(|(id, tap)| Some((id, tap.as_ref()?)));
        let last = taps().count().saturating_sub(1).max(1) as f64;
        taps().enumerate().map(move |(rank, (id, tap))| {
            (StationId(id), tap.at.unwrap_or(length * rank as f64 / last))
        })
    }
}

impl Field for Cable {
    fn place(&mut self, _: Time, id: StationId, config: &StationConfig, moves: Trajectory) {
        if self.stations.len() <= id.index() {
            self.stations.resize_with(id.index() + 1, || None);
        }
        let at = config.at.map(|at| at.metres());
        self.stations[id.index()] = Some(Tap { at, moves });
    }

    fn refit(&mut self, id: StationId, config: &StationConfig) {
        if let Some(tap) = self.stations.get_mut(id.index()).and_then(Option::as_mut) {
            tap.at = config.at.map(|at| at.metres());
        }
    }

    fn remove(&mut self, id: StationId) -> Option<Trajectory> {
        Some(self.stations.get_mut(id.index())?.take()?.moves)
    }

    fn position(&mut self, at: Time, id: StationId) -> Option<Point> {
        let tap = self.stations.get(id.index())?.as_ref()?;
        tap.moves.on(at).then(|| tap.moves.position(at))
    }

    fn trajectory_mut(&mut self, id: StationId) -> Option<&mut Trajectory> {
        Some(&mut self.stations.get_mut(id.index())?.as_mut()?.moves)
    }

    fn paths(&mut self, _: Time, from: StationId, into: &mut Vec<Path>) -> Time {
        let Some((_, here)) = self.places().find(|(id, _)| *id == from) else { return FOREVER };
        let speed = self.config.velocity * LIGHT;
        for (to, there) in self.places().filter(|(id, _)| *id != from) {
            let distance = match self.config.shape {
                CableShape::Bus => (there - here).abs(),
                CableShape::Hub => self.config.length.metres(),
            };
            let delay = Duration::from_nanos(libm::round(distance / speed * 1e9) as u64);
            let channel = Channel::default();
            into.push(Path { to, power: POWER, delay, distance, can_decode: true, channel });
        }
        FOREVER
    }
}
