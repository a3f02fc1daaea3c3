//! Simulated nodes. Everything that needs a kernel is an error on them, and so is a link that
//! neither the simulation nor the engine could carry.

use netloom_document::Diagnostic;
use netloom_link::least_propagation;
use netloom_units::Duration;

use super::links::{End, LinkDraft};
use super::nodes::NodeDraft;
use super::report::Report;
use crate::limits::Limits;
use crate::raw::RawScenario;
use crate::spec::{NodeKind, Process};

/// Delay of a link from a simulated to a real node that is long enough to hide pauses of the
/// simulation.
const FORGIVING: Duration = Duration::from_micros(500);

/// Reports properties of simulated nodes that need a kernel, and impossible links between simulated
/// and real nodes.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    processes: &[Process],
    report: &mut Report<'_>,
) {
    if !nodes.iter().any(NodeDraft::is_simulated) {
        return;
    }
    nodes.iter().filter(|node| node.is_simulated()).for_each(|node| of_node(node, report));
    let is_hybrid = raw.symbiosis.is_none();
    links.iter().for_each(|link| of_link(link, nodes, is_hybrid, report));
    let is_simulated =
        |name: &str| nodes.iter().any(|node| node.is_simulated() && node.name.value == name);
    for (process, resolved) in raw.processes.iter().zip(processes) {
        if let Some(node) = resolved.nodes.iter().find(|node| is_simulated(node)) {
            let message = format!(
                "process `{}` cannot run in `{node}`, which is simulated and has no kernel",
                resolved.name
            );
            let help = "run it in a node without `simulated: true`; what simulated nodes send is \
                        `traffic`";
            report.error(Diagnostic::error(process.span, message).with_help(help));
        }
    }
    for event in &raw.timeline {
        let node = event.node.as_ref().filter(|node| is_simulated(&node.value));
        if let (Some(node), Some(span)) = (node, report.key(event.id, &["run"])) {
            let message = format!("nothing can run in `{}`, which is simulated", node.value);
            let help = "run it in a node without `simulated: true`";
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
}

/// Returns the keys of this node that need a kernel.
fn needs_kernel(node: &NodeDraft<'_>) -> impl Iterator<Item = &'static str> {
    let software = &node.software;
    let asked = [
        ("services", !software.services.is_empty()),
        ("root", software.root.is_some()),
        ("files", !software.files.is_empty()),
        ("binds", !software.binds.is_empty()),
        ("env", !software.env.is_empty()),
        ("startup", !software.startup.is_empty()),
        ("limits", node.limits() != Limits::default()),
        ("publish", !node.raw.head.publish.is_empty()),
    ];
    asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(key, _)| key)
}

fn of_node(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    for key in needs_kernel(node) {
        let span = report.key(node.raw.id, &[key]).unwrap_or(node.name.span);
        let message =
            format!("`{key}` takes a kernel, and node `{}` is simulated", node.name.value);
        let help = format!("leave `{key}` out, or `simulated: true`");
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

fn of_link(
    link: &LinkDraft<'_>,
    nodes: &[NodeDraft<'_>],
    is_hybrid: bool,
    report: &mut Report<'_>,
) {
    let Some(ends) = &link.ends else { return };
    let node = |end: &End<'_>| &nodes[end.node];
    let [a, b] = ends.each_ref().map(|end| node(end).is_simulated());
    let wrong = if (a || b) && link.raw.head.direct {
        Some((
            "cannot be direct: it has a simulated end".to_owned(),
            "leave out `direct: true`: the simulation carries it",
        ))
    } else if a == b {
        None
    } else {
        let has_no_stack = |end: &&End<'_>| !node(end).kind.has_stack();
        ends.iter().find(has_no_stack).map(|end| match node(end).kind {
            NodeKind::Medium => (
                format!("makes a simulated node share `{}` with one that is not", end.node_name),
                "make all members of a medium simulated or none",
            ),
            NodeKind::Outside => (
                format!("joins {} to a simulated node", end.node_name),
                "put a node without `simulated: true` between them",
            ),
            _ => (
                format!(
                    "joins a simulated node to one that is not, and `{}` is a switch",
                    end.node_name
                ),
                "put a router between them, or make all nodes of the switch, and the switch \
                 itself, simulated or none",
            ),
        })
    };
    if let Some((what, help)) = wrong {
        let message = format!("link `{}` {what}", link.name);
        report.error(Diagnostic::error(link.endpoints_span(), message).with_help(help));
    } else if a != b && is_hybrid {
        // Frames leave for a real node by the pipe that begins at the simulated end.
        let pipe = if a { &link.forward } else { &link.reverse };
        let delay = least_propagation(pipe);
        if delay < FORGIVING {
            let message = format!(
                "frames need {delay} at least over link `{}` to a real node, and are late by all \
                 that the simulation takes beyond that",
                link.name
            );
            let help = format!("give it a `delay` of {FORGIVING} or more");
            let warning = Diagnostic::warning(link.endpoints_span(), message);
            report.error(warning.with_help(help));
        }
    }
}
