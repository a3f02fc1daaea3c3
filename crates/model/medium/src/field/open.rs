//! Stations that move, and a radio channel between them.

use std::collections::BTreeMap;

use netloom_mobility::{Point, Trajectory};
use netloom_radio::{
    Antenna, End, Fading, LIGHT, Propagation, Radio, RadioError, Surroundings, milliwatts,
};
use netloom_units::{Duration, Time};

use super::grid::Grid;
use super::trajectories::Trajectories;
use super::{Channel, Field, Path};
use crate::{MediumConfig, StationConfig, StationId};

/// Number of stations up to which all of them are examined, without a spatial index.
const FEW: usize = 24;

/// An open field.
#[derive(Debug)]
pub(crate) struct OpenField {
    radio: Radio,
    trajectories: Trajectories,
    ends: Vec<Option<Terminal>>,
    /// Power of stations without a power of their own, and height of antennas.
    power: f64,
    height: f64,
    /// Power in dBm below which signals are ignored.
    ignore: f64,
    has_delay: bool,
    /// Whether losses change with time even if no station moves.
    changes: bool,
    has_fading: bool,
    grid: Option<Grid>,
    /// Whether the grid has to be rebuilt.
    is_stale: bool,
    /// Buffer for the stations that may be near enough.
    near: Vec<StationId>,
    /// Losses of pairs that override those computed from positions.
    losses: BTreeMap<(StationId, StationId), f64>,
}

/// Properties of one station.
#[derive(Debug)]
struct Terminal {
    antenna: Antenna,
    power: f64,
}

impl OpenField {
    /// Creates a field without stations.
    ///
    /// # Errors
    /// A file of the channel has not been read, or does not fit the stations.
    pub fn new(config: &MediumConfig, given: &Surroundings<'_>) -> Result<Self, RadioError> {
        Ok(Self {
            radio: Radio::new(&config.radio, given)?,
            trajectories: Trajectories::default(),
            ends: Vec::new(),
            power: config.power.dbm(),
            height: config.height.metres(),
            ignore: config.ignored_below(),
            has_delay: config.propagation_delay,
            changes: matches!(config.radio.propagation, Propagation::Matrix(_)),
            has_fading: config.radio.fading != Fading::None,
            grid: None,
            is_stale: true,
            near: Vec::new(),
            losses: BTreeMap::new(),
        })
    }

    /// Rebuilds the grid if antennas or powers have changed, and updates the stations in it.
    fn index(&mut self, at: Time) {
        if self.is_stale {
            self.is_stale = false;
            self.grid = self.distance(at).map(Grid::new);
            if let Some(grid) = &mut self.grid {
                let ids: Vec<_> = self.trajectories.ids().collect();
                for id in ids {
                    grid.update(at, id, &mut self.trajectories);
                }
            }
        }
        if let Some(grid) = &mut self.grid {
            grid.run(at, &mut self.trajectories);
        }
    }

    /// Returns the distance within which all reachable stations are. Returns `None` if it is
    /// unknown, or if there are too few stations for an index to pay.
    fn distance(&mut self, at: Time) -> Option<f64> {
        if self.trajectories.len() <= FEW {
            return None;
        }
        let ends = self.ends.iter().flatten();
        let (power, gain) = ends.fold((f64::MIN, 0.0f64), |(power, gain), end| {
            (power.max(end.power), gain.max(end.antenna.largest()))
        });
        let ids: Vec<_> = self.trajectories.ids().collect();
        let highest = ids
            .into_iter()
            .filter_map(|id| self.trajectories.position(at, id))
            .fold(0.0f64, |highest, position| highest.max(position.z));
        let fading = if self.has_fading { FADING_GAIN } else { 0.0 };
        let budget = power + 2.0 * gain + fading - self.ignore;
        self.radio.farthest(budget, highest + self.height)
    }

