//! The timeline: every event has one object and something that happens to it.

use netloom_link::PipeChange;

use super::processes::check_time;
use super::references::References;
use super::report::Report;
use crate::decode::Spanned;
use crate::diagnostic::Diagnostic;
use crate::raw::{RawEvent, RawScenario};
use crate::spec::{TimelineAction, TimelineEvent};

/// Resolves all events.
pub(super) fn resolve(
    raw: &RawScenario,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<TimelineEvent> {
    let event = |event: &Spanned<RawEvent>| {
        let action = action(event, references, report);
        let Some(at) = &event.at else {
            report.missing(event.id, event.span, "at", "say when it happens, like `at: 5s`");
            return None;
        };
        check_time(raw, at, "event", report);
        let at = references.start(&at.value, report);
        Some(TimelineEvent { at: at?, action: action? })
    };
    raw.timeline.iter().filter_map(event).collect()
}

fn action(
    event: &Spanned<RawEvent>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    match (&event.link, &event.node) {
        (Some(link), None) => set_link(event, link, references, report),
        (None, Some(node)) => at_node(event, node, references, report),
        (Some(_), Some(node)) => {
            let message = "an event is about a `link` or a `node`, not both";
            let help = "make it two events at the same time";
            report.error(Diagnostic::error(node.span, message).with_help(help));
            None
        }
        (None, None) => {
            // A link or node that could not be read was reported already.
            if !report.is_incomplete(event.id) {
                let message = "this event names neither a `link` nor a `node`";
                let help = "add `link: NAME` with `set`, or `node: NAME` with `state` or `run`";
                report.error(Diagnostic::error(event.span, message).with_help(help));
            }
            None
        }
    }
}

fn set_link(
    event: &Spanned<RawEvent>,
    link: &Spanned<String>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    excess(event, &["run"], "a link", report);
    let mut change = event.set.as_ref().map(|set| set.value.change().clone()).unwrap_or_default();
    if let (Some(_), Some(span)) = (change.state, report.key(event.id, &["state"])) {
        let message = "the new state is given twice, here and in `set`";
        report.error(Diagnostic::error(span, message).with_help("keep one of them"));
    }
    change = change.overlaid(&PipeChange { state: event.state, ..PipeChange::default() });
    let is_incomplete = report.is_incomplete(event.id)
        || event.set.as_ref().is_some_and(|set| report.is_incomplete(set.id));
    if change.is_empty() && !is_incomplete && event.run.is_none() {
        let message = format!("nothing changes at link `{}`", link.value);
        let help = "add what changes, like `set: {delay: 20ms}` or `state: down`";
        report.error(Diagnostic::error(event.span, message).with_help(help));
    }
    let link = references.link(link, report)?;
    let direction = event.direction.unwrap_or_default();
    Some(TimelineAction::SetLink { link, direction, change: Box::new(change) })
}

fn at_node(
    event: &Spanned<RawEvent>,
    node: &Spanned<String>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    excess(event, &["set", "direction"], "a node", report);
    match (event.state, &event.run) {
        (Some(state), None) => {
            references.node(node, report)?;
            Some(TimelineAction::SetNode { node: node.value.clone(), state })
        }
        (None, Some(command)) => references
            .node_with_stack(node, report)
            .then(|| TimelineAction::Run { node: node.value.clone(), command: command.0.clone() }),
        (given, _) => {
            references.node(node, report);
            if given.is_some() {
                let message = "an event has `state` or `run`, not both";
                let help = "make it two events at the same time";
                report.error(Diagnostic::error(event.span, message).with_help(help));
            } else if !report.is_incomplete(event.id)
                && event.set.is_none()
                && event.direction.is_none()
            {
                let message = format!("nothing happens at node `{}`", node.value);
                let help = "add `state: down`, `state: up` or `run: COMMAND`";
                report.error(Diagnostic::error(event.span, message).with_help(help));
            }
            None
        }
    }
}

/// Reports keys that an event about `what` cannot have.
fn excess(event: &Spanned<RawEvent>, keys: &[&str], what: &str, report: &mut Report<'_>) {
    for key in keys {
        if let Some(span) = report.key(event.id, &[key]) {
            let message = format!("an event about {what} has no `{key}`");
            let help = match *key {
                "run" => "commands run in a `node`",
                _ => "properties belong to a `link`; a node has `state` and `run`",
            };
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
}
