//! The SVG drawing of a network.

use std::collections::HashMap;
use std::fmt::Write;

use netloom_scenario::{NodeKind, Scenario};

use crate::layout::{self, Point};
use crate::text::lines;

/// Length of one hop, in pixels.
const HOP: f64 = 150.0;

/// Distance between the lines of a label, in pixels.
const LINE: f64 = 12.0;

/// Width of the margin around the drawing, in pixels.
const MARGIN: f64 = 80.0;

/// Styles that apply to this drawing only, so that a page can contain it beside others.
pub(super) const STYLE: &str = "\
    .netloom-graph text{font-family:sans-serif;text-anchor:middle;fill:#1b2733}\
    .netloom-graph .node text{font-size:13px;dominant-baseline:central}\
    .netloom-graph .link line{stroke:#7a8794;stroke-width:1.6}\
    .netloom-graph .direct line{stroke-dasharray:6 4}\
    .netloom-graph .link text{font-size:10px;fill:#4a5763;\
     stroke:#fff;stroke-width:3px;paint-order:stroke}\
    .netloom-graph .host .shape{fill:#e8f1fb;stroke:#3b76b8}\
    .netloom-graph .router .shape{fill:#fdf0dc;stroke:#c07a1c}\
    .netloom-graph .switch .shape{fill:#e6f4e8;stroke:#3f8f4d}\
    .netloom-graph .paper{fill:#fff}";

/// Returns the network as an SVG image.
pub fn svg(scenario: &Scenario) -> String {
    let index: HashMap<&str, usize> = scenario
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.name.as_str(), index))
        .collect();
    let ends = scenario.links.iter().filter_map(|link| {
        let [a, b] = &link.endpoints;
        Some((*index.get(a.node.as_str())?, *index.get(b.node.as_str())?))
    });
    let edges: Vec<(usize, usize)> = ends.collect();
    let (points, width, height) = on_paper(layout::place(scenario.nodes.len(), &edges));
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"netloom-graph\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    let _ = writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escaped(&scenario.name));
    let _ = writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    links(&mut out, scenario, &edges, &points);
    for (node, point) in scenario.nodes.iter().zip(&points) {
        shape(&mut out, &node.name, node.kind, *point);
    }
    out.push_str("</svg>\n");
    out
}

/// Converts points to pixels, and returns them with the width and height of the paper.
fn on_paper(points: Vec<Point>) -> (Vec<Point>, f64, f64) {
    let low = |axis: usize| points.iter().map(|point| point[axis]).fold(f64::INFINITY, f64::min);
    let high =
        |axis: usize| points.iter().map(|point| point[axis]).fold(f64::NEG_INFINITY, f64::max);
    let size = |axis: usize| (high(axis) - low(axis)).max(0.0) * HOP + 2.0 * MARGIN;
    let (left, top, width, height) = (low(0), low(1), size(0), size(1));
    let place = |point: &Point| [(point[0] - left) * HOP + MARGIN, (point[1] - top) * HOP + MARGIN];
    (points.iter().map(place).collect(), width, height)
}

/// Draws links and their labels. Links that join the same nodes are drawn beside each other.
fn links(out: &mut String, scenario: &Scenario, edges: &[(usize, usize)], points: &[Point]) {
    let mut seen: HashMap<(usize, usize), usize> = HashMap::new();
    for (link, &(a, b)) in scenario.links.iter().zip(edges) {
        let (low, high) = (a.min(b), a.max(b));
        let lane = seen.entry((low, high)).or_default();
        let offset = lane.div_ceil(2) as f64 * if lane.is_multiple_of(2) { -14.0 } else { 14.0 };
        *lane += 1;
        let ([x1, y1], [x2, y2]) = (points[low], points[high]);
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (ox, oy) = (-dy / length * offset, dx / length * offset);
        let (x1, y1, x2, y2) = (x1 + ox, y1 + oy, x2 + ox, y2 + oy);
        let class = if link.direct { "link direct" } else { "link" };
        let _ = write!(
            out,
            "<g class=\"{class}\"><line x1=\"{x1:.1}\" y1=\"{y1:.1}\" \
             x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
        label(out, &lines(link), [f64::midpoint(x1, x2), f64::midpoint(y1, y2)]);
        out.push_str("</g>\n");
    }
}

/// Draws lines of text around a point.
fn label(out: &mut String, lines: &[String], [x, y]: Point) {
    let top = y - LINE * (lines.len() as f64 - 1.0) / 2.0 + 3.5;
    for (index, line) in lines.iter().enumerate() {
        let y = top + LINE * index as f64;
        let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line));
    }
}

/// Draws a node in the shape of its kind.
pub(super) fn shape(out: &mut String, name: &str, kind: NodeKind, [x, y]: Point) {
    let half = (name.chars().count() as f64 * 3.9 + 10.0).max(20.0);
    let (class, shape) = match kind {
        NodeKind::Host => ("host", rectangle([x, y], half)),
        NodeKind::Router => {
            ("router", format!("ellipse cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{half:.1}\" ry=\"16\""))
        }
        NodeKind::Switch => ("switch", hexagon([x, y], half)),
        NodeKind::Medium => ("medium", hexagon([x, y], half)),
        NodeKind::Outside => ("host outside", rectangle([x, y], half)),
    };
    let _ = writeln!(
        out,
        "<g class=\"node {class}\"><{shape} class=\"shape\"/>\
         <text x=\"{x:.1}\" y=\"{y:.1}\">{}</text></g>",
        escaped(name),
    );
}

fn rectangle([x, y]: Point, half: f64) -> String {
    let (left, top, width) = (x - half, y - 13.0, 2.0 * half);
    format!("rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"26\" rx=\"4\"")
}

fn hexagon([x, y]: Point, half: f64) -> String {
    let corners = [
        (-half - 8.0, 0.0),
        (-half, -14.0),
        (half, -14.0),
        (half + 8.0, 0.0),
        (half, 14.0),
        (-half, 14.0),
    ];
    let corners = corners.map(|(dx, dy)| format!("{:.1},{:.1}", x + dx, y + dy));
    format!("polygon points=\"{}\"", corners.join(" "))
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
