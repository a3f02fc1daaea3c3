//! Properties of pipes that have no effect. A property may be set at any time of a run if it has an
//! effect at some time of it. Defaults may contain more than a link needs.

use std::collections::BTreeMap;

use netloom_document::{Diagnostic, NodeId, Span, Spanned};
use netloom_link::{Background, Circumstances, NoEffect, PipeConfig};

use super::links::LinkDraft;
use super::properties::place;
use super::references::References;
use super::report::Report;
use crate::raw::{PipeKeys, RawEvent, RawPipe, RawScenario, RawStart};
use crate::spec::Direction;

/// Reports every property of a link or of the timeline that never has an effect.
pub(super) fn check(
    raw: &RawScenario,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    report: &mut Report<'_>,
) {
    let timeline = report.node(report.root(), &["timeline"]);
    let defaults = report.node(report.root(), &["topology", "defaults", "link"]);
    let is_incomplete = |node| report.is_incomplete_below(node);
    if report.is_incomplete_in_file(&["timeline"])
        || timeline.is_some_and(is_incomplete)
        || report.is_incomplete_in_file(&["topology", "defaults", "link"])
        || defaults.is_some_and(is_incomplete)
    {
        return;
    }
    let circumstances = circumstances(raw, links, references);
    backgrounds(raw, links, references, &circumstances, report);
    let check = |pipe: &RawPipe, node, index: usize, direction, report: &mut Report<'_>| {
        if links[index].raw.head.direct || report.is_incomplete_below(links[index].raw.id) {
            return;
        }
        let either = pipes(direction).iter().map(|pipe| circumstances[index][*pipe]);
        let ever = either.fold(Circumstances::default(), Circumstances::or);
        for finding in pipe.change().without_effect(ever) {
            no_effect(finding, pipe, node, &links[index].name, report);
        }
    };
    for (index, link) in links.iter().enumerate().filter(|(_, link)| link.ends.is_some()) {
        let (id, head) = (link.raw.id, &link.raw.head);
        check(&link.raw.rest, id, index, Direction::Both, report);
        if let Some(node) = report.node(id, &["forward"]) {
            check(&head.forward.rest, node, index, Direction::Forward, report);
        }
        if let Some(node) = report.node(id, &["reverse"]) {
            check(&head.reverse.rest, node, index, Direction::Reverse, report);
        }
    }
    for event in &raw.timeline {
        let (Some(link), Some(set)) = (&event.link, &event.set) else { continue };
        if let Some(index) = references.link_index(&link.value) {
            check(&set.value, set.id, index, event.direction.unwrap_or_default(), report);
        }
    }
}

fn no_effect(finding: NoEffect, pipe: &RawPipe, node: NodeId, link: &str, report: &mut Report<'_>) {
    let NoEffect { property, why, help } = finding;
    // A property that another tool's notation implies is not a mistake.
    let Some(span) = place(pipe, node, property, report) else { return };
    let (key, _) = property.split_once('.').unwrap_or((property, ""));
    let finding = match (report.key(node, &[key]), pipe.head.saying(property)) {
        (None, Some(notation)) => {
            let message =
                format!("`{notation}` sets `{property}`, which has no effect: link `{link}` {why}");
            Diagnostic::error(span, message).with_help("leave that out of the string")
        }
        _ => {
            let message = format!("`{key}` has no effect: link `{link}` {why}");
            Diagnostic::error(span, message).with_help(help)
        }
    };
    report.error(finding);
}

/// Returns the circumstances of the pipes of every link over the whole run.
fn circumstances(
    raw: &RawScenario,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
) -> Vec<[Circumstances; 2]> {
    let first = |link: &LinkDraft<'_>| [&link.forward, &link.reverse].map(Circumstances::of);
    let mut circumstances: Vec<_> = links.iter().map(first).collect();
    for event in &raw.timeline {
        let (Some(link), Some(set)) = (&event.link, &event.set) else { continue };
        let Some(index) = references.link_index(&link.value) else { continue };
        for pipe in pipes(event.direction.unwrap_or_default()) {
            let mut config: PipeConfig =
                [&links[index].forward, &links[index].reverse][*pipe].clone();
            set.change().apply_to(&mut config);
            let ever = &mut circumstances[index][*pipe];
            *ever = ever.or(Circumstances::of(&config));
        }
    }
    circumstances
}

/// Returns the pipes of a direction: 0 is forward, 1 reverse.
fn pipes(direction: Direction) -> &'static [usize] {
    match direction {
        Direction::Both => &[0, 1],
        Direction::Forward => &[0],
        Direction::Reverse => &[1],
    }
}

