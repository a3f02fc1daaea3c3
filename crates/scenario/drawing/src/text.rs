//! Drawings in the languages of other programs: DOT and Mermaid. The shape of a node shows its
//! kind, and labels of links show their properties.

use std::collections::HashMap;
use std::fmt::Write;

use netloom_scenario::{Link, NodeKind, Scenario};

use crate::paper::Paper;
use crate::places::{Places, edges, names};

/// Returns the network in the DOT language of Graphviz, for `neato`. Positions that the scenario
/// has are in points, and `neato` keeps them.
pub fn dot(scenario: &Scenario) -> String {
    let mut out = format!("graph \"{}\" {{\n", quoted(&scenario.name));
    let places = Places::new(scenario, &edges(scenario));
    let paper = places.are_given.then(|| Paper::new(places, &names(scenario), false));
    out.push_str(match paper {
        Some(_) => "  layout=neato; inputscale=72; splines=line;\n",
        None => "  layout=neato; overlap=false; splines=true;\n",
    });
    out.push_str(
        "  node [fontname=\"sans-serif\"]; edge [fontname=\"sans-serif\", fontsize=10];\n",
    );
    for (number, node) in scenario.nodes.iter().enumerate() {
        let shape = shape_name(node.kind);
        let position = paper.as_ref().map(|paper| {
            let [x, y] = paper.points[number];
            format!(", pos=\"{x:.1},{:.1}!\"", paper.height - y)
        });
        let (name, position) = (quoted(&node.name), position.unwrap_or_default());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  \"{name}\" [shape={shape}{position}];");
    }
    for link in &scenario.links {
        let [a, b] = &link.endpoints;
        let (a, b, label) = (quoted(&a.node), quoted(&b.node), quoted(&label(link)));
        let style = if link.direct { ", style=dashed" } else { "" };
        let _ = writeln!(out, "  \"{a}\" -- \"{b}\" [label=\"{label}\"{style}];");
    }
    out.push_str("}\n");
    out
}

/// Returns the DOT shape of a kind of node.
pub(crate) fn shape_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Host => "box",
        NodeKind::Router => "ellipse",
        NodeKind::Switch => "hexagon",
        NodeKind::Medium => "octagon",
        NodeKind::Outside => "plaintext",
    }
}

/// Returns the network as a Mermaid flowchart.
pub fn mermaid(scenario: &Scenario) -> String {
    let mut out = String::from("graph LR\n");
    let ids: HashMap<&str, usize> =
        scenario.nodes.iter().enumerate().map(|(id, node)| (node.name.as_str(), id)).collect();
    for (id, node) in scenario.nodes.iter().enumerate() {
        let (open, close) = match node.kind {
            NodeKind::Host => ("[", "]"),
            NodeKind::Router => ("([", "])"),
            NodeKind::Switch => ("{{", "}}"),
            NodeKind::Medium => ("((", "))"),
            NodeKind::Outside => (">", "]"),
        };
        let _ = writeln!(out, "  n{id}{open}\"{}\"{close}", node.name);
    }
    for link in &scenario.links {
        let [a, b] = link.endpoints.each_ref().map(|end| ids.get(end.node.as_str()));
        let (Some(a), Some(b)) = (a, b) else { continue };
        let label = label(link);
        let line = if link.direct { "-.-" } else { "---" };
        let _ = match label.is_empty() {
            true => writeln!(out, "  n{a} {line} n{b}"),
            false => writeln!(out, "  n{a} {line}|\"{label}\"| n{b}"),
        };
    }
    out
}

/// Returns the properties of a link in one line.
pub(crate) fn label(link: &Link) -> String {
    lines(link).join(" ")
}

/// Returns the properties of a link: one line for each property, or one for each direction if they
/// differ.
pub(crate) fn lines(link: &Link) -> Vec<String> {
    if link.direct {
        return vec!["direct".into()];
    }
    let (forward, reverse) = (link.forward.in_words(), link.reverse.in_words());
    if forward == reverse {
        return forward;
    }
    let or_nothing = |words: Vec<String>| match words.is_empty() {
        true => "unlimited".to_string(),
        false => words.join(" "),
    };
    vec![format!("→ {}", or_nothing(forward)), format!("← {}", or_nothing(reverse))]
}

pub(crate) fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
