//! Drawings of a network at a given time: nodes at their positions, on a plane or on a map.

use std::fmt::Write;

use netloom_scenario::snapshot::{Snapshot, Wire};
use netloom_scenario::{NodeKind, Scenario};
use netloom_units::Duration;

use crate::svg::{self, STYLE};
use crate::text::{label, quoted, shape_name};
use crate::xml::escaped;

/// Length of the longer side of a plane in pixels, and pixels for each degree of a map.
const WIDE: f64 = 1000.0;
const DEGREE: f64 = 4.0;

/// Width of the margin around a plane, in pixels.
const MARGIN: f64 = 80.0;

/// Largest number of satellites whose names are drawn. With more, names appear when the pointer is
/// over a satellite.
const MOST_NAMES: usize = 100;

/// Offsets from a neighbour at which nodes without a position are drawn, used in turn, in pixels.
const AROUND: [[f64; 2]; 8] = [
    [55.0, 0.0],
    [-55.0, 0.0],
    [0.0, 55.0],
    [0.0, -55.0],
    [39.0, 39.0],
    [-39.0, -39.0],
    [39.0, -39.0],
    [-39.0, 39.0],
];

/// Styles that only this drawing needs.
const MORE_STYLE: &str = "\
    .netloom-graph .reach{fill:#3b76b8;fill-opacity:.05;stroke:#3b76b8;stroke-opacity:.35}\
    .netloom-graph .hears line{stroke:#3f8f4d;stroke-width:1.4;stroke-dasharray:2 3}\
    .netloom-graph .satellite circle{fill:#c07a1c}\
    .netloom-graph .satellite text{font-size:9px;fill:#4a5763}\
    .netloom-graph .scale line{stroke:#1b2733;stroke-width:1.6}\
    .netloom-graph .scale text{font-size:11px}\
    .netloom-graph .sea{fill:#f3f7fb;stroke:#c5d2de}\
    .netloom-graph .grid line{stroke:#dbe4ec;stroke-width:1}";

/// Returns the network at a time of a run as an SVG image. Stations of media are drawn with their
/// reach and with lines to the stations that hear them, satellites and places on the ground on an
/// equirectangular map, and other nodes near those that they have links to.
///
/// # Errors
/// No node has a position.
pub fn svg_at(scenario: &Scenario, at: Duration) -> Result<String, String> {
    let now = Snapshot::new(scenario, at)?;
    let paper = Paper::new(&now);
    let points = paper.points(&now);
    let (width, height) = (paper.width, paper.height);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"netloom-graph\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    let title = escaped(&format!("{} at {at}", scenario.name));
    let _ = writeln!(out, "<title>{title}</title>\n<style>{STYLE}{MORE_STYLE}</style>");
    let _ = writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    match now.is_map {
        true => grid(&mut out),
        false => scale(&mut out, &paper),
    }
    if !now.is_map {
        for (node, reach) in &now.reaches {
            let ([x, y], radius) = (points[*node], reach * paper.scale);
            let _ = writeln!(
                out,
                "<circle class=\"reach\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/>"
            );
        }
    }
    lines(&mut out, "link", now.links.iter().map(|wire| wire.ends), &points, now.is_map);
    lines(&mut out, "hears", now.hears.iter().map(|(_, pair)| *pair), &points, now.is_map);
    nodes(&mut out, &now, &points);
    out.push_str("</svg>\n");
    Ok(out)
}

/// Returns the network at a time of a run in the DOT language of Graphviz, with positions in points
/// that `neato` keeps. Dotted lines join stations that hear each other.
///
/// # Errors
/// No node has a position.
pub fn dot_at(scenario: &Scenario, at: Duration) -> Result<String, String> {
    let now = Snapshot::new(scenario, at)?;
    let paper = Paper::new(&now);
    let points = paper.points(&now);
    let name = |node: usize| quoted(&scenario.nodes[node].name);
    let mut out = format!("graph \"{} at {at}\" {{\n", quoted(&scenario.name));
    out.push_str("  layout=neato; inputscale=72; splines=line;\n");
    out.push_str(
        "  node [fontname=\"sans-serif\"]; edge [fontname=\"sans-serif\", fontsize=10];\n",
    );
    for (node, [x, y]) in points.iter().enumerate() {
        let kind = scenario.nodes[node].kind;
        if kind == NodeKind::Medium {
            continue;
        }
        let shape = if now.satellites[node] { "point" } else { shape_name(kind) };
        let (y, name) = (paper.height - y, name(node));
        let _ = writeln!(out, "  \"{name}\" [shape={shape}, pos=\"{x:.1},{y:.1}!\"];");
    }
    for wire in &now.links {
        let (a, b) = (name(wire.ends.0), name(wire.ends.1));
        let label = match now.is_map {
            true => String::new(),
            false => format!(" [label=\"{}\"]", quoted(&label(wire.link))),
        };
        let _ = writeln!(out, "  \"{a}\" -- \"{b}\"{label};");
    }
    for (_, (a, b)) in &now.hears {
        let _ = writeln!(out, "  \"{}\" -- \"{}\" [style=dotted];", name(*a), name(*b));
    }
    out.push_str("}\n");
    Ok(out)
}

/// Transformation from positions to points on the paper.
struct Paper {
    /// Position of the left and upper edge.
    corner: [f64; 2],
    /// Pixels for each metre, or for each degree.
    scale: f64,
    margin: f64,
    width: f64,
    height: f64,
}

