//! The layout of a small graph from all of its distances: classical multidimensional scaling
//! (Torgerson 1952) for the start, then stress majorization (Gansner, Koren, North 2004).

use super::axes::main_axes;
use super::graph::Point;

/// Rounds of majorization.
const STRESS_ROUNDS: usize = 80;

/// Computes points for nodes with these distances.
pub(super) fn place(distances: &[Vec<f64>]) -> Vec<Point> {
    let mut points = scale(distances);
    for _ in 0..STRESS_ROUNDS {
        points = majorize(&points, distances);
    }
    points
}

/// Computes the two main axes of the doubly centred matrix of squared distances.
fn scale(distances: &[Vec<f64>]) -> Vec<Point> {
    let count = distances.len();
    let mean = |row: &Vec<f64>| row.iter().map(|d| d * d).sum::<f64>() / count as f64;
    let means: Vec<f64> = distances.iter().map(mean).collect();
    let total = means.iter().sum::<f64>() / count as f64;
    let centred = |a: usize, b: usize| {
        let distance = distances[a][b];
        -0.5 * (distance * distance - means[a] - means[b] + total)
    };
    let times = |vector: &[f64]| {
        (0..count).map(|a| (0..count).map(|b| centred(a, b) * vector[b]).sum()).collect()
    };
    let [(first, stretched), (second, less)] = main_axes(count, times);
    let (wide, high) = (stretched.sqrt(), less.sqrt());
    first.iter().zip(&second).map(|(x, y)| [x * wide, y * high]).collect()
}

/// One round of majorization: every node moves to the weighted mean of where the others would place
/// it. Near nodes have more weight.
fn majorize(points: &[Point], distances: &[Vec<f64>]) -> Vec<Point> {
    let moved = |a: usize| {
        let (mut sum, mut weights) = ([0.0, 0.0], 0.0);
        for (b, other) in points.iter().enumerate().filter(|(b, _)| *b != a) {
            let wanted = distances[a][b];
            let [dx, dy] = [points[a][0] - other[0], points[a][1] - other[1]];
            let now = (dx * dx + dy * dy).sqrt();
            // Nodes at the same point are separated by their order.
            let (dx, dy, now) =
                if now < 1e-6 { (1.0, a as f64 - b as f64, 2.0) } else { (dx, dy, now) };
            let weight = 1.0 / (wanted * wanted);
            sum[0] += weight * (other[0] + wanted * dx / now);
            sum[1] += weight * (other[1] + wanted * dy / now);
            weights += weight;
        }
        if weights > 0.0 { [sum[0] / weights, sum[1] / weights] } else { points[a] }
    };
    (0..points.len()).map(moved).collect()
}
