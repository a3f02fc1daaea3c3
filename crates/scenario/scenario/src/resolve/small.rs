//! Properties of pipes that are too small for one packet of their link. Not here: what that means
//! for a frame (`netloom-link`).

use std::collections::HashSet;

use netloom_document::{Diagnostic, NodeId, Span};
use netloom_link::{PipeConfig, TooSmall};

use super::links::{End, LinkDraft};
use super::nodes::NodeDraft;
use super::properties::place;
use super::references::References;
use super::report::Report;
use crate::raw::{PipeKeys, RawPipe, RawScenario};
use crate::spec::Direction;

/// Warns of values that no packet of a link's MTU fits into, at the start and after each event.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) {
    let mut found = HashSet::new();
    let defaults = report.node(report.root(), &["topology", "defaults", "link"]);
    for link in links {
        let Some(ends) = link.ends.as_ref().filter(|_| !link.raw.head.direct) else { continue };
        let head = &link.raw.head;
        let ways = [
            ("forward", &link.forward, &head.forward.rest, &ends[0]),
            ("reverse", &link.reverse, &head.reverse.rest, &ends[1]),
        ];
        for (way, config, own, from) in ways {
            let layers = [
                (report.node(link.raw.id, &[way]), own),
                (Some(link.raw.id), &link.raw.rest),
                (defaults, &raw.topology.defaults.link.rest),
            ];
            for small in config.too_small(mtu(nodes, from)) {
                let span = span(&layers, small.property, report).unwrap_or(link.raw.span);
                warn(small, span, &link.name, &mut found, report);
            }
        }
    }
    for event in &raw.timeline {
        let (Some(name), Some(set)) = (&event.link, &event.set) else { continue };
        let Some(index) = references.link_index(&name.value) else { continue };
        let link = &links[index];
        let Some(ends) = &link.ends else { continue };
        let changed = set.change().keys();
        let ways = [(Direction::Forward, &link.forward, 0), (Direction::Reverse, &link.reverse, 1)];
        for (way, config, end) in ways {
            let direction = event.direction.unwrap_or_default();
            if direction != Direction::Both && direction != way {
                continue;
            }
            let mut config: PipeConfig = config.clone();
            set.change().apply_to(&mut config);
            // What the event does not set was reported where it stands.
            let of_event = |small: &TooSmall| changed.contains(&small.property);
            for small in config.too_small(mtu(nodes, &ends[end])).into_iter().filter(of_event) {
                let layers = [(Some(set.id), &set.value)];
                let span = span(&layers, small.property, report).unwrap_or(set.span);
                warn(small, span, &link.name, &mut found, report);
            }
        }
    }
}

fn mtu(nodes: &[NodeDraft<'_>], end: &End<'_>) -> u32 {
    let mut interfaces = nodes[end.node].interfaces.iter();
    interfaces.find(|interface| interface.name == end.interface).map_or(1500, |found| found.mtu)
}

/// Returns where the first layer that sets a property does so.
fn span(
    layers: &[(Option<NodeId>, &RawPipe)],
    property: &str,
    report: &Report<'_>,
) -> Option<Span> {
    layers.iter().find_map(|(node, pipe)| place(pipe, (*node)?, property, report))
}

fn warn(
    small: TooSmall,
    span: Span,
    link: &str,
    found: &mut HashSet<(Span, &'static str)>,
    report: &mut Report<'_>,
) {
    // Defaults are reported for one link, and a link for one direction.
    if found.insert((span, small.property)) {
        let message = format!("link `{link}`: {}", small.what);
        report.error(Diagnostic::warning(span, message).with_help(small.help));
    }
}
