//! Keys for runs over several machines: names, and contradictions that no placement could satisfy.
//! Not here: which links may be cut, and whether machines bear the load (`placement`).

use std::collections::HashMap;

use netloom_document::{Diagnostic, Spanned};
use netloom_units::Duration;

use super::links::LinkDraft;
use super::names;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::raw::RawScenario;
use crate::spec::{Cut, PlacementOptions};

/// Returns the options of placements.
pub(super) fn options(raw: &RawScenario, report: &mut Report<'_>) -> PlacementOptions {
    let raw = &raw.placement;
    let default = PlacementOptions::default();
    if let Some(time) = raw.solve_for.as_ref().filter(|time| time.value == Duration::ZERO) {
        let help = "write a time, like `10s`, or leave it out";
        let finding = Diagnostic::error(time.span, "a search of no length finds no placement");
        report.error(finding.with_help(help));
    }
    PlacementOptions {
        objective: raw.objective.unwrap_or(default.objective),
        headroom: raw.headroom.map_or(default.headroom, |share| share.0),
        solve_for: raw.solve_for.as_ref().map_or(default.solve_for, |time| time.value),
    }
}

/// Checks labels and the names of machines, and links that must not be cut.
pub(super) fn check(nodes: &[NodeDraft<'_>], links: &[LinkDraft<'_>], report: &mut Report<'_>) {
    for node in nodes {
        let props = &node.props;
        props.machine.iter().for_each(|name| names::machine("the name of a machine", name, report));
        let labels = [props.together, props.apart];
        labels.iter().flatten().for_each(|label| names::machine("a label", label, report));
    }
    let mut by_together: HashMap<&str, &NodeDraft<'_>> = HashMap::new();
    for node in nodes.iter().filter(|node| node.props.machine.is_some()) {
        let Some(label) = node.props.together else { continue };
        let first = by_together.entry(label.value.as_str()).or_insert(node);
        let pair = machine(first).zip(machine(node)).filter(|(a, b)| a.value != b.value);
        if let Some((one, other)) = pair {
            let message = format!(
                "`{}` and `{}` are together (`{}`), but on the machines `{}` and `{}`",
                first.name.value, node.name.value, label.value, one.value, other.value
            );
            let finding = Diagnostic::error(other.span, message);
            report.error(
                finding
                    .with_related(one.span, "the first machine is here")
                    .with_help("name one machine, or take one of them out of `together`"),
            );
        }
    }
    let mut by_apart: HashMap<(&str, &str, &str), &NodeDraft<'_>> = HashMap::new();
    for node in nodes {
        let Some(label) = node.props.apart else { continue };
        let joined = [("machine", machine(node)), ("together", node.props.together)];
        for (key, value) in joined.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            let place = (label.value.as_str(), key, value.value.as_str());
            if let Some(first) = by_apart.insert(place, node) {
                let message = format!(
                    "`{}` and `{}` are apart (`{}`), but both have `{key}: {}`",
                    first.name.value, node.name.value, label.value, value.value
                );
                let finding = Diagnostic::error(label.span, message);
                report.error(
                    finding
                        .with_related(value.span, "which puts them on one machine")
                        .with_help(format!("leave out `apart` or `{key}`")),
                );
            }
        }
    }
    for link in links.iter().filter(|link| link.cut == Cut::Any) {
        let outside = link.ends.iter().flatten().find(|end| nodes[end.node].outside().is_some());
        let Some((end, cut)) = outside.zip(link.raw.head.cut.as_ref()) else { continue };
        let message = format!(
            "link `{}` cannot be cut: `{}:{}` is a device of the machine that carries the other \
             end",
            link.name, end.node_name, end.interface
        );
        report.error(Diagnostic::error(cut.span, message).with_help("leave out `cut`"));
    }
}

fn machine<'a>(node: &NodeDraft<'a>) -> Option<&'a Spanned<String>> {
    node.props.machine
}
