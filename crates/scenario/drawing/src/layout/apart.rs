//! Moves nodes apart that cover each other.

use super::graph::Point;

/// Rounds after which there is more room for all.
const ROUNDS: usize = 30;

/// How much larger the drawing becomes then.
const LARGER: f64 = 1.2;

/// Most times that it does.
const TIMES: usize = 40;

/// Moves points apart until each has the room of its `radius`. Most points have about the same
/// radius.
pub(super) fn spread(points: &mut [Point], radii: &[f64]) {
    let mut sorted = radii.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(usual) = sorted.get(sorted.len() / 2) else { return };
    let cell = 2.0 * usual;
    for _ in 0..TIMES {
        if (0..ROUNDS).any(|_| !round(points, radii, cell)) {
            break;
        }
        points.iter_mut().flatten().for_each(|value| *value *= LARGER);
    }
}

/// The cells of a plane with the points in them, in buckets that are found by the cell's number.
struct Cells {
    of: Vec<(i64, i64)>,
    /// Where each bucket begins among `points`, and where the last one ends.
    begins: Vec<u32>,
    points: Vec<u32>,
}

impl Cells {
    fn of(points: &[Point], cell: f64) -> Self {
        let place = |[x, y]: &Point| ((x / cell).floor() as i64, (y / cell).floor() as i64);
        let of: Vec<(i64, i64)> = points.iter().map(place).collect();
        let buckets = (2 * points.len()).next_power_of_two();
        let mut begins = vec![0; buckets + 1];
        let mut cells = Self { of, begins: Vec::new(), points: vec![0; points.len()] };
        cells.of.iter().for_each(|of| begins[bucket(*of, buckets) + 1] += 1);
        (0..buckets).for_each(|at| begins[at + 1] += begins[at]);
        let mut next = begins.clone();
        for (node, of) in cells.of.iter().enumerate() {
            let next = &mut next[bucket(*of, buckets)];
            // There are fewer nodes than `u32` can number.
            cells.points[*next as usize] = node as u32;
            *next += 1;
        }
        Self { begins, ..cells }
    }

    /// Returns the points in a cell, in order.
    fn inside(&self, cell: (i64, i64)) -> impl Iterator<Item = usize> {
        let at = bucket(cell, self.begins.len() - 1);
        let all = self.begins[at] as usize..self.begins[at + 1] as usize;
        let inside = self.points[all].iter().map(|node| *node as usize);
        inside.filter(move |node| self.of[*node] == cell)
    }
}

/// Returns the bucket of a cell, of `count`, which is a power of two.
fn bucket((column, row): (i64, i64), count: usize) -> usize {
    let mixed = (column.wrapping_mul(73_856_093) ^ row.wrapping_mul(19_349_663)) as usize;
    mixed & (count - 1)
}

/// Moves each pair of points apart that is too close. Returns whether there was one.
fn round(points: &mut [Point], radii: &[f64], cell: f64) -> bool {
    let cells = Cells::of(points, cell);
    let mut any = false;
    for node in 0..points.len() {
        // Each pair is found from the larger one. A node may have moved since by less than a cell.
        let reach = (2.0 * radii[node] / cell).ceil() as i64 + 1;
        let [x, y] = points[node].map(|value| (value / cell).floor() as i64);
        for column in x - reach..=x + reach {
            for row in y - reach..=y + reach {
                for other in cells.inside((column, row)) {
                    let is_smaller = (radii[other], other) < (radii[node], node);
                    if is_smaller {
                        any |= separate(points, node, other, radii[node] + radii[other]);
                    }
                }
            }
        }
    }
    any
}

/// Moves two points to this distance if they are closer.
fn separate(points: &mut [Point], a: usize, b: usize, wanted: f64) -> bool {
    let [dx, dy] = [points[b][0] - points[a][0], points[b][1] - points[a][1]];
    let now = (dx * dx + dy * dy).sqrt();
    // Rounding must not keep the search going.
    if now >= 0.99 * wanted {
        return false;
    }
    // Points at the same place are separated by their numbers.
    let (dx, dy, length) = if now < 1e-6 {
        let turn = (a * 7 + b * 3) as f64;
        (libm::cos(turn), libm::sin(turn), 1.0)
    } else {
        (dx, dy, now)
    };
    let by = (wanted - now) / 2.0 / length;
    points[a] = [points[a][0] - dx * by, points[a][1] - dy * by];
    points[b] = [points[b][0] + dx * by, points[b][1] + dy * by];
    true
}
