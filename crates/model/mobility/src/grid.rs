//! A spatial index of moving points. It finds the points that may be near a place.
//!
//! The plane is divided into square cells. The time at which a point changes its cell follows from
//! its trajectory, so that no work is done between these events: a node of 20 m/s crosses a cell of
//! 550 m in some 27 s.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use netloom_units::{Duration, Length, Time};

use crate::{Leg, Point, Trajectory};

/// Points, sorted by the cells that contain them. Points are identified by small numbers.
#[derive(Debug, Clone)]
pub struct Grid {
    /// Side of a cell in m.
    cell: f64,
    cells: BTreeMap<Cell, Vec<u32>>,
    points: Vec<Option<GridSlot>>,
    /// Times at which points leave their cells or their legs end, with point and generation. A
    /// point that has changed leaves an old event behind; its generation shows that the event is
    /// outdated.
    events: BinaryHeap<Reverse<(Time, u32, u32)>>,
}

/// Column and row.
type Cell = (i64, i64);

/// The cell that contains a point.
#[derive(Debug, Clone, Copy)]
struct GridSlot {
    cell: Cell,
    generation: u32,
}

/// Maximum distance in m of a point from its cell. It covers the movement within a nanosecond and
/// rounding errors.
const SLACK: f64 = 1e-3;

impl Grid {
    /// Creates an index without points. Searches are fastest if a cell is about as large as the
    /// usual search radius.
    pub fn new(cell: Length) -> Self {
        let cell = cell.metres().max(SLACK);
        Self { cell, cells: BTreeMap::new(), points: Vec::new(), events: BinaryHeap::new() }
    }

    /// Inserts a point, or moves it after its trajectory has changed.
    pub fn put(&mut self, now: Time, point: u32, path: &Trajectory) {
        let generation = self.remove(point).map_or(0, |place| place.generation.wrapping_add(1));
        let leg = path.leg(now);
        let at = leg.position(now);
        let cell = self.cell_of(at);
        let index = point as usize;
        if self.points.len() <= index {
            self.points.resize(index + 1, None);
        }
        self.points[index] = Some(GridSlot { cell, generation });
        self.cells.entry(cell).or_default().push(point);
        let leaves = self.leaves(now, at, leg, cell);
        if let Some(event) = leaves.into_iter().chain(path.next_leg(now)).min() {
            self.events.push(Reverse((event, point, generation)));
        }
    }

    /// Removes a point.
    pub fn take(&mut self, point: u32) {
        if let (Some(place), Some(slot)) = (self.remove(point), self.points.get_mut(point as usize))
        {
            // The generation stays, so that outdated events are still recognised.
            *slot = Some(GridSlot { cell: NOWHERE, ..place });
        }
    }

    /// Returns the time at which a point may next change its cell. [`Grid::advance`] must be called
    /// then.
    pub fn next_event(&self) -> Option<Time> {
        self.events.peek().map(|Reverse((at, ..))| *at)
    }

    /// Carries out all events up to `now`. `path` returns a point's trajectory, which must be drawn
    /// beyond `now`.
    pub fn advance<'a>(&mut self, now: Time, path: impl Fn(u32) -> &'a Trajectory) {
        while let Some(Reverse((at, point, generation))) = self.events.peek().copied() {
            if at > now {
                return;
            }
            self.events.pop();
            let place = self.points.get(point as usize).copied().flatten();
            if place.is_some_and(|place| place.generation == generation && place.cell != NOWHERE) {
                self.put(at, point, path(point));
            }
        }
    }

    /// Returns the points that may be within `radius` m of a place in the plane, in ascending
    /// order. The result contains all points within the radius and some others.
    pub fn near(&self, at: Point, radius: f64) -> Vec<u32> {
        let reach = radius + SLACK;
        let (left, low) = self.cell_of(Point::flat(at.x - reach, at.y - reach));
        let (right, high) = self.cell_of(Point::flat(at.x + reach, at.y + reach));
        let mut found = Vec::new();
        // If the search has more columns than there are cells, visit the cells instead.
        let columns = u64::try_from(right.saturating_sub(left)).unwrap_or(u64::MAX);
        if columns > self.cells.len() as u64 {
            let rows = low..=high;
            let within = self.cells.range((left, i64::MIN)..=(right, i64::MAX));
            within
                .filter(|((_, row), _)| rows.contains(row))
                .for_each(|(_, points)| found.extend(points));
        } else {
            for column in left..=right {
                let cells = self.cells.range((column, low)..=(column, high));
                cells.for_each(|(_, points)| found.extend(points));
            }
        }
        found.sort_unstable();
        found
    }

    fn cell_of(&self, at: Point) -> Cell {
        // The cast saturates.
        (libm::floor(at.x / self.cell) as i64, libm::floor(at.y / self.cell) as i64)
    }

    /// Returns the time at which a point leaves its cell, if it stays on its leg. It is the first
    /// whole nanosecond at which the point is outside, or one nanosecond later.
    fn leaves(&self, now: Time, at: Point, leg: &Leg, cell: Cell) -> Option<Time> {
        let along = |at: f64, velocity: f64, cell: i64| {
            let border = if velocity < 0.0 { cell as f64 } else { cell.saturating_add(1) as f64 }
                * self.cell;
            if velocity == 0.0 { f64::INFINITY } else { (border - at) / velocity }
        };
        let seconds = along(at.x, leg.velocity.x, cell.0).min(along(at.y, leg.velocity.y, cell.1));
        // Add at least one nanosecond, so that time advances.
        let nanos = libm::ceil(seconds * 1e9).max(0.0) + 1.0;
        (nanos < u64::MAX as f64).then(|| now + Duration::from_nanos(nanos as u64))
    }

    /// Removes a point from its cell.
    fn remove(&mut self, point: u32) -> Option<GridSlot> {
        let place = self.points.get(point as usize).copied().flatten()?;
        if let Some(points) = self.cells.get_mut(&place.cell) {
            points.retain(|other| *other != point);
            if points.is_empty() {
                self.cells.remove(&place.cell);
            }
        }
        Some(place)
    }
}

/// The cell of points that are not in the index.
const NOWHERE: Cell = (i64::MIN, i64::MIN);
