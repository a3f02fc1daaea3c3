//! Pipes that make the interface in front of them wait, where that is impossible.

use netloom_document::{Diagnostic, Span};
use netloom_link::{PipeConfig, WhenFull};

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::references::References;
use super::report::Report;
use crate::raw::{PipeKeys, RawScenario};
use crate::spec::Direction;

/// Reports pipes in front of which nothing can wait, at the start or after an event of the
/// timeline.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) {
    for link in links.iter().filter(|link| !link.raw.head.direct) {
        for (index, (way, config)) in ways(link).into_iter().enumerate() {
            let place = report
                .key(link.raw.id, &[way, "queue", "full"])
                .or_else(|| report.key(link.raw.id, &["queue", "full"]))
                .or_else(|| report.key_in_file(&["topology", "defaults", "link", "queue", "full"]));
            pipe(link, index, config, nodes, place.unwrap_or(link.raw.span), report);
        }
    }
    for event in &raw.timeline {
        let (Some(name), Some(set)) = (&event.link, &event.set) else { continue };
        let Some(link) = references.link_index(&name.value).map(|index| &links[index]) else {
            continue;
        };
        for (index, (_, config)) in ways(link).into_iter().enumerate() {
            let other = [Direction::Reverse, Direction::Forward][index];
            if event.direction == Some(other) {
                continue;
            }
            let mut config = config.clone();
            set.change().apply_to(&mut config);
            pipe(link, index, &config, nodes, set.span, report);
        }
    }
}

fn ways<'l>(link: &'l LinkDraft<'_>) -> [(&'static str, &'l PipeConfig); 2] {
    [("forward", &link.forward), ("reverse", &link.reverse)]
}

fn pipe(
    link: &LinkDraft<'_>,
    index: usize,
    config: &PipeConfig,
    nodes: &[NodeDraft<'_>],
    place: Span,
    report: &mut Report<'_>,
) {
    if config.queue.full == WhenFull::Drop || config.unread_file().is_some() {
        return;
    }
    let (Some(ends), Some(finished)) = (&link.ends, link.finish()) else { return };
    let node = nodes[ends[index].node].finish();
    if let Err(problem) = finished.check_waiting(index, config, |_| Some(&node)) {
        let (what, help) = problem.split_once("; ").unwrap_or((&problem, ""));
        let message = format!("the queue of link `{}` cannot have anybody wait: {what}", link.name);
        let help = Some(help.to_owned()).filter(|help| !help.is_empty());
        report.error(Diagnostic::error(place, message).with_optional_help(help));
    }
}
