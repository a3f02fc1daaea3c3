//! Frames around the nodes of each of several machines, and the links between these.

use std::collections::BTreeMap;
use std::fmt::Write;

use netloom_scenario::{Link, Scenario};

use crate::layout::Point;
use crate::xml::escaped;

/// Styles of drawings with several machines. Frames have the width of their outline around nodes.
const STYLE: &str = "\
    .netloom-graph .machine path{fill-opacity:.14;stroke-opacity:.14;stroke-width:76;\
     stroke-linejoin:round;stroke-linecap:round}\
    .netloom-graph .machine text{font-size:12px;font-weight:bold;fill:#4a5763}\
    .netloom-graph .cut line{stroke-dasharray:9 5}";

/// Colours of frames, which begin again where they end. The names tell frames apart, too.
const COLOURS: [&str; 6] = ["#3b76b8", "#c07a1c", "#3f8f4d", "#8a4fb0", "#b3261e", "#5f6b76"];

/// Distance of a frame's name from its uppermost node, in pixels.
const ABOVE: f64 = 26.0;

/// Whether a link joins nodes of different machines.
pub(crate) fn is_cut(link: &Link, placement: &BTreeMap<String, String>) -> bool {
    let [a, b] = link.endpoints.each_ref().map(|end| placement.get(&end.node));
    a.is_some() && b.is_some() && a != b
}

/// Draws a frame around the nodes of each machine: the hull of their points.
pub(crate) fn frames(
    out: &mut String,
    scenario: &Scenario,
    points: &[Point],
    placement: &BTreeMap<String, String>,
) {
    let mut of_machine: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    for (node, point) in scenario.nodes.iter().zip(points) {
        if let Some(machine) = placement.get(&node.name) {
            of_machine.entry(machine).or_default().push(*point);
        }
    }
    if of_machine.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = writeln!(out, "<style>{STYLE}</style>");
    for ((machine, points), colour) in of_machine.into_iter().zip(COLOURS.iter().cycle()) {
        let highest = points.iter().copied().min_by(|a, b| a[1].total_cmp(&b[1]));
        let [x, y] = highest.unwrap_or_default();
        let corners = hull(points).into_iter().map(|[x, y]| format!("{x:.1} {y:.1}"));
        let corners: Vec<String> = corners.collect();
        let _ = writeln!(
            out,
            "<g class=\"machine\"><path d=\"M{}Z\" fill=\"{colour}\" stroke=\"{colour}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\">{}</text></g>",
            corners.join("L"),
            (y - ABOVE).max(12.0),
            escaped(machine),
        );
    }
}

/// The corners of the convex hull of points (Andrew's monotone chain).
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && (b[0] - a[0]) * (point[1] - a[1]) <= (b[1] - a[1]) * (point[0] - a[0])
            {
                chain.pop();
            }
            chain.push(point);
        }
        // It is the first point of the other half.
        chain.pop();
        chain
    };
    let lower = half(&mut points.iter().copied());
    let upper = half(&mut points.iter().rev().copied());
    [lower, upper].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_has_the_outermost_points() {
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        let inner = [[1.0, 1.0], [1.0, 0.0], [0.5, 1.5]];
        let points = [&square[..], &inner].concat();
        let mut corners = hull(points);
        corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(corners, [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]);
        let line = vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]];
        assert_eq!(hull(line), [[0.0, 0.0], [2.0, 2.0]]);
        assert_eq!(hull(vec![[3.0, 4.0]]), [[3.0, 4.0]]);
    }
}