impl Paper {
    fn new(now: &Snapshot<'_>) -> Self {
        if now.is_map {
            let (width, height) = (360.0 * DEGREE, 180.0 * DEGREE);
            return Self { corner: [-180.0, 90.0], scale: DEGREE, margin: 0.0, width, height };
        }
        let placed = || now.places.iter().flatten();
        let bounds = |axis: usize, pad: f64| {
            let low = placed().map(|place| place[axis]).fold(f64::INFINITY, f64::min);
            let high = placed().map(|place| place[axis]).fold(f64::NEG_INFINITY, f64::max);
            (low - pad, high + pad)
        };
        let span = |(low, high): (f64, f64)| high - low;
        let longer = span(bounds(0, 0.0)).max(span(bounds(1, 0.0)));
        // Circles that are much larger than the whole network are cut off.
        let farthest = now.reaches.iter().map(|(_, reach)| *reach).fold(0.0, f64::max);
        let pad = farthest.min(if longer > 0.0 { longer } else { f64::INFINITY });
        let (x, y) = (bounds(0, pad), bounds(1, pad));
        let scale = WIDE / span(x).max(span(y)).max(1.0);
        Self {
            corner: [x.0, y.1],
            scale,
            margin: MARGIN,
            width: span(x) * scale + 2.0 * MARGIN,
            height: span(y) * scale + 2.0 * MARGIN,
        }
    }

    fn point(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [left, top] = self.corner;
        [(x - left) * self.scale + self.margin, (top - y) * self.scale + self.margin]
    }

    /// Returns the points of all nodes on the paper. Nodes without a position are drawn around
    /// neighbours that have one, and the rest in a row at the bottom.
    fn points(&self, now: &Snapshot<'_>) -> Vec<[f64; 2]> {
        let places = now.places.iter();
        let mut points: Vec<Option<[f64; 2]>> =
            places.map(|place| place.map(|place| self.point(place))).collect();
        let mut around = AROUND.iter().cycle();
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for Wire { ends: (a, b), .. } in &now.links {
                let (node, [x, y]) = match (points[*a], points[*b]) {
                    (Some(at), None) => (*b, at),
                    (None, Some(at)) => (*a, at),
                    _ => continue,
                };
                let Some([right, down]) = around.next() else { continue };
                points[node] = Some([x + right, y + down]);
                is_done = false;
            }
        }
        let mut left = 0.0;
        let mut at_bottom = || {
            left += 70.0;
            [left % self.width, self.height - 20.0]
        };
        points.into_iter().map(|point| point.unwrap_or_else(&mut at_bottom)).collect()
    }
}

/// Draws lines between points; on a map, by the shorter way around the Earth.
fn lines(
    out: &mut String,
    class: &str,
    pairs: impl Iterator<Item = (usize, usize)>,
    points: &[[f64; 2]],
    is_map: bool,
) {
    let around = 360.0 * DEGREE;
    let mut line = |[x1, y1]: [f64; 2], [x2, y2]: [f64; 2]| {
        let _ = writeln!(
            out,
            "<g class=\"{class}\"><line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" \
             y2=\"{y2:.1}\"/></g>"
        );
    };
    for (a, b) in pairs {
        let (a, b) = (points[a], points[b]);
        let across = b[0] - a[0];
        if !is_map || across.abs() <= around / 2.0 {
            line(a, b);
            continue;
        }
        let shift = if across > 0.0 { -around } else { around };
        line(a, [b[0] + shift, b[1]]);
        line([a[0] - shift, a[1]], b);
    }
}

fn nodes(out: &mut String, now: &Snapshot<'_>, points: &[[f64; 2]]) {
    let count = now.satellites.iter().filter(|is_one| **is_one).count();
    for (number, (node, [x, y])) in now.scenario.nodes.iter().zip(points).enumerate() {
        if node.kind == NodeKind::Medium {
            continue;
        }
        if !now.satellites[number] {
            svg::shape(out, &node.name, node.kind, [*x, *y]);
            continue;
        }
        let name = escaped(&node.name);
        let text = match count <= MOST_NAMES {
            true => format!("<text x=\"{x:.1}\" y=\"{:.1}\">{name}</text>", y - 9.0),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "<g class=\"node satellite\"><title>{name}</title><circle cx=\"{x:.1}\" \
             cy=\"{y:.1}\" r=\"3\"/>{text}</g>"
        );
    }
}

/// Draws meridians and parallels, 30° apart.
fn grid(out: &mut String) {
    let (width, height) = (360.0 * DEGREE, 180.0 * DEGREE);
    let _ = write!(out, "<rect class=\"sea\" width=\"{width}\" height=\"{height}\"/>");
    out.push_str("<g class=\"grid\">");
    for step in 1..12 {
        let x = f64::from(step) * 30.0 * DEGREE;
        let _ = write!(out, "<line x1=\"{x}\" y1=\"0\" x2=\"{x}\" y2=\"{height}\"/>");
    }
    for step in 1..6 {
        let y = f64::from(step) * 30.0 * DEGREE;
        let _ = write!(out, "<line x1=\"0\" y1=\"{y}\" x2=\"{width}\" y2=\"{y}\"/>");
    }
    out.push_str("</g>\n");
}

/// Draws a scale of a round length, about a fifth of the width of the paper.
fn scale(out: &mut String, paper: &Paper) {
    let wanted = WIDE / 5.0 / paper.scale;
    let steps = (-3..9).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(power)));
    let metres = steps.take_while(|metres| *metres <= wanted).last().unwrap_or(wanted);
    let (length, y) = (metres * paper.scale, paper.height - 20.0);
    let (from, to) = (20.0, 20.0 + length);
    let words = match metres >= 1000.0 {
        true => format!("{} km", metres / 1000.0),
        false => format!("{metres} m"),
    };
    let _ = writeln!(
        out,
        "<g class=\"scale\"><line x1=\"{from}\" y1=\"{y:.1}\" x2=\"{to:.1}\" y2=\"{y:.1}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">{words}</text></g>",
        f64::midpoint(from, to),
        y - 6.0,
    );
}
