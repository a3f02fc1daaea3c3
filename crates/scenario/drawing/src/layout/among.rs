//! New nodes among those that have their points already and stay there.

use std::collections::{HashMap, VecDeque};

use super::graph::{Graph, Point, ROOM};

/// Least distance of a new node from all others.
const APART: f64 = 2.0 * ROOM;

/// Distance of a new node from its only neighbour.
const HOP: f64 = 1.0;

/// The angle between two tries, which never come back to the same place.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// Points that are taken, by cells of the size of [`APART`].
#[derive(Default)]
struct Taken(HashMap<(i64, i64), Vec<Point>>);

impl Taken {
    fn cell([x, y]: Point) -> (i64, i64) {
        ((x / APART).floor() as i64, (y / APART).floor() as i64)
    }

    fn add(&mut self, point: Point) {
        self.0.entry(Self::cell(point)).or_default().push(point);
    }

    fn is_free(&self, point: Point) -> bool {
        let (column, row) = Self::cell(point);
        let cells =
            (column - 1..=column + 1).flat_map(|x| (row - 1..=row + 1).map(move |y| (x, y)));
        let mut near = cells.filter_map(|cell| self.0.get(&cell)).flatten();
        near.all(|[x, y]| (x - point[0]).powi(2) + (y - point[1]).powi(2) >= APART * APART)
    }

    /// Returns the first free point on a spiral around `middle`, at least `from` away.
    fn near(&self, middle: Point, from: f64, turn: f64) -> Point {
        let tries = (0..).map(|try_| {
            let far = from + 0.05 * f64::from(try_);
            let angle = turn + GOLDEN * f64::from(try_);
            [middle[0] + far * libm::cos(angle), middle[1] + far * libm::sin(angle)]
        });
        // A spiral that grows without end leaves any finite set of points.
        tries.into_iter().find(|point| self.is_free(*point)).unwrap_or(middle)
    }
}

/// Gives points to the nodes of `graph` that have none: near their neighbours, apart from all.
pub(super) fn place(graph: &Graph, fixed: &[Option<Point>]) -> Vec<Point> {
    let mut points = fixed.to_vec();
    let mut taken = Taken::default();
    points.iter().flatten().for_each(|point| taken.add(*point));
    let mut next: VecDeque<usize> =
        (0..graph.len()).filter(|node| points[*node].is_some()).collect();
    let mut rest = 0;
    loop {
        while let Some(node) = next.pop_front() {
            for &(neighbour, _) in graph.neighbours(node) {
                if points[neighbour].is_none() {
                    let point = beside(graph, neighbour, &points, &taken);
                    taken.add(point);
                    points[neighbour] = Some(point);
                    next.push_back(neighbour);
                }
            }
        }
        let Some(alone) = (rest..graph.len()).find(|node| points[*node].is_none()) else { break };
        rest = alone + 1;
        let point = below(&points, &taken);
        taken.add(point);
        points[alone] = Some(point);
        next.push_back(alone);
    }
    points.into_iter().map(Option::unwrap_or_default).collect()
}

/// Returns a point for a node near its neighbours that have points.
fn beside(graph: &Graph, node: usize, points: &[Option<Point>], taken: &Taken) -> Point {
    let known: Vec<Point> =
        graph.neighbours(node).iter().filter_map(|(neighbour, _)| points[*neighbour]).collect();
    let count = known.len() as f64;
    let middle =
        [0, 1].map(|axis| known.iter().map(|point| point[axis]).sum::<f64>() / count.max(1.0));
    match known.len() {
        1 => taken.near(middle, HOP, (node % 1009) as f64),
        _ => taken.near(middle, 0.0, 0.0),
    }
}

/// Returns a free point below all others, at their left.
fn below(points: &[Option<Point>], taken: &Taken) -> Point {
    let known = || points.iter().flatten();
    let left = known().map(|[x, _]| *x).fold(f64::INFINITY, f64::min);
    let bottom = known().map(|[_, y]| *y).fold(f64::NEG_INFINITY, f64::max);
    match left.is_finite() {
        true => taken.near([left, bottom + HOP], 0.0, 0.0),
        false => [0.0, 0.0],
    }
}
