//! Parts of a network that are not connected, beside each other in rows.

use super::graph::Point;

/// Room between two parts.
const BETWEEN: f64 = 1.0;

/// How much wider than high the page is to be, about.
const WIDE: f64 = 1.5;

/// Moves the parts to places of their own: the largest first, from left to right, in rows.
pub(super) fn beside(mut parts: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
    let sizes: Vec<[f64; 2]> = parts.iter_mut().map(|part| to_corner(part)).collect();
    let area: f64 = sizes.iter().map(|[w, h]| (w + BETWEEN) * (h + BETWEEN)).sum();
    let width = sizes.iter().map(|[w, _]| *w).fold((area * WIDE).sqrt(), f64::max);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|a, b| sizes[*b][1].total_cmp(&sizes[*a][1]).then(a.cmp(b)));
    let ([mut left, mut top], mut row) = ([0.0, 0.0], 0.0);
    for number in order {
        let [w, h] = sizes[number];
        if left > 0.0 && left + w > width {
            (left, top, row) = (0.0, top + row + BETWEEN, 0.0);
        }
        parts[number].iter_mut().for_each(|[x, y]| (*x, *y) = (*x + left, *y + top));
        (left, row) = (left + w + BETWEEN, f64::max(row, h));
    }
    parts
}

/// Moves points such that the smallest coordinates are 0. Returns the largest.
fn to_corner(points: &mut [Point]) -> [f64; 2] {
    [0, 1].map(|axis| {
        let all = || points.iter().map(|point| point[axis]);
        let least = all().fold(f64::INFINITY, f64::min);
        let most = all().fold(f64::NEG_INFINITY, f64::max);
        points.iter_mut().for_each(|point| point[axis] -= least);
        most - least
    })
}
