//! Which obstacles may be on a way: a grid of cells over all of them.

use super::Outline;

/// A grid over the plane, with the obstacles whose bounds touch each cell.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// The smallest coordinates of all.
    origin: [f64; 2],
    /// The size of a cell.
    cell: f64,
    columns: usize,
    rows: usize,
    /// Numbers of obstacles, a list for each cell, row by row.
    cells: Vec<Vec<u32>>,
}

/// Most cells along one side.
const MOST: f64 = 256.0;

impl Index {
    pub fn new<'a>(outlines: impl Iterator<Item = &'a Outline> + Clone) -> Self {
        let bounds: Vec<_> = outlines.map(Outline::bounds).collect();
        let fold = |side: usize, axis: usize| {
            let values = bounds.iter().map(|bounds| bounds[side][axis]);
            values.reduce(if side == 0 { f64::min } else { f64::max }).unwrap_or(0.0)
        };
        let origin = [fold(0, 0), fold(0, 1)];
        let size = [fold(1, 0) - origin[0], fold(1, 1) - origin[1]];
        // About one obstacle in a cell, if they are spread evenly.
        let even = libm::sqrt(size[0] * size[1] / bounds.len().max(1) as f64);
        let cell = even.max(size[0] / MOST).max(size[1] / MOST).max(1e-3);
        let count = |axis: usize| (size[axis] / cell) as usize + 1;
        let (columns, rows) = (count(0), count(1));
        let mut index =
            Self { origin, cell, columns, rows, cells: vec![Vec::new(); columns * rows] };
        for (number, [low, high]) in (0..).zip(&bounds) {
            let (from, to) = (index.place(*low), index.place(*high));
            for row in from[1]..=to[1] {
                for column in from[0]..=to[0] {
                    index.cells[row * columns + column].push(number);
                }
            }
        }
        index
    }

    /// The column and row of a point; those of the nearest cell for what is beyond.
    fn place(&self, at: [f64; 2]) -> [usize; 2] {
        let along = |axis: usize, most: usize| {
            // Casting saturates at 0.
            (((at[axis] - self.origin[axis]) / self.cell) as usize).min(most - 1)
        };
        [along(0, self.columns), along(1, self.rows)]
    }

    /// The numbers of obstacles that may be on the way, in order.
    pub fn on_the_way(&self, [from, to]: [[f64; 2]; 2]) -> impl Iterator<Item = usize> + use<> {
        let (low, high) = if from[1] <= to[1] { (from, to) } else { (to, from) };
        let (first, last) = (self.place(low)[1], self.place(high)[1]);
        let mut found: Vec<u32> = Vec::new();
        for row in first..=last {
            let [left, right] = self.columns_of(row, low, high);
            for column in left..=right {
                found.extend(&self.cells[row * self.columns + column]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|number| number as usize)
    }

    /// The first and last column that a way from `low` up to `high` touches in a row, with one more
    /// on each side for what floats are off.
    fn columns_of(&self, row: usize, low: [f64; 2], high: [f64; 2]) -> [usize; 2] {
        let rise = high[1] - low[1];
        let at = |y: f64| {
            let share = if rise > 0.0 { ((y - low[1]) / rise).clamp(0.0, 1.0) } else { 0.0 };
            low[0] + share * (high[0] - low[0])
        };
        let bottom = self.origin[1] + row as f64 * self.cell;
        let ends = match rise > 0.0 {
            true => [at(bottom), at(bottom + self.cell)],
            false => [low[0], high[0]],
        };
        let column = |x: f64| self.place([x, low[1]])[0];
        let columns = ends.map(column);
        let (left, right) = (columns[0].min(columns[1]), columns[0].max(columns[1]));
        [left.saturating_sub(1), (right + 1).min(self.columns - 1)]
    }
}
