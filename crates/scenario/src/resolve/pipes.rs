//! Properties of pipes that would have no effect.

use std::collections::HashSet;

use netloom_link::{PipeChange, PipeConfig, RateLimit};

use super::links::LinkDraft;
use super::references::References;
use super::report::Report;
use crate::diagnostic::Diagnostic;
use crate::raw::RawScenario;
use crate::spec::Direction;

/// A queue that is set for a link on which frames never wait is an error: without a rate there is
/// no queue. A rate that the timeline sets later counts. Defaults may say more than a link needs.
pub(super) fn check(
    raw: &RawScenario,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) {
    if report.is_incomplete_in_file(&["timeline"]) {
        return;
    }
    let with_rate = links_with_rate(raw, links, references);
    for (index, link) in links.iter().enumerate() {
        if link.ends.is_none() || report.is_incomplete(link.raw.id) {
            continue;
        }
        let head = &link.raw.head;
        let places: [(&[&str], &PipeChange, Direction); 3] = [
            (&["queue"], &link.raw.rest, Direction::Both),
            (&["forward", "queue"], &head.forward, Direction::Forward),
            (&["reverse", "queue"], &head.reverse, Direction::Reverse),
        ];
        for (path, change, direction) in places {
            let has_rate = pipes(direction).iter().any(|pipe| with_rate.contains(&(index, *pipe)));
            if change.queue.is_some() && !has_rate {
                no_effect(report.key(link.raw.id, path), &link.name, report);
            }
        }
    }
    for event in &raw.timeline {
        let (Some(link), Some(set)) = (&event.link, &event.set) else { continue };
        let Some(index) = references.link_index(&link.value) else { continue };
        let direction = event.direction.unwrap_or_default();
        let has_rate = pipes(direction).iter().any(|pipe| with_rate.contains(&(index, *pipe)));
        if set.queue.is_some() && !has_rate {
            no_effect(report.key(set.id, &["queue"]), &links[index].name, report);
        }
    }
}

fn no_effect(span: Option<crate::span::Span>, link: &str, report: &mut Report<'_>) {
    let Some(span) = span else { return };
    let message =
        format!("`queue` has no effect: link `{link}` has no `rate`, so no frame ever waits");
    report.error(Diagnostic::error(span, message).with_help("add a `rate`, or leave `queue` out"));
}

/// The pipes, by link and direction, that have a rate at some time.
fn links_with_rate(
    raw: &RawScenario,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
) -> HashSet<(usize, usize)> {
    let has_rate = |config: &PipeConfig| config.rate != RateLimit::Unlimited;
    let mut with_rate = HashSet::new();
    for (index, link) in links.iter().enumerate() {
        let configs = [&link.forward, &link.reverse];
        let limited = (0..2).filter(|pipe| has_rate(configs[*pipe]));
        with_rate.extend(limited.map(|pipe| (index, pipe)));
    }
    for event in &raw.timeline {
        let (Some(link), Some(set)) = (&event.link, &event.set) else { continue };
        if !matches!(set.rate, Some(RateLimit::Limited(_))) {
            continue;
        }
        if let Some(index) = references.link_index(&link.value) {
            let direction = event.direction.unwrap_or_default();
            with_rate.extend(pipes(direction).iter().map(|pipe| (index, *pipe)));
        }
    }
    with_rate
}

/// The pipes of a direction: 0 is forward, 1 reverse.
fn pipes(direction: Direction) -> &'static [usize] {
    match direction {
        Direction::Both => &[0, 1],
        Direction::Forward => &[0],
        Direction::Reverse => &[1],
    }
}
