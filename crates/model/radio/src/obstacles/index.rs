//! An index of obstacles: a grid of cells that finds those that may be on a path.

use super::Outline;

/// A grid over the plane. Each cell lists the obstacles whose bounds touch it.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// The smallest x and y of all obstacles.
    origin: [f64; 2],
    /// The side of a cell.
    cell: f64,
    columns: usize,
    rows: usize,
    /// Numbers of the obstacles of each cell, row by row.
    cells: Vec<Vec<u32>>,
}

/// Maximum number of cells along one side.
const MOST: f64 = 256.0;

/// Maximum number of cells that list an obstacle, on average, beyond those of a small index. A file
/// may have many obstacles that are each as large as the whole plane.
const MOST_CELLS: f64 = 16.0;
const SMALL: f64 = 65_536.0;

impl Index {
    pub fn new<'a>(outlines: impl Iterator<Item = &'a Outline> + Clone) -> Self {
        let bounds: Vec<_> = outlines.map(Outline::bounds).collect();
        let fold = |side: usize, axis: usize| {
            let values = bounds.iter().map(|bounds| bounds[side][axis]);
            values.reduce(if side == 0 { f64::min } else { f64::max }).unwrap_or(0.0)
        };
        let origin = [fold(0, 0), fold(0, 1)];
        let size = [fold(1, 0) - origin[0], fold(1, 1) - origin[1]];
        // A cell has about one obstacle if they are spread evenly.
        let even = libm::sqrt(size[0] * size[1] / bounds.len().max(1) as f64);
        let mut cell = even.max(size[0] / MOST).max(size[1] / MOST).max(1e-3);
        let within = |bounds: &[[f64; 2]; 2], cell: f64| -> f64 {
            let along = |axis: usize| ((bounds[1][axis] - bounds[0][axis]) / cell).max(0.0) + 2.0;
            along(0) * along(1)
        };
        // Cells twice as large make it a quarter, down to the cells at the corners.
        let listed = |cell: f64| bounds.iter().map(|bounds| within(bounds, cell)).sum::<f64>();
        while listed(cell) > MOST_CELLS * bounds.len() as f64 + SMALL && cell.is_normal() {
            cell *= 2.0;
        }
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

    /// Returns the column and row of a point. For a point outside the grid it is the nearest cell.
    fn place(&self, at: [f64; 2]) -> [usize; 2] {
        let along = |axis: usize, most: usize| {
            // The cast saturates at 0.
            (((at[axis] - self.origin[axis]) / self.cell) as usize).min(most - 1)
        };
        [along(0, self.columns), along(1, self.rows)]
    }

    /// Returns the numbers of all obstacles that may be on the path, in ascending order.
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

    /// Returns the first and the last column that a path from `low` up to `high` touches in a row.
    /// One more column on each side allows for rounding errors.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Obstacles that are each as large as the plane do not make an index of all times all.
    #[test]
    fn large_obstacles_are_listed_in_few_cells() {
        let square = |side: f64| Outline {
            rings: vec![vec![[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]],
        };
        let many: Vec<Outline> = (0..20_000).map(|n| square(1000.0 + f64::from(n))).collect();
        let index = Index::new(many.iter());
        let listed: usize = index.cells.iter().map(Vec::len).sum();
        assert!(listed <= 16 * many.len() + 65_536, "{listed}");
        assert_eq!(index.on_the_way([[500.0, -1.0], [500.0, 2.0]]).count(), many.len());
        // Small ones, spread evenly, still have a cell each.
        let spread = (0..10_000).map(|n| {
            let (x, y) = (f64::from(n % 100) * 50.0, f64::from(n / 100) * 50.0);
            Outline { rings: vec![vec![[x, y], [x + 9.0, y], [x, y + 9.0]]] }
        });
        let spread: Vec<Outline> = spread.collect();
        let index = Index::new(spread.iter());
        assert!(index.columns >= 90 && index.rows >= 90, "{} {}", index.columns, index.rows);
        // One without corners has no bounds.
        let empty = [Outline { rings: vec![] }];
        assert!(Index::new(empty.iter()).on_the_way([[0.0; 2], [1.0; 2]]).count() <= 1);
    }
}
