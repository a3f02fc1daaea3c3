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

/// Share of a distance that rounding in the channel's formulas is allowed.
const ROUNDING: f64 = 1e-6;

/// Share of their height by which stations may climb before the bound of distances is computed
/// again.
const CLIMB: f64 = 0.25;

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
    /// How far signals reach, while there is a grid.
    reach: Option<Reach>,
    /// Whether the grid has to be rebuilt.
    is_stale: bool,
    /// Buffer for the stations that may be near enough.
    near: Vec<StationId>,
    /// Losses of pairs that override those computed from positions.
    losses: BTreeMap<(StationId, StationId), f64>,
}

/// Bound of all distances over which a signal is not ignored.
#[derive(Debug, Clone, Copy)]
struct Reach {
    /// Longest distance in the plane, in m.
    distance: f64,
    /// Largest z of the stations in m, for which it was computed.
    highest: f64,
}

impl Reach {
    /// Whether no signal gets from one of these points to the other.
    fn excludes(self, from: Point, to: Point) -> bool {
        let (x, y) = (to.x - from.x, to.y - from.y);
        let distance = self.distance * (1.0 + ROUNDING);
        x * x + y * y > distance * distance
    }
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
            reach: None,
            is_stale: true,
            near: Vec::new(),
            losses: BTreeMap::new(),
        })
    }

    /// Rebuilds the grid if antennas or powers have changed or a station has climbed higher than
    /// all before, and updates the stations in it.
    fn index(&mut self, at: Time) {
        if self.is_stale {
            self.is_stale = false;
            let ids: Vec<_> = self.trajectories.ids().collect();
            let heights = ids.iter().filter_map(|id| self.trajectories.highest(at, *id));
            let highest = heights.fold(0.0f64, f64::max);
            self.lay_grid(at, highest);
        }
        if let Some(grid) = &mut self.grid {
            grid.run(at, &mut self.trajectories);
        }
        let climbed = self.grid.as_ref().map(Grid::highest);
        if let (Some(climbed), Some(reach)) = (climbed, self.reach)
            && climbed > reach.highest
        {
            // Some more, so that this is rare while stations climb.
            let highest = climbed * (1.0 + CLIMB);
            match self.distance(highest) {
                Some(distance) if distance == reach.distance => {
                    self.reach = Some(Reach { highest, ..reach });
                }
                _ => self.lay_grid(at, highest),
            }
        }
    }

    /// Makes the grid for stations up to a height of `highest` m, if there are enough of them.
    fn lay_grid(&mut self, at: Time, highest: f64) {
        let distance = self.distance(highest);
        self.reach = distance.map(|distance| Reach { distance, highest });
        self.grid = distance.map(Grid::new);
        if let Some(grid) = &mut self.grid {
            let ids: Vec<_> = self.trajectories.ids().collect();
            for id in ids {
                grid.update(at, id, &mut self.trajectories);
            }
        }
    }

    /// Returns the distance in m within which all reachable stations are, if none is higher than
    /// `highest` m. Returns `None` if it is unknown, or if there are too few stations for an index
    /// to pay.
    fn distance(&self, highest: f64) -> Option<f64> {
        if self.trajectories.len() <= FEW {
            return None;
        }
        let ends = self.ends.iter().flatten();
        let (power, gain) = ends.fold((f64::MIN, 0.0f64), |(power, gain), end| {
            (power.max(end.power), gain.max(end.antenna.largest()))
        });
        let fading = if self.has_fading { FADING_GAIN } else { 0.0 };
        let budget = power + 2.0 * gain + fading - self.ignore;
        self.radio.farthest(budget, highest + self.height)
    }

    /// Whether a station is too far away for the other to hear it, whatever the channel does.
    fn is_beyond(&self, from: (StationId, Point), to: (StationId, Point)) -> bool {
        self.reach.is_some_and(|reach| reach.excludes(from.1, to.1))
            && !self.losses.contains_key(&(from.0, to.0))
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
            let Some(there) = self.trajectories.position(at, *to) else { continue };
            let (from, to) = ((from, here), (*to, there));
            if !self.is_beyond(from, to) {
                into.extend(self.path(at, from, to));
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

#[cfg(test)]
mod tests {
    use netloom_units::Stream;

    use super::*;

    const STATIONS: u32 = 60;

    /// A station that moves over several legs, some of them in the air, and is away at times.
    fn wanders(stream: &mut Stream) -> Trajectory {
        let mut point =
            |height: f64| Point::new(stream.uniform() * 2000.0, stream.uniform() * 2000.0, height);
        let mut moves = Trajectory::fixed(point(0.0));
        for leg in 0..8 {
            moves.go(point(if leg % 3 == 2 { 30.0 } else { 0.0 }), 200.0);
            moves.switch(leg % 4 != 1);
            moves.rest(Duration::from_millis(300));
        }
        moves
    }

    /// What `paths` leaves out early, `way` computes to the end.
    #[test]
    fn nobody_within_reach_is_left_out() {
        let config = MediumConfig::preset("wavelan").unwrap();
        let given = Surroundings { seed: 0, names: &[], plane: None, grid: None };
        let mut field = OpenField::new(&config, &given).unwrap();
        let mut stream = Stream::new(1, "places");
        for number in 0..STATIONS {
            let config = StationConfig::default();
            field.place(Time::ZERO, StationId(number), &config, wanders(&mut stream));
        }
        // Its loss is given, so it is heard at any distance.
        field.set_loss(StationId(0), StationId(1), 60.0);
        let (mut found, mut given_only) = (0, 0);
        for step in 0..200 {
            let at = Time::ZERO + Duration::from_millis(step * 97);
            let from =
                StationId(stream.below(u64::from(STATIONS)) as u32 * u32::from(step % 4 != 0));
            let mut paths = Vec::new();
            field.paths(at, from, &mut paths);
            paths.sort_unstable_by_key(|path| path.to);
            let others = (0..STATIONS).map(StationId).filter(|to| *to != from);
            let ways: Vec<Path> = others.filter_map(|to| field.way(at, from, to)).collect();
            found += ways.len();
            given_only += ways.iter().filter(|way| way.distance > 1000.0).count();
            assert_eq!(paths, ways, "from {from:?} at {at:?}");
        }
        assert!(found > 500 && given_only > 3, "{found} {given_only}");
    }
}
