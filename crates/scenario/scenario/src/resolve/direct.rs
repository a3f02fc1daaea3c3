//! Direct links, which the kernel carries without the engine. Everything that needs the engine is
//! an error on them.

use netloom_document::{Diagnostic, Span};

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::references::References;
use super::report::Report;
use crate::raw::{RawCapture, RawFrames, RawMeasure, RawScenario};

/// Keys that a direct link may have.
const KEYS: [&str; 5] = ["name", "endpoints", "direct", "cost", "mtu"];

/// Help for keys that a direct link cannot have.
const HELP: &str = "leave out `direct: true` for a link that the engine carries";

/// Reports everything about direct links that only the engine could do.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) {
    for link in links.iter().filter(|link| link.raw.head.direct) {
        properties(link, report);
        ends(link, nodes, report);
    }
    let direct = |name: &str| {
        let link = &links[references.link_index(name)?];
        link.raw.head.direct.then_some(link)
    };
    for event in &raw.timeline {
        let state = report.key(event.id, &["state"]);
        if let Some(link) = event.link.as_ref().and_then(|link| direct(&link.value)) {
            let span = report.key(event.id, &["set"]).or(state).unwrap_or(event.span);
            let message = format!("link `{}` is direct: nothing can be set on it", link.name);
            report.error(Diagnostic::error(span, message).with_help(HELP));
        }
        if let (Some(node), Some(span)) = (&event.node, state)
            && let Some(link) = links.iter().find(|link| link.is_direct_at(&node.value, None))
        {
            let message = format!(
                "node `{}` has a direct link, `{}`, which the engine cannot take down or up",
                node.value, link.name
            );
            let help =
                "set the `state` of its other links, or `run` a command that sets the interface";
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
    measure(&raw.measure, links, &direct, report);
}

impl LinkDraft<'_> {
    /// Whether the link is direct and one of its ends is this interface of this node; any interface
    /// of it if none is given.
    fn is_direct_at(&self, node: &str, interface: Option<&str>) -> bool {
        self.raw.head.direct
            && self.ends.iter().flatten().any(|end| {
                end.node_name == node
                    && interface.is_none_or(|interface| end.interface == interface)
            })
    }
}

fn properties(link: &LinkDraft<'_>, report: &mut Report<'_>) {
    let written: Vec<(&str, Span)> = report.keys(link.raw.id).collect();
    for (key, span) in written.into_iter().filter(|(key, _)| !KEYS.contains(key)) {
        let message = format!(
            "`{key}` cannot be obeyed: link `{}` is direct, so the engine does not see its frames",
            link.name
        );
        let help = format!("leave out `{key}`, or leave out `direct: true`");
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

fn ends(link: &LinkDraft<'_>, nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
    for end in link.ends.iter().flatten() {
        let node = &nodes[end.node];
        if node.is_switch() {
            let message = format!(
                "a direct link joins two network stacks, and switch `{}` is a segment inside the \
                 engine",
                end.node_name
            );
            let span = report.key(link.raw.id, &["direct"]).unwrap_or(link.raw.span);
            report.error(Diagnostic::error(span, message).with_help(HELP));
        }
        let raw = node.raw.head.interfaces.find(&end.interface);
        if let Some(span) = raw.and_then(|raw| report.key(raw.id, &["offloads"])) {
            let message = format!(
                "`offloads` of `{}:{}` cannot be obeyed: its link is direct, and the engine does \
                 not see its frames",
                end.node_name, end.interface
            );
            let help = "leave out `offloads` (`ethtool -K` works in the node), or `direct: true`";
            report.error(Diagnostic::error(span, message).with_help(help));
        }
        let of_end = |name: &str| {
            let mut known = node.interfaces.iter().filter(|known| known.name == name);
            known
                .any(|known| known.subinterface.as_ref().is_some_and(|sub| sub.of == end.interface))
        };
        let names = node.raw.head.interfaces.iter().map(|(name, _)| name);
        for name in names.filter(|name| of_end(&name.value)) {
            let message = format!(
                "`{}:{}` has a direct link, and sub-interfaces like `{}` are the engine's",
                end.node_name, end.interface, name.value
            );
            let help =
                "make it inside the node: `ip link add link IF name IF.VLAN type vlan id VLAN`";
            report.error(Diagnostic::error(name.span, message).with_help(help));
        }
    }
}

fn measure<'a>(
    raw: &RawMeasure,
    links: &'a [LinkDraft<'a>],
    direct: &dyn Fn(&str) -> Option<&'a LinkDraft<'a>>,
    report: &mut Report<'_>,
) {
    if let RawFrames::Of(named) = &raw.frames {
        for name in named {
            let Some(link) = direct(&name.value) else { continue };
            let message = format!(
                "the frames of link `{}` cannot be logged: it is direct, and the engine does not \
                 see them",
                link.name
            );
            let help = "capture at one of its ends, with `capture`";
            report.error(Diagnostic::error(name.span, message).with_help(help));
        }
    }
    for capture in &raw.capture {
        let RawCapture::With(options) = &capture.value else { continue };
        let place = &options.interface.value;
        let is_end = |link: &LinkDraft<'_>| {
            place
                .interface
                .as_deref()
                .is_some_and(|name| link.is_direct_at(&place.node, Some(name)))
        };
        if options.drops && links.iter().any(is_end) {
            let message = "what a direct link drops cannot be captured: the kernel only counts it";
            let span = report.key(capture.id, &["drops"]).unwrap_or(capture.span);
            report.error(Diagnostic::error(span, message).with_help("leave out `drops`"));
        }
    }
}