    fn path(&self, at: Time, from: (StationId, Point), to: (StationId, Point)) -> Option<Path> {
        let [sender, receiver] = [from, to].map(|(id, _)| self.ends.get(id.index()));
        let (sender, receiver) = (sender?.as_ref()?, receiver?.as_ref()?);
        let end = |(id, at): (StationId, Point), antenna| End {
            station: id.0,
            at,
            height: self.height,
            antenna,
        };
        let (loss, can_decode) = match self.losses.get(&(from.0, to.0)) {
            Some(loss) => (*loss, true),
            None => {
                let (sender, receiver) = (&sender.antenna, &receiver.antenna);
                let way = self.radio.path(at, &end(from, sender), &end(to, receiver))?;
                (way.loss, way.decodable)
            }
        };
        let power = sender.power - loss;
        let fading = if self.has_fading { FADING_GAIN } else { 0.0 };
        if power + fading < self.ignore {
            return None;
        }
        let distance = from.1.distance(to.1);
        let delay = if self.has_delay { libm::round(distance / LIGHT * 1e9) as u64 } else { 0 };
        Some(Path {
            to: to.0,
            power,
            delay: Duration::from_nanos(delay),
            distance,
            can_decode,
            channel: Channel::default(),
        })
    }
}

/// Gain by fading, in dB, up to which a weak signal still counts.
const FADING_GAIN: f64 = 10.0;

impl Field for OpenField {
    fn place(&mut self, now: Time, id: StationId, config: &StationConfig, moves: Trajectory) {
        self.trajectories.set(now, id, moves);
        self.refit(id, config);
    }

    fn refit(&mut self, id: StationId, config: &StationConfig) {
        if self.ends.len() <= id.index() {
            self.ends.resize_with(id.index() + 1, || None);
        }
        let power = config.power.map_or(self.power, |power| power.dbm());
        self.ends[id.index()] = Some(Terminal { antenna: config.antenna.clone(), power });
        self.is_stale = true;
    }

    fn remove(&mut self, id: StationId) -> Option<Trajectory> {
        if let Some(end) = self.ends.get_mut(id.index()) {
            *end = None;
        }
        self.losses.retain(|(from, to), _| *from != id && *to != id);
        self.is_stale = true;
        self.trajectories.remove(id)
    }

    fn position(&mut self, at: Time, id: StationId) -> Option<Point> {
        self.trajectories.position(at, id)
    }

    fn trajectory_mut(&mut self, id: StationId) -> Option<&mut Trajectory> {
        self.trajectories.get_mut(id)
    }

    fn moved(&mut self, now: Time, id: StationId) {
        if let Some(grid) = &mut self.grid {
            grid.update(now, id, &mut self.trajectories);
        }
    }

    fn paths(&mut self, at: Time, from: StationId, into: &mut Vec<Path>) -> Time {
        self.index(at);
        let Some(here) = self.trajectories.position(at, from) else { return at };
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        match &self.grid {
            Some(grid) => near.extend(grid.near(here)),
            None => near.extend(self.trajectories.ids()),
        }
        if self.grid.is_some() {
            let listed = self.losses.range((from, StationId(0))..=(from, StationId(u32::MAX)));
            near.extend(listed.map(|((_, to), _)| *to));
            near.sort_unstable();
            near.dedup();
        }
        for to in near.iter().filter(|to| **to != from) {
            if let Some(there) = self.trajectories.position(at, *to) {
                into.extend(self.path(at, (from, here), (*to, there)));
            }
        }
        self.near = near;
        if self.changes {
            return at;
        }
        self.trajectories.still_until(at)
    }

    fn set_loss(&mut self, from: StationId, to: StationId, loss: f64) {
        self.losses.insert((from, to), loss);
    }

    fn way(&mut self, at: Time, from: StationId, to: StationId) -> Option<Path> {
        let [here, there] = [from, to].map(|id| self.trajectories.position(at, id));
        self.path(at, (from, here?), (to, there?))
    }

    fn fading(&self, distance: f64, draw: &mut dyn FnMut() -> f64) -> f64 {
        if self.has_fading { milliwatts(self.radio.fading(distance, draw)) } else { 1.0 }
    }
}