/// Reports invalid background traffic, and background traffic that exceeds the rate of the line.
fn backgrounds(
    raw: &RawScenario,
    links: &[LinkDraft<'_>],
    references: &References<'_>,
    circumstances: &[[Circumstances; 2]],
    report: &mut Report<'_>,
) {
    for (link, ever) in links.iter().zip(circumstances).filter(|(link, _)| link.ends.is_some()) {
        let ways = [("forward", &link.forward), ("reverse", &link.reverse)];
        for ((way, config), ever) in ways.into_iter().zip(ever) {
            let place = report
                .key(link.raw.id, &[way, "background"])
                .or_else(|| report.key(link.raw.id, &["background"]))
                .or_else(|| report.key_in_file(&["topology", "defaults", "link", "background"]));
            background(config, *ever, place.unwrap_or(link.raw.span), &link.name, report);
        }
    }
    for event in &raw.timeline {
        let (Some(name), Some(set)) = (&event.link, &event.set) else { continue };
        let Some(index) = references.link_index(&name.value) else { continue };
        let link = &links[index];
        // Whether a fluid is valid depends on the earlier events.
        if set.change().background.as_ref().is_none_or(Background::has_fluid) {
            continue;
        }
        for pipe in pipes(event.direction.unwrap_or_default()) {
            let mut config = [&link.forward, &link.reverse][*pipe].clone();
            set.change().apply_to(&mut config);
            let place = report.key(set.id, &["background"]).unwrap_or(set.span);
            background(&config, circumstances[index][*pipe], place, &link.name, report);
        }
    }
    let mut of_pipes: BTreeMap<(usize, usize), Vec<&RawEvent>> = BTreeMap::new();
    for event in &raw.timeline {
        let name = event.link.as_ref();
        let Some(index) = name.and_then(|name| references.link_index(&name.value)) else {
            continue;
        };
        for pipe in pipes(event.direction.unwrap_or_default()) {
            of_pipes.entry((index, *pipe)).or_default().push(&event.value);
        }
    }
    for ((index, pipe), events) in of_pipes {
        let link = &links[index];
        if link.ends.is_some() {
            let config = [&link.forward, &link.reverse][pipe];
            fluid(config, &events, circumstances[index][pipe], &link.name, report);
        }
    }
}

/// Reports events after which a pipe would have an invalid fluid, in order of time. If the order is
/// unknown before the run, the run rejects them.
fn fluid(
    first: &PipeConfig,
    events: &[&RawEvent],
    ever: Circumstances,
    link: &str,
    report: &mut Report<'_>,
) {
    let mut ordered = Vec::new();
    for event in events {
        let Some(set) = &event.set else { continue };
        let concerns = set.value.change().concerns_background();
        if concerns.is_empty() {
            continue;
        }
        match (&event.at, &event.time, &event.every) {
            (Some(Spanned { value: RawStart::At(at), .. }), None, None) => {
                ordered.push((*at, set, concerns[0]));
            }
            _ => return,
        }
    }
    // The sort is stable: events at the same time stay in order.
    ordered.sort_by_key(|(at, ..)| *at);
    let mut config = first.clone();
    for (_, set, property) in ordered {
        let was_right = config.background.check(&config).is_ok();
        set.value.change().apply_to(&mut config);
        if config.background.has_fluid() && (was_right || property == "background") {
            let place = place(&set.value, set.id, property, report).unwrap_or(set.span);
            background(&config, ever, place, link, report);
        }
    }
}

/// Reports errors in the background traffic of a pipe of `link`. `ever` are the pipe's
/// circumstances over the whole run.
fn background(
    config: &PipeConfig,
    ever: Circumstances,
    place: Span,
    link: &str,
    report: &mut Report<'_>,
) {
    // Unread files, and pipes that never have a rate, are reported elsewhere. Frames may arrive
    // while there is no rate; a fluid may not.
    let has_rate = config.rate.nominal().is_some();
    let lacks_rate = !has_rate && config.background.has_fluid() && ever.has_rate();
    if config.unread_file().is_some() || !(has_rate || lacks_rate) {
        return;
    }
    if let Err(error) = config.background.check(config) {
        let message = format!("the background of link `{link}` cannot be: {error}");
        // Messages about values have the form `problem; suggestion`.
        let (message, help) = message.split_once("; ").unwrap_or((&message, ""));
        let help = Some(help.to_owned()).filter(|help| !help.is_empty());
        report.error(Diagnostic::error(place, message).with_optional_help(help));
    } else if let Some(load) = config.background.mean_load(config).filter(|load| *load > 1.0) {
        let percent = (load * 100.0).round();
        let rate = config.rate.nominal().map_or_else(String::new, |rate| rate.to_string());
        let message = format!("the background of link `{link}` is {percent} % of {rate}, for ever");
        let help = "others get through by chance only; write less, or a model that ends";
        report.error(Diagnostic::warning(place, message).with_help(help));
    }
}
