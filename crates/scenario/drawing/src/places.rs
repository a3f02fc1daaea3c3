//! Where nodes are drawn: at the positions that a scenario has for them, beside their neighbours,
//! or by a layout if it has none.

use std::collections::HashMap;

use netloom_scenario::{DrawnAt, Scenario};
use netloom_units::Time;

use crate::layout::{self, Point};

/// The points of all nodes, in about the length of a link.
pub struct Places {
    /// A point for each node: to the right and downwards.
    pub points: Vec<Point>,
    /// Whether the scenario has positions, which must keep their directions.
    pub are_given: bool,
    /// What a point's length of 1 is in the unit of the scenario's positions; 1 if it has none.
    pub unit: f64,
}

impl Places {
    /// Computes the points of all nodes, which are joined by `edges`.
    pub fn new(scenario: &Scenario, edges: &[(usize, usize)]) -> Self {
        let mut points = given(scenario);
        if points.iter().all(Option::is_none) {
            let points = layout::place(points.len(), edges);
            return Self { points, are_given: false, unit: 1.0 };
        }
        let step = typical(&points, edges);
        beside_neighbours(&mut points, edges, step);
        let mut points = below(points, edges, step);
        points.iter_mut().flatten().for_each(|value| *value /= step);
        Self { points, are_given: true, unit: step }
    }
}

/// Returns the positions that a scenario has for its nodes: those of its `drawing`, in its unit,
/// and of nodes on shared media in metres, with north at the top. Places on the Earth are in
/// degrees of latitude, and so are nodes on media then, if the scenario has an origin.
fn given(scenario: &Scenario) -> Vec<Option<Point>> {
    let written = &scenario.drawing.positions;
    let map = Map::new(written.values());
    let plane = scenario.plane();
    let nodes = scenario.nodes.iter().map(|node| match written.get(&node.name) {
        Some(DrawnAt::Paper(point)) => Some(*point),
        Some(DrawnAt::Earth { lat, lon }) => Some(map.as_ref()?.point(*lat, *lon)),
        None if node.position.is_none() && node.mobility.is_none() => None,
        None => {
            let at = scenario.trajectory(node).ok()?.position(Time::ZERO);
            let Some(map) = &map else { return Some([at.x, -at.y]) };
            let place = plane.as_ref()?.place(at);
            Some(map.point(place.lat, place.lon))
        }
    });
    nodes.collect()
}

/// Returns the indices of the nodes that each link joins.
pub fn edges(scenario: &Scenario) -> Vec<(usize, usize)> {
    let nodes = scenario.nodes.iter().enumerate();
    let index: HashMap<&str, usize> =
        nodes.map(|(index, node)| (node.name.as_str(), index)).collect();
    let ends = scenario.links.iter().filter_map(|link| {
        let [a, b] = &link.endpoints;
        Some((*index.get(a.node.as_str())?, *index.get(b.node.as_str())?))
    });
    ends.collect()
}

/// Returns the names of all nodes.
pub fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.nodes.iter().map(|node| node.name.as_str()).collect()
}

/// A part of the Earth on paper: degrees of longitude are as long as they are in its middle.
struct Map {
    /// Length of a degree of longitude, in degrees of latitude.
    longitude: f64,
    /// Whether longitudes count from 0 to 360, because the part is around the antimeridian.
    is_behind: bool,
}

impl Map {
    /// Makes a map for all places on the Earth, if there are any.
    fn new<'p>(positions: impl Iterator<Item = &'p DrawnAt>) -> Option<Self> {
        let places = positions.filter_map(|position| match position {
            DrawnAt::Earth { lat, lon } => Some([*lat, *lon]),
            DrawnAt::Paper(_) => None,
        });
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for place in places {
            for axis in [0, 1] {
                (low[axis], high[axis]) = (low[axis].min(place[axis]), high[axis].max(place[axis]));
            }
        }
        let middle = f64::midpoint(low[0], high[0]).to_radians();
        let longitude = libm::cos(middle).max(0.05);
        low[0].is_finite().then_some(Self { longitude, is_behind: high[1] - low[1] > 180.0 })
    }

    fn point(&self, lat: f64, lon: f64) -> Point {
        let lon = if self.is_behind && lon < 0.0 { lon + 360.0 } else { lon };
        [lon * self.longitude, -lat]
    }
}

/// Returns the median length of edges between nodes that have positions; if there are none, a part
/// of the size of the drawing.
fn typical(points: &[Option<Point>], edges: &[(usize, usize)]) -> f64 {
    let known = edges.iter().filter_map(|(a, b)| Some(distance(points[*a]?, points[*b]?)));
    let mut lengths: Vec<f64> = known.filter(|length| *length > 0.0).collect();
    lengths.sort_by(f64::total_cmp);
    if let Some(length) = lengths.get(lengths.len() / 2) {
        return *length;
    }
    let placed: Vec<Point> = points.iter().flatten().copied().collect();
    let span = |axis: usize| {
        let values = placed.iter().map(|point| point[axis]);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        high - low
    };
    let size = span(0).max(span(1)) / (placed.len() as f64).sqrt();
    if size > 0.0 { size } else { 1.0 }
}

fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// Angle between nodes that are drawn around others one after the other: the golden one, so that no
/// two are in the same direction.
const TURN: f64 = 2.399_963_229_728_653;

/// Puts nodes without a point between neighbours that have one, or `step` beside them.
fn beside_neighbours(points: &mut [Option<Point>], edges: &[(usize, usize)], step: f64) {
    let mut neighbours = vec![Vec::new(); points.len()];
    for (a, b) in edges {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let mut angle = 0.0;
    let mut frontier: Vec<usize> =
        (0..points.len()).filter(|node| points[*node].is_some()).collect();
    while !frontier.is_empty() {
        let beside = frontier.iter().flat_map(|node| &neighbours[*node]);
        let mut next: Vec<usize> = beside.copied().filter(|node| points[*node].is_none()).collect();
        next.sort_unstable();
        next.dedup();
        let placed: Vec<Point> = next
            .iter()
            .map(|node| {
                let around = || neighbours[*node].iter().filter_map(|other| points[*other]);
                let count = around().count() as f64;
                let [x, y] =
                    [0, 1].map(|axis| around().map(|point| point[axis]).sum::<f64>() / count);
                if around().all(|point| distance(point, [x, y]) > step / 3.0) {
                    return [x, y];
                }
                angle += TURN;
                [x + step * libm::cos(angle), y + step * libm::sin(angle)]
            })
            .collect();
        for (node, point) in next.iter().zip(placed) {
            points[*node] = Some(point);
        }
        frontier = next;
    }
}

/// Lays out the nodes that still have no point below all others.
fn below(points: Vec<Option<Point>>, edges: &[(usize, usize)], step: f64) -> Vec<Point> {
    let left: Vec<usize> = (0..points.len()).filter(|node| points[*node].is_none()).collect();
    let place = |node: &usize| left.binary_search(node).ok();
    let among = edges.iter().filter_map(|(a, b)| Some((place(a)?, place(b)?)));
    let laid = layout::place(left.len(), &among.collect::<Vec<_>>());
    let low = |points: &mut dyn Iterator<Item = f64>| points.fold(f64::INFINITY, f64::min);
    let start = [0, 1].map(|axis| low(&mut laid.iter().map(|point| point[axis])));
    let placed = || points.iter().flatten();
    let corner = [
        low(&mut placed().map(|point| point[0])),
        placed().map(|point| point[1]).fold(f64::NEG_INFINITY, f64::max) + step,
    ];
    let mut laid = laid
        .into_iter()
        .map(|point| [0, 1].map(|axis| corner[axis] + (point[axis] - start[axis]) * step));
    // There is a point for each node without one.
    points.into_iter().map(|point| point.or_else(|| laid.next()).unwrap_or(corner)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_a_position_are_near_their_neighbours() {
        let given = [Some([0.0, 0.0]), Some([100.0, 0.0]), None, None, None, None];
        // 2 is between 0 and 1; 3 hangs on 1; 4 and 5 are on their own.
        let edges = [(0, 1), (0, 2), (2, 1), (1, 3), (4, 5)];
        let mut points = given.to_vec();
        assert_eq!(typical(&points, &edges), 100.0);
        beside_neighbours(&mut points, &edges, 100.0);
        assert_eq!(points[2], Some([50.0, 0.0]));
        assert!((distance(points[3].unwrap(), [100.0, 0.0]) - 100.0).abs() < 1e-9);
        let points = below(points, &edges, 100.0);
        assert_eq!(points[..2], [[0.0, 0.0], [100.0, 0.0]]);
        let lowest = points[..4].iter().map(|point| point[1]).fold(0.0, f64::max);
        assert!(points[4][1] > lowest && points[5][1] > lowest, "{points:?}");
        assert!(distance(points[4], points[5]) > 50.0, "{points:?}");
    }

    #[test]
    fn maps_keep_directions_and_cross_the_antimeridian() {
        let earth = |lat, lon| DrawnAt::Earth { lat, lon };
        let map = Map::new([earth(60.0, 10.0), earth(60.0, 11.0)].iter()).unwrap();
        let ([x1, y1], [x2, y2]) = (map.point(60.0, 10.0), map.point(61.0, 11.0));
        assert!((x2 - x1 - 0.5).abs() < 1e-9 && y2 == y1 - 1.0);
        let map = Map::new([earth(0.0, 179.0), earth(0.0, -179.0)].iter()).unwrap();
        assert!((map.point(0.0, -179.0)[0] - map.point(0.0, 179.0)[0] - 2.0).abs() < 1e-9);
        assert!(Map::new([].iter()).is_none());
    }
}
