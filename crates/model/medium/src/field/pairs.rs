//! Ordered pairs of stations that are listed, each with a sender, a receiver, a delay and losses.

use netloom_mobility::{Point, Trajectory};
use netloom_units::Time;

use super::{Channel, FOREVER, Field, Path};
use crate::mac::PairConfig;
use crate::{StationConfig, StationId};

/// Power of all signals, in dBm: losses are random here.
const POWER: f64 = 0.0;

/// Stations and their pairs.
#[derive(Debug)]
pub(crate) struct Pairs {
    pairs: Vec<PairConfig>,
    stations: Vec<Option<(String, Trajectory)>>,
}

impl Pairs {
    pub fn new(pairs: &[PairConfig]) -> Self {
        Self { pairs: pairs.to_vec(), stations: Vec::new() }
    }

    fn name(&self, id: StationId) -> Option<&str> {
        self.stations.get(id.index())?.as_ref().map(|(name, _)| name.as_str())
    }

    fn number(&self, name: &str) -> Option<StationId> {
        let mut all = (0..).map(StationId).zip(&self.stations);
        all.find(|(_, station)| station.as_ref().is_some_and(|(known, _)| known == name))
            .map(|(id, _)| id)
    }
}

impl Field for Pairs {
    fn place(&mut self, _: Time, id: StationId, config: &StationConfig, moves: Trajectory) {
        if self.stations.len() <= id.index() {
            self.stations.resize_with(id.index() + 1, || None);
        }
        self.stations[id.index()] = Some((config.name.clone(), moves));
    }

    fn refit(&mut self, id: StationId, config: &StationConfig) {
        if let Some((name, _)) = self.stations.get_mut(id.index()).and_then(Option::as_mut) {
            name.clone_from(&config.name);
        }
    }

    fn remove(&mut self, id: StationId) -> Option<Trajectory> {
        Some(self.stations.get_mut(id.index())?.take()?.1)
    }

    fn position(&mut self, at: Time, id: StationId) -> Option<Point> {
        let (_, moves) = self.stations.get(id.index())?.as_ref()?;
        moves.on(at).then(|| moves.position(at))
    }

    fn trajectory_mut(&mut self, id: StationId) -> Option<&mut Trajectory> {
        Some(&mut self.stations.get_mut(id.index())?.as_mut()?.1)
    }

    fn paths(&mut self, _: Time, from: StationId, into: &mut Vec<Path>) -> Time {
        let Some(from) = self.name(from) else { return FOREVER };
        for pair in self.pairs.iter().filter(|pair| pair.from == from) {
            let Some(to) = self.number(&pair.to) else { continue };
            into.push(Path {
                to,
                power: POWER,
                delay: pair.delay,
                distance: 0.0,
                can_decode: true,
                channel: Channel { loss: pair.loss, ber: pair.ber },
            });
        }
        FOREVER
    }
}
