//! Moves nodes apart that cover each other.

use std::collections::HashMap;

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

/// Moves each pair of points apart that is too close. Returns whether there was one.
fn round(points: &mut [Point], radii: &[f64], cell: f64) -> bool {
    let place = |[x, y]: Point| ((x / cell).floor() as i64, (y / cell).floor() as i64);
    let mut cells: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
    for (node, point) in points.iter().enumerate() {
        cells.entry(place(*point)).or_default().push(node);
    }
    let mut any = false;
    for node in 0..points.len() {
        // Each pair is found from the larger one. A node may have moved since by less than a cell.
        let reach = (2.0 * radii[node] / cell).ceil() as i64 + 1;
        let (column, row) = place(points[node]);
        for column in column - reach..=column + reach {
            for row in row - reach..=row + reach {
                for &other in cells.get(&(column, row)).into_iter().flatten() {
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
