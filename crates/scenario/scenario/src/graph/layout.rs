//! Layout of nodes such that their distances on paper resemble their distances in hops: classical
//! multidimensional scaling (Torgerson 1952) for the start, then stress majorization (Gansner,
//! Koren, North 2004). It uses only sums, products and square roots, so that every machine computes
//! the same layout.

use std::collections::VecDeque;

/// A point on the paper.
pub(super) type Point = [f64; 2];

/// Largest number of nodes for the quadratic layout. With more, it takes too long, and nobody could
/// read the drawing.
const MOST: usize = 1500;

/// Rounds of power iteration for each axis.
const AXIS_ROUNDS: usize = 60;

/// Rounds of majorization.
const STRESS_ROUNDS: usize = 80;

/// Computes points for `count` nodes that are joined by `edges`. The unit is about one hop.
pub(super) fn place(count: usize, edges: &[(usize, usize)]) -> Vec<Point> {
    if count > MOST {
        return circle(count);
    }
    let distances = distances(count, edges);
    let mut points = scale(&distances);
    for _ in 0..STRESS_ROUNDS {
        points = majorize(&points, &distances);
    }
    points
}

/// Arranges nodes in a ring, one unit apart. The coordinates are rational, so that no
/// implementation of sine can make a difference.
fn circle(count: usize) -> Vec<Point> {
    let radius = count as f64 / std::f64::consts::TAU;
    let place = |index: usize| {
        let turn = 4.0 * index as f64 / count as f64;
        let (quarter, s) = (turn.floor(), turn.fract());
        let (x, y) = ((1.0 - s * s) / (1.0 + s * s), 2.0 * s / (1.0 + s * s));
        let [x, y] = match quarter as u8 {
            0 => [x, y],
            1 => [-y, x],
            2 => [-x, -y],
            _ => [y, -x],
        };
        [x * radius, y * radius]
    };
    (0..count).map(place).collect()
}

/// Returns distances in hops. Nodes that cannot reach each other get a large but drawable distance.
fn distances(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<f64>> {
    let mut neighbours = vec![Vec::new(); count];
    for &(a, b) in edges {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    let apart = 1.0 + (count as f64).sqrt();
    (0..count).map(|start| from(start, &neighbours, apart)).collect()
}

fn from(start: usize, neighbours: &[Vec<usize>], apart: f64) -> Vec<f64> {
    let mut hops = vec![None; neighbours.len()];
    hops[start] = Some(0u32);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, distance)) = queue.pop_front() {
        for &next in &neighbours[node] {
            if hops[next].is_none() {
                hops[next] = Some(distance + 1);
                queue.push_back((next, distance + 1));
            }
        }
    }
    hops.into_iter().map(|hops| hops.map_or(apart, f64::from)).collect()
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

#[cfg(test)]
mod tests {
    use super::{MOST, Point, place};

    fn distance(a: Point, b: Point) -> f64 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    /// Returns the smallest distance between two of the points. All of them must be finite.
    fn closest(points: &[Point]) -> f64 {
        assert!(points.iter().flatten().all(|value| value.is_finite()));
        let pairs = (0..points.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| distance(points[a], points[b])).fold(f64::INFINITY, f64::min)
    }

    fn ring(count: usize) -> Vec<(usize, usize)> {
        (0..count).map(|index| (index, (index + 1) % count)).collect()
    }

    #[test]
    fn a_ring_is_round() {
        let points = place(100, &ring(100));
        let radii: Vec<f64> = points.iter().map(|point| distance(*point, [0.0, 0.0])).collect();
        let mean = radii.iter().sum::<f64>() / 100.0;
        assert!(radii.iter().all(|radius| (radius / mean - 1.0).abs() < 0.02), "{radii:?}");
        assert!(closest(&points) > 0.5, "{}", closest(&points));
    }

    #[test]
    fn nodes_do_not_lie_on_each_other() {
        let star: Vec<(usize, usize)> = (1..21).map(|leaf| (0, leaf)).collect();
        let two_pairs = vec![(0, 1), (2, 3)];
        for (count, edges) in [(21, star), (4, two_pairs), (3, Vec::new()), (2, vec![(0, 1)])] {
            let points = place(count, &edges);
            assert!(closest(&points) > 0.25, "{count}: {}", closest(&points));
        }
    }

    #[test]
    fn neighbours_are_about_one_hop_apart() {
        let mut edges = ring(6);
        edges.push((0, 3));
        let points = place(6, &edges);
        for (a, b) in edges {
            let apart = distance(points[a], points[b]);
            assert!((0.6..1.5).contains(&apart), "{a} and {b} are {apart} apart");
        }
    }

    #[test]
    fn layouts_work_for_no_node_one_node_and_very_many() {
        assert!(place(0, &[]).is_empty());
        assert!(place(1, &[])[0].iter().all(|value| value.is_finite()));
        let many = place(MOST + 1, &ring(MOST + 1));
        assert!(closest(&many) > 0.5);
    }
}
