//! Nodes with a kernel of their own. Everything that needs the machine's kernel is an error on
//! them.

use netloom_document::Diagnostic;
use netloom_units::Size;

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::raw::RawScenario;
use crate::spec::Kernel;

/// Least memory for a user-mode kernel to start and to leave room for programs, in bytes.
const LEAST_MEMORY: u64 = 48 << 20;

/// Help for keys that such nodes cannot have.
const HELP: &str = "leave it out, or `kernel: own`";

/// Reports properties that nodes with a kernel of their own cannot have.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    report: &mut Report<'_>,
) {
    let own = |node: &NodeDraft<'_>| node.kernel() == Kernel::Own;
    nodes.iter().filter(|node| own(node)).for_each(|node| of_node(node, report));
    let is_own =
        |name: &str| nodes.iter().any(|node| own(node) && node.name.value.as_str() == name);
    for link in links.iter().filter(|link| link.raw.head.direct) {
        let Some(end) = link.ends.iter().flatten().find(|end| is_own(end.node_name)) else {
            continue;
        };
        let message = format!(
            "link `{}` cannot be direct: `{}` has a kernel of its own, and such a link is inside \
             the machine's",
            link.name, end.node_name
        );
        let help = "leave out `direct: true` for a link that the engine carries";
        report.error(Diagnostic::error(link.endpoints_span(), message).with_help(help));
    }
    for event in &raw.timeline {
        let node = event.node.as_ref().filter(|node| is_own(&node.value));
        if let (Some(node), Some(span)) = (node, report.key(event.id, &["route"])) {
            let message = format!(
                "the timeline cannot change routes of `{}`, which has a kernel of its own",
                node.value
            );
            let help = "`run` a command in it that does, like `ip route replace …`";
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
}

fn of_node(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    let name = &node.name.value;
    let mut refuse = |key: &[&str], what: String, help: &str| {
        let span = report.key(node.raw.id, key).unwrap_or(node.name.span);
        report.error(Diagnostic::error(span, what).with_help(help));
    };
    if node.is_simulated() {
        let what = format!("node `{name}` is simulated, and cannot have a kernel of its own");
        refuse(&["kernel"], what, "leave one of `simulated` and `kernel` out");
        return;
    }
    let limits = node.limits();
    let asked = [
        ("root", node.software.root.is_some(), "its kernel comes from the machine's files"),
        (
            "publish",
            !node.raw.head.publish.is_empty(),
            "published ports are sockets in the machine's kernel",
        ),
    ];
    for (key, _, why) in asked.into_iter().filter(|(_, is_asked, _)| *is_asked) {
        let what = format!("node `{name}` has a kernel of its own, and no `{key}`: {why}");
        refuse(&[key], what, HELP);
    }
    if limits.pids.is_some() {
        let what = format!(
            "node `{name}` has a kernel of its own, and no limit of `pids`: the machine does not \
             see its processes"
        );
        refuse(&["limits", "pids"], what, HELP);
    }
    if let Some(memory) = limits.memory.filter(|memory| memory.bytes() < LEAST_MEMORY) {
        let least = Size::from_bytes(LEAST_MEMORY);
        let what = format!(
            "node `{name}` has a kernel of its own, which does not start in {memory} of memory"
        );
        refuse(&["limits", "memory"], what, &format!("give it {least} or more"));
    }
}
