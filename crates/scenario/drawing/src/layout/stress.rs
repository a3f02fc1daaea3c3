//! The layout of a small graph from all of its distances: classical multidimensional scaling
//! (Torgerson 1952) for the start, then stress majorization (Gansner, Koren, North 2004).

use super::graph::Point;

/// Rounds of power iteration for each axis.
const AXIS_ROUNDS: usize = 60;

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
    let mut axes: Vec<Vec<f64>> = Vec::new();
    for axis in 0..2 {
        // Any start vector works whose components are not all equal.
        let start =
            |index: usize| ((index * 7919 + axis * 104_729 + 13) % 1009) as f64 / 1009.0 - 0.5;
        let mut vector: Vec<f64> = (0..count).map(start).collect();
        let mut length = 0.0;
        for _ in 0..AXIS_ROUNDS {
            for other in &axes {
                let norm = dot(other, other).max(f64::MIN_POSITIVE);
                let part = dot(&vector, other) / norm;
                vector.iter_mut().zip(other).for_each(|(value, other)| *value -= part * other);
            }
            let row = |a: usize| (0..count).map(|b| centred(a, b) * vector[b]).sum();
            let next: Vec<f64> = (0..count).map(row).collect();
            length = dot(&next, &next).sqrt();
            vector = next.iter().map(|value| value / length.max(1e-9)).collect();
        }
        // The eigenvalue of the matrix is now the factor by which a unit vector grows.
        vector.iter_mut().for_each(|value| *value *= length.sqrt());
        axes.push(vector);
    }
    axes[0].iter().zip(&axes[1]).map(|(x, y)| [*x, *y]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
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
