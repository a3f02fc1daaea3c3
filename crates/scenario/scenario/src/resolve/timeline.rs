//! The timeline: every event has one object and one action.

use std::collections::BTreeMap;

use netloom_document::{Diagnostic, Spanned};
use netloom_link::PipeChange;
use netloom_mobility::Geographic;
use netloom_units::{Duration, Speed};

use super::media;
use super::processes::check_time;
use super::references::References;
use super::report::Report;
use super::routes;
use crate::raw::{PipeKeys, RawEvent, RawFails, RawRadio, RawRouteChange, RawScenario, RawStart};
use crate::spec::{
    Called, Direction, Fails, NodeState, Recurs, RouteChange, StationChange, TimelineAction,
    TimelineEvent, When,
};

/// Resolves all events.
pub(super) fn resolve(
    raw: &RawScenario,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<TimelineEvent> {
    let event = |event: &Spanned<RawEvent>| {
        let action = action(event, raw.topology.origin, references, report);
        let when = when(raw, event, report);
        let Some(at) = &event.at else {
            report.missing(event.id, event.span, "at", "say when it happens, like `at: 5s`");
            return None;
        };
        check_time(raw, at, "event", report);
        let at = references.start(&at.value, report);
        Some(TimelineEvent { at: at?, action: action?, when: when? })
    };
    raw.timeline.iter().filter_map(event).collect()
}

/// Largest number of times that one event happens.
const MOST: u64 = 100_000;

/// Resolves how often an event happens and for how long. The outer `None` means that it makes no
/// sense.
fn when(
    raw: &RawScenario,
    event: &Spanned<RawEvent>,
    report: &mut Report<'_>,
) -> Option<Option<When>> {
    let keys = ["for", "every", "times", "until", "fails"];
    let Some(first) = keys.into_iter().find(|key| report.key(event.id, &[key]).is_some()) else {
        return Some(None);
    };
    let is_incomplete = report.is_incomplete(event.id);
    let mut refusing = Refusing { event, report };
    let at = match event.at.as_ref().map(|at| &at.value) {
        Some(RawStart::At(at)) => *at,
        Some(RawStart::After(_)) => {
            let message = format!("`{first}` needs an event at a time, not after a process");
            return refusing.refuse(first, message, "write `at: 5s`, or leave it out");
        }
        None => return None,
    };
    refusing.senseless_times()?;
    let until = event.until.map(|time| time.0);
    let duration = raw.duration.as_ref().map(|duration| duration.value.0);
    let end = until.into_iter().chain(duration).min();
    if let Some(until) = until.filter(|until| *until <= at) {
        let message = format!("it never happens: it begins at {at}, and ends at {until}");
        return refusing.refuse("until", message, "let it end later");
    }
    if let Some(fails) = &event.fails {
        return refusing.fails(&fails.value, at, end).map(|fails| Some(When::Fails(fails)));
    }
    let Some(every) = event.every.map(|time| time.0) else {
        // An `every` that could not be decoded has been reported already.
        if is_incomplete {
            return None;
        }
        for (key, is_there) in [("times", event.times.is_some()), ("until", until.is_some())] {
            if is_there {
                let message = format!("`{key}` has no effect without `every` or `fails`");
                return refusing.refuse(key, message, "add `every: 10s`, or leave it out");
            }
        }
        return Some(event.time.map(|time| When::Lasts(time.0)));
    };
    refusing.recurs(every, at, end).map(|recurs| Some(When::Recurs(recurs)))
}

/// Resolves the times of one event, and reports those that make no sense.
struct Refusing<'a, 'r> {
    event: &'a Spanned<RawEvent>,
    report: &'a mut Report<'r>,
}

impl Refusing<'_, '_> {
    /// Reports an error at a key of the event.
    fn refuse<T>(&mut self, key: &str, message: impl Into<String>, help: &str) -> Option<T> {
        let span = self.report.key(self.event.id, &[key]).unwrap_or(self.event.span);
        self.report.error(Diagnostic::error(span, message).with_help(help));
        None
    }

    /// Checks for times that this kind of event cannot have, and for times of zero.
    fn senseless_times(&mut self) -> Option<()> {
        let (event, lasts) = (self.event, self.event.time.map(|time| time.0));
        if event.run.is_some() && (lasts.is_some() || event.fails.is_some()) {
            let key = if lasts.is_some() { "for" } else { "fails" };
            let message = format!("a command has no `{key}`: it cannot be taken back");
            return self.refuse(key, message, "leave it out");
        }
        if event.route.is_some() && event.fails.is_some() {
            let message = "a route does not fail: `fails` is about links";
            return self.refuse("fails", message, "write `for`, with `every` if it happens again");
        }
        for (key, time) in [("for", lasts), ("every", event.every.map(|time| time.0))] {
            if time == Some(Duration::ZERO) {
                return self.refuse(key, format!("`{key}` is above 0"), "write a time, like `2s`");
            }
        }
        Some(())
    }

    /// Resolves random failures from `at` on.
    fn fails(&mut self, fails: &RawFails, at: Duration, end: Option<Duration>) -> Option<Fails> {
        let event = self.event;
        let beside = [
            ("for", event.time.is_some()),
            ("every", event.every.is_some()),
            ("times", event.times.is_some()),
        ];
        if let Some((key, _)) = beside.into_iter().find(|(_, is_there)| *is_there) {
            let message = format!("`fails` says when: `{key}` has no place beside it");
            return self.refuse(key, message, "keep one of them");
        }
        let RawFails { after, lasts } = fails.clone();
        let fails = Fails { after, lasts, until: event.until.map(|time| time.0) };
        let Some(gap) = fails.mean_gap() else {
            let message = "the values of `empirical` are a list here, no file";
            return self.refuse("fails", message, "write them, like `empirical: [1s, 2s]`");
        };
        let Some(end) = end else {
            let message = "it fails for ever, and the run with it never ends";
            return self.refuse("fails", message, "add `until: 60s`, or give the run a `duration`");
        };
        let expected = end.saturating_sub(at).as_nanos() as f64 / gap;
        if expected > MOST as f64 {
            let message = format!("it would fail {expected:.0} times: at most {MOST}");
            return self.refuse("fails", message, "let it work longer, or end earlier");
        }
        Some(fails)
    }

    /// Resolves an event that happens again and again from `at` on.
    fn recurs(&mut self, every: Duration, at: Duration, end: Option<Duration>) -> Option<Recurs> {
        let (times, lasts) = (self.event.times, self.event.time.map(|time| time.0));
        if let Some(lasts) = lasts.filter(|lasts| *lasts >= every) {
            let message = format!("it happens each {every}, and would last {lasts}");
            return self.refuse("for", message, "let it last for less than `every`");
        }
        if times == Some(0) {
            return self.refuse("times", "`times` is 1 or more", "leave the event out");
        }
        let until_end = end.map(|end| end.saturating_sub(at).as_nanos().div_ceil(every.as_nanos()));
        let Some(count) = times.into_iter().chain(until_end).min() else {
            let message = "it happens for ever, and the run never ends";
            let help = "add `times: 5` or `until: 60s`, or give the run a `duration`";
            return self.refuse("every", message, help);
        };
        if count > MOST {
            let message = format!("it would happen {count} times: at most {MOST}");
            return self.refuse("every", message, "let more time pass between, or end earlier");
        }
        Some(Recurs { every, times, until: self.event.until.map(|time| time.0), lasts })
    }
}

fn action(
    event: &Spanned<RawEvent>,
    origin: Option<Geographic>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    let fails = event.node.is_some() && event.state == Some(NodeState::Failed);
    if let Some(span) = report.key(event.id, &["disk"]).filter(|_| !fails) {
        let message = "`disk` says what becomes of the files of a node that fails";
        let help = "write it beside `node: NAME` and `state: failed`, or leave it out";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    if !event.media.0.is_empty() {
        return set_media(event, references, report);
    }
    match (&event.link, &event.node) {
        (Some(link), None) => set_link(event, link, references, report),
        (None, Some(node)) => at_node(event, node, origin, references, report),
        (Some(_), Some(node)) => {
            let message = "an event is about a `link` or a `node`, not both";
            let help = "make it two events at the same time";
            report.error(Diagnostic::error(node.span, message).with_help(help));
            None
        }
        (None, None) => {
            // A link or node that could not be decoded has been reported already.
            if !report.is_incomplete(event.id) {
                let message = "this event names neither a `link` nor a `node`";
                let help = "add `link: NAME` with `set`, or `node: NAME` with `state`, `run`, \
                            `route`, `position`, `move`, `radio` or `power`, or `media`";
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
    excess(event, &["run", "route", "position", "move", "radio", "power"], "a link", report);
    let mut change = event.set.as_ref().map(|set| set.value.change().clone()).unwrap_or_default();
    if let (Some(_), Some(span)) = (change.state, report.key(event.id, &["state"])) {
        let message = "the new state is given twice, here and in `set`";
        report.error(Diagnostic::error(span, message).with_help("keep one of them"));
    }
    let fails = event.fails.as_ref().map(|_| Fails::STATE);
    if let (Some(fails), Some(_)) =
        (&event.fails, change.state.or(event.state.map(NodeState::of_links)))
    {
        let message = "`fails` changes the state by itself";
        report.error(Diagnostic::error(fails.span, message).with_help("leave `state` out"));
    }
    if event.state == Some(NodeState::Failed) {
        let span = report.key(event.id, &["state"]).unwrap_or(event.span);
        let message = "a link does not fail: that is a state of a `node`";
        let help = "write `state: down`, or `node: NAME` for one with all that runs in it";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    let state = event.state.or(fails).map(NodeState::of_links);
    change = change.overlaid(&PipeChange { state, ..PipeChange::default() });
    let is_incomplete = report.is_incomplete(event.id)
        || event.set.as_ref().is_some_and(|set| report.is_incomplete(set.id));
    let has_other = event.run.is_some() || event.route.is_some();
    if change.is_empty() && !is_incomplete && !has_other {
        let message = format!("nothing changes at link `{}`", link.value);
        let help = "add what changes, like `set: {delay: 20ms}` or `state: down`";
        report.error(Diagnostic::error(event.span, message).with_help(help));
    }
    let name = references.link(link, report)?;
    let direction = event.direction.unwrap_or_default();
    let is_turned = matches!(references.called(&link.value), Called::One { turned: true, .. });
    if is_turned && direction != Direction::Both {
        let message = format!("`{}` is link `{name}`, whose directions are its own", link.value);
        let help = format!("write `{name}`, and `direction` as its ends are there");
        report.error(Diagnostic::error(link.span, message).with_help(help));
    }
    let link = name;
    Some(TimelineAction::SetLink { link, direction, change: Box::new(change) })
}

fn at_node(
    event: &Spanned<RawEvent>,
    node: &Spanned<String>,
    origin: Option<Geographic>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    excess(event, &["set", "direction"], "a node", report);
    let fails = event.fails.as_ref().map(|_| Fails::STATE);
    if let (Some(fails), Some(_)) = (&event.fails, event.state) {
        let message = "`fails` changes the state by itself";
        report.error(Diagnostic::error(fails.span, message).with_help("leave `state` out"));
    }
    if let Some(route) = &event.route {
        return change_route(event, node, route, references, report);
    }
    if STATION_KEYS.iter().any(|key| report.key(event.id, &[key]).is_some()) {
        return set_station(event, node, origin, references, report);
    }
    match (event.state.or(fails), &event.run) {
        (Some(state), None) => {
            let kind = references.node(node, report)?.kind;
            if state == NodeState::Failed && !kind.has_stack() {
                let message =
                    format!("nothing runs in `{}`: only hosts and routers fail", node.value);
                let help = "write `state: down`, which cuts its links";
                let span = report.key(event.id, &["state"]).unwrap_or(event.span);
                report.error(Diagnostic::error(span, message).with_help(help));
            }
            let disk = event.disk.unwrap_or_default();
            Some(TimelineAction::SetNode { node: node.value.clone(), state, disk })
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
                let help = "add `state: down`, `up` or `failed`, `run: COMMAND` or `route: …`";
                report.error(Diagnostic::error(event.span, message).with_help(help));
            }
            None
        }
    }
}

/// Keys that change a node's stations on shared media.
const STATION_KEYS: &[&str] = &["position", "move", "radio", "power"];

/// Resolves an event that changes a node's stations.
fn set_station(
    event: &Spanned<RawEvent>,
    name: &Spanned<String>,
    origin: Option<Geographic>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    for key in ["state", "run", "fails", "for"] {
        if let Some(span) = report.key(event.id, &[key]) {
            let message = format!("an event that changes a station has no `{key}`");
            let help = "make it two events; what was changed comes back by another event";
            report.error(Diagnostic::error(span, message).with_help(help));
            return None;
        }
    }
    let node = references.node(name, report)?;
    if !references.is_on_medium(node) {
        let message = format!("`{}` is on no shared medium", name.value);
        let help = "name it among the `members` of one of `topology.media`";
        report.error(Diagnostic::error(name.span, message).with_help(help));
        return None;
    }
    let mut change = StationChange {
        on: event.radio.map(|radio| radio == RawRadio::On),
        power: event.power,
        ..StationChange::default()
    };
    match (&event.position, &event.goes) {
        (Some(_), Some(goes)) => {
            let message = "a node is at a `position` or makes a `move`, not both";
            let finding = Diagnostic::error(goes.span, message);
            report.error(finding.with_help("make it two events, one after the other"));
        }
        (Some(place), None) => {
            change.to = media::position(place.value, origin, place.span, report);
        }
        (None, Some(goes)) => {
            change.to = media::position(goes.to, origin, goes.span, report);
            change.speed = Some(goes.speed);
            if goes.speed == Speed::ZERO {
                let message = "who moves at no speed never comes there";
                let help = "write a speed like `5m/s`, or `position` to be there at once";
                report.error(Diagnostic::error(goes.span, message).with_help(help));
            }
        }
        (None, None) => {}
    }
    Some(TimelineAction::SetStation { node: name.value.clone(), change })
}

/// Resolves an event that changes shared media.
fn set_media(
    event: &Spanned<RawEvent>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    for key in ["link", "node", "set", "state", "run", "route", "direction", "fails", "for"]
        .iter()
        .chain(STATION_KEYS)
    {
        if let Some(span) = report.key(event.id, &[key]) {
            let message = format!("an event about `media` has no `{key}`");
            let help = "make it two events at the same time";
            report.error(Diagnostic::error(span, message).with_help(help));
            return None;
        }
    }
    let mut changes = BTreeMap::new();
    for (name, properties) in event.media.iter() {
        let medium = references.draft(&name.value).and_then(|draft| draft.medium.as_ref());
        let Some(medium) = medium else {
            let known: Vec<&str> = report.written_keys(&["topology", "media"]).collect();
            let help = report.did_you_mean(&name.value, "the media are", known);
            let message = format!("there is no medium `{}`", name.value);
            report.error(Diagnostic::error(name.span, message).with_optional_help(help));
            continue;
        };
        let mut config = medium.config.clone();
        properties.value.apply_to(&mut config);
        if let Err(problem) = config.check() {
            report.error(Diagnostic::error(properties.span, problem));
        }
        changes.insert(name.value.clone(), properties.value.clone());
    }
    Some(TimelineAction::SetMedia { changes })
}

/// Resolves an event that adds or removes a route of a node.
fn change_route(
    event: &Spanned<RawEvent>,
    name: &Spanned<String>,
    route: &Spanned<RawRouteChange>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<TimelineAction> {
    for (key, is_there) in [("state", event.state.is_some()), ("run", event.run.is_some())] {
        if is_there {
            let message = format!("an event has `route` or `{key}`, not both");
            let help = "make it two events at the same time";
            report.error(Diagnostic::error(route.span, message).with_help(help));
            return None;
        }
    }
    let has_stack = references.node_with_stack(name, report);
    let node = references.node(name, report).filter(|_| has_stack)?;
    let change = match &route.value {
        RawRouteChange { add: Some(add), replace: None, remove: None } => {
            RouteChange::Add(routes::check_one(node, add, report))
        }
        RawRouteChange { add: None, replace: Some(new), remove: None } => {
            RouteChange::Replace(routes::check_one(node, new, report))
        }
        RawRouteChange { add: None, replace: None, remove: Some(to) } => {
            routes::check_destination(to, report);
            RouteChange::Remove(to.value)
        }
        _ if report.is_incomplete(route.id) => return None,
        _ => {
            let message = "one route comes or goes at a time: `add`, `replace` or `remove`";
            let help = "write one, like `route: {remove: 10.9.0.0/16}`; make it several events";
            report.error(Diagnostic::error(route.span, message).with_help(help));
            return None;
        }
    };
    Some(TimelineAction::Route { node: name.value.clone(), change })
}

/// Reports keys that an event about `what` cannot have.
fn excess(event: &Spanned<RawEvent>, keys: &[&str], what: &str, report: &mut Report<'_>) {
    for key in keys {
        if let Some(span) = report.key(event.id, &[key]) {
            let message = format!("an event about {what} has no `{key}`");
            let help = match *key {
                "run" => "commands run in a `node`",
                "route" => "routes belong to a `node`",
                _ => "properties belong to a `link`; a node has `state`, `run` and `route`",
            };
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
}
