//! The layout of a large graph from some of its distances: those of all nodes from a few pivots.
//! The start is the scaling of these distances (Brandes, Pich 2006), then each node is pulled to
//! where its neighbours and the pivots want it, and a pivot speaks for the nodes around it
//! (Ortmann, Klimenta, Brandes 2017).

use super::axes::{dot, main_axes};
use super::graph::{Graph, Point};

/// Number of pivots.
const PIVOTS: usize = 60;

/// Rounds in which each node is pulled.
const ROUNDS: usize = 60;

/// A node whose distances to all others are known.
struct Pivot {
    node: usize,
    distances: Vec<f64>,
    /// The distances of those nodes to which no other pivot is nearer, in order.
    around: Vec<f64>,
}

impl Pivot {
    /// How much this pivot counts for a node at a distance: for itself and those nodes around it
    /// for which it stands as seen from there.
    fn weight(&self, distance: f64) -> f64 {
        let count = self.around.partition_point(|far| *far <= distance / 2.0);
        count.max(1) as f64 / (distance * distance)
    }
}

/// Lays out a graph whose nodes are all connected.
pub(super) fn place(graph: &Graph) -> Vec<Point> {
    let pivots = choose(graph);
    let mut points = scale(&pivots, graph.len());
    let pulls: Vec<Vec<Pull>> = (0..graph.len()).map(|node| pulls(node, graph, &pivots)).collect();
    for _ in 0..ROUNDS {
        for node in 0..points.len() {
            points[node] = pulled(node, &points, &pulls[node]);
        }
    }
    points
}

/// What pulls a node: another one, the distance at which it wants it, and its weight.
struct Pull {
    from: u32,
    wanted: f64,
    weight: f64,
}

/// Returns what pulls a node, in each round: its neighbours and the pivots. What is near has more
/// weight.
fn pulls(node: usize, graph: &Graph, pivots: &[Pivot]) -> Vec<Pull> {
    // There are fewer nodes than `u32` can number.
    let pull = |from: usize, wanted, weight| Pull { from: from as u32, wanted, weight };
    let neighbours = graph.neighbours(node).iter();
    let neighbours = neighbours.map(|&(from, far)| pull(from, far, 1.0 / (far * far)));
    let others = pivots.iter().filter(|pivot| pivot.node != node);
    let pivots = others.map(|pivot| {
        let far = pivot.distances[node];
        pull(pivot.node, far, pivot.weight(far))
    });
    neighbours.chain(pivots).collect()
}

/// Chooses nodes that are far from each other.
fn choose(graph: &Graph) -> Vec<Pivot> {
    let mut nearest = vec![(f64::INFINITY, 0); graph.len()];
    let mut pivots: Vec<Pivot> = Vec::new();
    let mut node = farthest(&graph.from(0));
    while pivots.len() < PIVOTS.min(graph.len()) {
        let distances = graph.from(node);
        for (nearest, distance) in nearest.iter_mut().zip(&distances) {
            if *distance < nearest.0 {
                *nearest = (*distance, pivots.len());
            }
        }
        pivots.push(Pivot { node, distances, around: Vec::new() });
        let least: Vec<f64> = nearest.iter().map(|(distance, _)| *distance).collect();
        node = farthest(&least);
    }
    for (distance, pivot) in nearest {
        pivots[pivot].around.push(distance);
    }
    pivots.iter_mut().for_each(|pivot| pivot.around.sort_by(f64::total_cmp));
    pivots
}

/// Returns the first node with the largest distance.
fn farthest(distances: &[f64]) -> usize {
    let far =
        |best: usize, node: usize| if distances[node] > distances[best] { node } else { best };
    (0..distances.len()).fold(0, far)
}

/// Returns the points on the two main axes of the doubly centred squares of the known distances, as
/// large as these distances.
fn scale(pivots: &[Pivot], count: usize) -> Vec<Point> {
    let square = |pivot: &Pivot, node: usize| pivot.distances[node] * pivot.distances[node];
    let of_pivot: Vec<f64> = pivots
        .iter()
        .map(|pivot| (0..count).map(|node| square(pivot, node)).sum::<f64>() / count as f64)
        .collect();
    let all = of_pivot.iter().sum::<f64>() / pivots.len() as f64;
    let rows: Vec<Vec<f64>> = (0..count)
        .map(|node| {
            let mean =
                pivots.iter().map(|pivot| square(pivot, node)).sum::<f64>() / pivots.len() as f64;
            let centred = |(pivot, of_pivot)| -0.5 * (square(pivot, node) - mean - of_pivot + all);
            pivots.iter().zip(&of_pivot).map(centred).collect()
        })
        .collect();
    let axes = axes(&rows, pivots.len());
    let mut points: Vec<Point> =
        rows.iter().map(|row| [dot(row, &axes[0]), dot(row, &axes[1])]).collect();
    let (mut wanted, mut found) = (0.0, 0.0);
    for pivot in pivots {
        for (node, distance) in pivot.distances.iter().enumerate() {
            let apart = length(difference(points[node], points[pivot.node]));
            wanted += distance * apart;
            found += apart * apart;
        }
    }
    let factor = if found > 0.0 { wanted / found } else { 0.0 };
    for (node, point) in points.iter_mut().enumerate() {
        // Nodes that are equally far from all pivots are at the same place, and no pull would
        // separate them.
        let aside = |salt: usize| ((node * 7919 + salt) % 1009) as f64 / 1009.0 * 0.1;
        *point = [point[0] * factor + aside(13), point[1] * factor + aside(499)];
    }
    points
}

/// Returns the two main axes of the columns.
fn axes(rows: &[Vec<f64>], columns: usize) -> [Vec<f64>; 2] {
    let mut squares = vec![vec![0.0; columns]; columns];
    for row in rows {
        for (a, squares) in row.iter().zip(&mut squares) {
            squares.iter_mut().zip(row).for_each(|(sum, b)| *sum += a * b);
        }
    }
    let times = |vector: &[f64]| squares.iter().map(|row| dot(row, vector)).collect();
    main_axes(columns, times).map(|(axis, _)| axis)
}

/// Returns where neighbours and pivots want a node: each at its distance, in the direction in which
/// it is now.
fn pulled(node: usize, points: &[Point], pulls: &[Pull]) -> Point {
    let (mut sum, mut weights) = ([0.0, 0.0], 0.0);
    for Pull { from, wanted, weight } in pulls {
        let from = points[*from as usize];
        let [dx, dy] = difference(points[node], from);
        let now = length([dx, dy]).max(1e-9);
        sum[0] += weight * (from[0] + wanted * dx / now);
        sum[1] += weight * (from[1] + wanted * dy / now);
        weights += weight;
    }
    [sum[0] / weights, sum[1] / weights]
}

fn difference(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn length([x, y]: Point) -> f64 {
    (x * x + y * y).sqrt()
}
