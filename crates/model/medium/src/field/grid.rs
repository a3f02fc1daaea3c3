//! A spatial index: squares of the plane and the stations in each. It is updated when a station
//! crosses a border. No station is examined in between.

use std::collections::BTreeMap;

use netloom_mobility::Point;
use netloom_units::{Duration, Time};

use super::trajectories::Trajectories;
use crate::StationId;
use crate::agenda::Agenda;

type Square = (i64, i64);

/// Extra size of squares, as a share of the search distance. It allows for positions that are a
/// little older.
const SLACK: f64 = 0.01;

/// The squares of a plane.
#[derive(Debug)]
pub(super) struct Grid {
    /// Side of a square, in m.
    side: f64,
    squares: BTreeMap<Square, Vec<StationId>>,
    /// Square of each station.
    homes: Vec<Option<Square>>,
    /// Time at which each station may leave its square.
    agenda: Agenda,
    /// Largest z in m of all legs so far.
    highest: f64,
}

impl Grid {
    /// Creates squares such that all stations within `distance` m of a point are in its square or
    /// an adjacent one.
    pub fn new(distance: f64) -> Self {
        let side = distance.max(1.0) * (1.0 + SLACK);
        let agenda = Agenda::default();
        let (squares, homes) = (BTreeMap::new(), Vec::new());
        Self { side, squares, homes, agenda, highest: f64::MIN }
    }

    /// Updates the square of a station.
    pub fn update(&mut self, at: Time, id: StationId, trajectories: &mut Trajectories) {
        self.agenda.grow(id.index() + 1);
        if self.homes.len() <= id.index() {
            self.homes.resize(id.index() + 1, None);
        }
        let Some(trajectory) = trajectories.get(at, id) else {
            self.settle(id, None);
            self.agenda.clear(id.0);
            return;
        };
        let (position, velocity) = (trajectory.position(at), trajectory.velocity(at));
        self.settle(id, Some(self.square(position)));
        let next = trajectory.next_leg(at).or(trajectory.known_until());
        let crossing = at + self.crossing(position, velocity);
        let due =
            next.map_or(crossing, |next| next.min(crossing)).max(at + Duration::from_nanos(1));
        self.agenda.set(id.0, (due, u64::from(id.0)));
        let highest = trajectories.highest(at, id);
        self.highest = self.highest.max(highest.unwrap_or(f64::MIN));
    }

    /// Processes the border crossings up to `at`.
    pub fn run(&mut self, at: Time, trajectories: &mut Trajectories) {
        while let Some(((due, _), id)) = self.agenda.first()
            && due <= at
        {
            self.update(due, StationId(id), trajectories);
        }
    }

    /// Returns the largest z in m that a station has reached, or reaches on its present leg.
    pub fn highest(&self) -> f64 {
        self.highest
    }

    /// Returns all stations within the distance of a point, and some farther ones.
    pub fn near(&self, point: Point) -> impl Iterator<Item = StationId> {
        let (x, y) = self.square(point);
        let around = (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| (x, y)));
        around.filter_map(|square| self.squares.get(&square)).flatten().copied()
    }

    fn square(&self, point: Point) -> Square {
        // The casts saturate.
        (libm::floor(point.x / self.side) as i64, libm::floor(point.y / self.side) as i64)
    }

    /// Returns the time that a station stays in its square. It may be a little too long if the
    /// station is about to leave. The slack allows for that.
    fn crossing(&self, position: Point, velocity: Point) -> Duration {
        let along = |position: f64, velocity: f64| {
            let from_low = position - libm::floor(position / self.side) * self.side;
            let way = if velocity > 0.0 { self.side - from_low } else { from_low };
            (way + self.side * SLACK / 4.0) / libm::fabs(velocity)
        };
        let x = along(position.x, velocity.x);
        let y = along(position.y, velocity.y);
        // The time of a station that does not move is infinite: the cast saturates.
        let nanos = x.min(y) * 1e9;
        if nanos.is_finite() {
            Duration::from_nanos(nanos as u64)
        } else {
            Duration::from_nanos(u64::MAX)
        }
    }

    fn settle(&mut self, id: StationId, square: Option<Square>) {
        let home = &mut self.homes[id.index()];
        if *home == square {
            return;
        }
        if let Some(left) = home.and_then(|home| self.squares.get_mut(&home)) {
            left.retain(|other| *other != id);
        }
        if let Some(square) = square {
            self.squares.entry(square).or_default().push(id);
        }
        *home = square;
    }
}
