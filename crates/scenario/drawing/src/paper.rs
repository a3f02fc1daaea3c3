//! From points in hops to pixels: how large a drawing is, and room for the names of its nodes.

use crate::layout::Point;
use crate::places::Places;

/// Longest and shortest length of a hop, in pixels.
const HOP: [f64; 2] = [60.0, 200.0];

/// Length of a hop where names are not moved apart, in pixels.
const LARGE: f64 = 150.0;

/// Width that a drawing has if its hops can be that short, in pixels: that of a page.
const WIDE: f64 = 900.0;

/// Length of a hop below which names are small, in pixels.
const DENSE: f64 = 110.0;

/// Room around the drawing, in pixels.
const MARGIN: f64 = 16.0;

/// Height of a line below the drawing, in pixels.
const FOOT: f64 = 24.0;

/// Most nodes whose names are moved apart. Pairs of more are too many, so their hops are longer.
const MOVED: usize = 500;

/// Most times by which a drawing is enlarged so that names at given positions do not overlap.
const ENLARGED: f64 = 4.0;

/// Rounds in which they are moved.
const ROUNDS: usize = 60;

/// Room that a node has beside its name, and half the height of its row, in pixels.
const GAP: f64 = 4.0;

/// The points of nodes on paper.
pub struct Paper {
    /// Where each node is, in pixels.
    pub points: Vec<Point>,
    /// Width of the paper, in pixels.
    pub width: f64,
    /// Height of the paper, in pixels.
    pub height: f64,
    /// Whether names are small.
    pub dense: bool,
}

impl Paper {
    /// Makes paper for nodes with these places and names, with a line below if `foot`. Positions
    /// that are given keep their directions: the drawing is enlarged where names would overlap.
    pub fn new(places: Places, names: &[&str], foot: bool) -> Self {
        let Places { mut points, are_given, .. } = places;
        let span = |points: &[Point], axis: usize| {
            let [low, high] = bounds(points, axis, |_| 0.0);
            (high - low).max(0.0)
        };
        // A page is wider than it is high.
        if !are_given && span(&points, 1) > span(&points, 0) {
            points.iter_mut().for_each(|point| point.reverse());
        }
        let is_large = points.len() > MOVED;
        let longer = if are_given { span(&points, 1) } else { 0.0 }.max(span(&points, 0));
        let fits = (WIDE / longer.max(1e-9)).clamp(HOP[0], HOP[1]);
        let hop = match (is_large, are_given) {
            (true, _) => LARGE,
            (false, true) => fits.max(apart(&points, names)).min(ENLARGED * fits),
            (false, false) => fits,
        };
        let dense = hop < DENSE;
        points.iter_mut().flatten().for_each(|value| *value *= hop);
        let halves: Vec<f64> = names.iter().map(|name| half_width(name, dense)).collect();
        let high = if dense { 12.0 } else { 16.0 };
        if !is_large && !are_given {
            let _ = (0..ROUNDS).any(|_| !moved_apart(&mut points, &halves, high));
        }
        let [left, right] = bounds(&points, 0, |node| halves[node] + 8.0);
        let [top, bottom] = bounds(&points, 1, |_| high);
        for [x, y] in &mut points {
            (*x, *y) = (*x - left + MARGIN, *y - top + MARGIN);
        }
        let foot = if foot { FOOT } else { 0.0 };
        let (width, height) = ((right - left).max(0.0), (bottom - top).max(0.0));
        Self { points, width: width + 2.0 * MARGIN, height: height + 2.0 * MARGIN + foot, dense }
    }
}

/// Returns half the width of the shape of a node.
pub fn half_width(name: &str, dense: bool) -> f64 {
    let (letter, room) = if dense { (3.3, 6.0) } else { (3.9, 10.0) };
    (name.chars().count() as f64 * letter + room).max(20.0)
}

/// Returns the lowest and the highest place on an axis, each with room of its own.
fn bounds(points: &[Point], axis: usize, room: impl Fn(usize) -> f64) -> [f64; 2] {
    let all = || points.iter().enumerate();
    let low = all().map(|(node, point)| point[axis] - room(node)).fold(f64::INFINITY, f64::min);
    let high =
        all().map(|(node, point)| point[axis] + room(node)).fold(f64::NEG_INFINITY, f64::max);
    if points.is_empty() { [0.0, 0.0] } else { [low, high] }
}

/// Returns the length of a hop at which the names of no two nodes overlap.
fn apart(points: &[Point], names: &[&str]) -> f64 {
    let halves: Vec<f64> = names.iter().map(|name| half_width(name, false)).collect();
    let mut longest: f64 = 0.0;
    for (b, [x, y]) in points.iter().enumerate() {
        for (a, [left, top]) in points[..b].iter().enumerate() {
            let (wide, high) = ((x - left).abs(), (y - top).abs());
            let hop = ((halves[a] + halves[b] + GAP) / wide).min((32.0 + GAP) / high);
            // Nodes at the same point stay there.
            longest = longest.max(if hop.is_finite() { hop } else { 0.0 });
        }
    }
    longest
}

/// Moves each pair of nodes apart whose shapes overlap, along the axis on which that takes less.
/// Returns whether there was one.
fn moved_apart(points: &mut [Point], halves: &[f64], high: f64) -> bool {
    let mut any = false;
    for a in 0..points.len() {
        for b in a + 1..points.len() {
            let apart = [points[b][0] - points[a][0], points[b][1] - points[a][1]];
            let room = [halves[a] + halves[b] + GAP, 2.0 * high + GAP];
            let over = [room[0] - apart[0].abs(), room[1] - apart[1].abs()];
            // Rounding must not keep the search going.
            if over[0] <= 0.5 || over[1] <= 0.5 {
                continue;
            }
            any = true;
            let axis = usize::from(over[1] < over[0]);
            let by = over[axis] / 2.0 * if apart[axis] < 0.0 { -1.0 } else { 1.0 };
            points[a][axis] -= by;
            points[b][axis] += by;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_cover_each_other() {
        let names: Vec<String> = (0..60).map(|node| "n".repeat(4 + node % 12)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // A grid that is too narrow for its names.
        let points = (0..60).map(|node| [f64::from(node % 15), f64::from(node / 15)]).collect();
        let paper = Paper::new(Places { points, are_given: false, unit: 1.0 }, &names, false);
        for a in 0..60 {
            let [x, y] = paper.points[a];
            let half = half_width(names[a], paper.dense);
            assert!(x - half >= 0.0 && x + half <= paper.width && y > 0.0 && y < paper.height);
            for (b, name) in names.iter().enumerate().take(a) {
                let [other, row] = paper.points[b];
                let halves = half + half_width(name, paper.dense);
                let apart = (x - other).abs() >= halves || (y - row).abs() >= 24.0;
                assert!(apart, "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_drawing_fills_a_page_and_is_wider_than_high() {
        let points: Vec<Point> = (0..10).map(|node| [0.0, f64::from(node)]).collect();
        let tall = Places { points: points.clone(), are_given: false, unit: 1.0 };
        let paper = Paper::new(tall, &["r"; 10], true);
        assert!((WIDE..WIDE + 100.0).contains(&paper.width), "{}", paper.width);
        assert!(paper.height < 100.0, "{}", paper.height);
        let given = Paper::new(Places { points, are_given: true, unit: 1.0 }, &["r"; 10], true);
        assert!(given.height > WIDE && given.width < 100.0, "{}", given.height);
        let none =
            Paper::new(Places { points: Vec::new(), are_given: false, unit: 1.0 }, &[], false);
        assert!(none.width > 0.0 && none.height > 0.0);
    }
}
