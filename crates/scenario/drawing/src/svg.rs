//! The SVG drawing of a network.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use netloom_scenario::{Link, NodeKind, Scenario};

use crate::layout::Point;
use crate::machines::{frames, is_cut};
use crate::paper::{Paper, half_width};
use crate::places::{Places, edges, names};
use crate::text::lines;
use crate::xml::escaped;

/// Styles that apply to this drawing only, so that a page can contain it beside others.
pub(super) const STYLE: &str = "\
    .netloom-graph text{font-family:sans-serif;text-anchor:middle;fill:#1b2733}\
    .netloom-graph .node text{font-size:13px;dominant-baseline:central}\
    .netloom-graph .link line{stroke:#7a8794;stroke-width:1.6}\
    .netloom-graph .direct line{stroke-dasharray:6 4}\
    .netloom-graph .link text{font-size:11px;fill:#4a5763;\
     stroke:#fff;stroke-width:3px;paint-order:stroke}\
    .netloom-graph .dense .node text{font-size:11px}\
    .netloom-graph .host .shape{fill:#e8f1fb;stroke:#3b76b8}\
    .netloom-graph .router .shape{fill:#fdf0dc;stroke:#c07a1c}\
    .netloom-graph .switch .shape{fill:#e6f4e8;stroke:#3f8f4d}\
    .netloom-graph .load-1 line{stroke:#4f8fc4;stroke-width:2.4}\
    .netloom-graph .load-2 line{stroke:#c79a2b;stroke-width:3.4}\
    .netloom-graph .load-3 line{stroke:#b3261e;stroke-width:4.6}\
    .netloom-graph .down line{stroke:#b3261e;stroke-dasharray:2 5}\
    .netloom-graph .usual{font-size:12px;text-anchor:start;fill:#4a5763}\
    .netloom-graph .paper{fill:#fff}";

/// What a link went through in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Carried {
    /// Part of the time in which the busier direction sent, if that is known.
    pub load: Option<f64>,
    /// Whether it was down at the end.
    pub down: bool,
}

impl Carried {
    /// Lower bounds of the loads that have classes of their own.
    pub const LOADS: [f64; 3] = [0.1, 0.5, 0.9];

    fn class(self) -> String {
        let load = self.load.unwrap_or(0.0);
        match (self.down, Self::LOADS.iter().filter(|least| load >= **least).count()) {
            (true, _) => " down".into(),
            (false, 0) => String::new(),
            (false, class) => format!(" load-{class}"),
        }
    }
}

/// Returns the network as an SVG image.
pub fn svg(scenario: &Scenario) -> String {
    svg_of_run(scenario, &BTreeMap::new(), |_| Carried::default())
}

/// Returns the network as an SVG image whose links are drawn by what they `carried`. `placement`
/// has the machine of each node, if there are several: then the nodes of each are framed, and links
/// between them are dashed.
pub fn svg_of_run(
    scenario: &Scenario,
    placement: &BTreeMap<String, String>,
    carried: impl Fn(&Link) -> Carried,
) -> String {
    let edges = edges(scenario);
    let labels: Vec<Vec<String>> = scenario.links.iter().map(lines).collect();
    let usual = usual(&labels);
    let paper = Paper::new(Places::new(scenario, &edges), &names(scenario), usual.is_some());
    let (width, height) = (paper.width, paper.height);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"netloom-graph\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    let _ = writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escaped(&scenario.name));
    let _ = writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    let _ = writeln!(out, "<g class=\"{}\">", if paper.dense { "dense" } else { "wide" });
    let links = scenario.links.iter().zip(&edges).zip(&labels).map(|((link, ends), label)| {
        let label = if Some(label) == usual { &[][..] } else { label };
        let kind = match (link.direct, is_cut(link, placement)) {
            (true, _) => " direct",
            (false, true) => " cut",
            (false, false) => "",
        };
        (*ends, label, format!("link{kind}{}", carried(link).class()))
    });
    frames(&mut out, scenario, &paper.points, placement);
    draw_links(&mut out, links, &paper.points);
    for (node, point) in scenario.nodes.iter().zip(&paper.points) {
        draw(&mut out, &node.name, node.kind, *point, paper.dense);
    }
    out.push_str("</g>\n");
    if let Some(usual) = usual {
        let (y, text) = (height - 10.0, escaped(&usual.join(", ")));
        let _ = writeln!(
            out,
            "<text class=\"usual\" x=\"10\" y=\"{y:.0}\">links without a label: {text}</text>"
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Least number of links for which a label that most of them have is said once.
const MANY: usize = 6;

/// Returns the label that more than half of many links have.
fn usual(labels: &[Vec<String>]) -> Option<&Vec<String>> {
    let mut counts: HashMap<&Vec<String>, usize> = HashMap::new();
    for label in labels.iter().filter(|label| !label.is_empty()) {
        *counts.entry(label).or_default() += 1;
    }
    let (label, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (labels.len() >= MANY && 2 * count > labels.len()).then_some(label)
}

/// Draws links, each with its ends, its label and its class. Links that join the same nodes are
/// drawn beside each other.
fn draw_links<'l>(
    out: &mut String,
    links: impl Iterator<Item = ((usize, usize), &'l [String], String)>,
    points: &[Point],
) {
    let mut seen: HashMap<(usize, usize), usize> = HashMap::new();
    for ((a, b), text, class) in links {
        let (low, high) = (a.min(b), a.max(b));
        let lane = seen.entry((low, high)).or_default();
        let offset = lane.div_ceil(2) as f64 * if lane.is_multiple_of(2) { -14.0 } else { 14.0 };
        *lane += 1;
        let ([x1, y1], [x2, y2]) = (points[low], points[high]);
        let (dx, dy) = (x2 - x1, y2 - y1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (ox, oy) = (-dy / length * offset, dx / length * offset);
        let (x1, y1, x2, y2) = (x1 + ox, y1 + oy, x2 + ox, y2 + oy);
        let _ = write!(
            out,
            "<g class=\"{class}\"><line x1=\"{x1:.1}\" y1=\"{y1:.1}\" \
             x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        );
        label(out, text, [f64::midpoint(x1, x2), f64::midpoint(y1, y2)]);
        out.push_str("</g>\n");
    }
}

/// Distance between the lines of a label, in pixels.
const LINE: f64 = 12.0;

/// Draws lines of text around a point.
fn label(out: &mut String, lines: &[String], [x, y]: Point) {
    let top = y - LINE * (lines.len() as f64 - 1.0) / 2.0 + 3.5;
    for (index, line) in lines.iter().enumerate() {
        let y = top + LINE * index as f64;
        let _ = write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line));
    }
}

/// Draws a node in the shape of its kind.
pub(super) fn shape(out: &mut String, name: &str, kind: NodeKind, point: Point) {
    draw(out, name, kind, point, false);
}

fn draw(out: &mut String, name: &str, kind: NodeKind, [x, y]: Point, dense: bool) {
    let half = half_width(name, dense);
    let (class, shape) = match kind {
        NodeKind::Host => ("host", rectangle([x, y], half)),
        NodeKind::Router => (
            "router",
            format!(
                "ellipse cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{half:.1}\" ry=\"{}\"",
                if dense { 12 } else { 16 }
            ),
        ),
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
