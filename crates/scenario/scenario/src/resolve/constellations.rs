//! Constellations: each satellite becomes a router, and each pair of nodes that see each other gets
//! a link whose delay follows the distance. Not here: positions of satellites (`netloom-mobility`).

mod defaults;
mod ways;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use netloom_document::{Diagnostic, Inline, Spanned};
use netloom_link::{LinkState, PipeChange};
use netloom_mobility::orbit::{Choice, Elements};
use netloom_units::{Angle, DataFile, Duration, FileError, FileFault};

use super::report::Report;
use super::{bad_file, names, properties};
use crate::files::Files;
use crate::raw::{
    RawConstellation, RawEndpoint, RawGround, RawKind, RawLink, RawLinkHead, RawNodeHead,
    RawNodeProps, RawOrigin, RawPipe, RawScenario, RawTopology,
};
use crate::spec::{Constellation, Direction, Orbits, Start, TimelineAction, TimelineEvent};
use defaults::ELEVATION;
use ways::Way;

/// Results of expanding constellations, apart from nodes and links.
#[derive(Default)]
pub(super) struct Expanded {
    pub constellations: Vec<Constellation>,
    /// Events at which links go down and up.
    pub timeline: Vec<TimelineEvent>,
}

/// Adds the nodes and links of all constellations after those of the file.
pub(super) fn complete(
    raw: &mut RawScenario,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> Expanded {
    let duration = raw.duration.as_ref().map(|duration| duration.value.0);
    let mut all = std::mem::take(&mut raw.topology.constellations.0);
    let mut expanded = Expanded::default();
    let mut with_nodes: HashSet<String> = HashSet::new();
    let mut names: Vec<String> = report.node_names().iter().map(str::to_owned).collect();
    for (name, written) in &mut all {
        names.extend(written.ground.iter().map(|(station, _)| station.value.clone()));
        let made = constellation(name, written, files, report);
        let Some((constellation, count)) = made else { continue };
        if !add_nodes(name, written, &constellation, count, &mut raw.topology, report) {
            continue;
        }
        names.extend((0..count).map(|number| constellation.satellite(number)));
        with_nodes.insert(name.value.clone());
        let ways = match duration {
            Some(duration) if duration > Duration::ZERO => {
                ways::find(name, written, &constellation, duration, report)
            }
            Some(_) => Some(Vec::new()),
            None => {
                let message = format!("for how long `{}` moves is not known", name.value);
                let help = "give the run a length, like `duration: 600s`";
                report.error(Diagnostic::error(name.span, message).with_help(help));
                None
            }
        };
        let Some(ways) = ways else {
            report.lack_links();
            continue;
        };
        add_links(name, written, ways, duration, &mut raw.topology, &mut expanded.timeline);
        expanded.constellations.push(constellation);
    }
    // A name that is said of a constellation without satellites is no second mistake.
    let written = report.written_keys(&["topology", "constellations"]).map(str::to_owned);
    let unmade: Vec<String> = written.filter(|name| !with_nodes.contains(name)).collect();
    for name in &unmade {
        report.lack_links();
        let ground = report.written_keys(&["topology", "constellations", name, "ground"]);
        names.extend(ground.map(str::to_owned));
    }
    if !all.is_empty() || !unmade.is_empty() {
        names.dedup();
        report.set_node_names(names, unmade);
    }
    // Events at the same time stay in the order of the links.
    expanded.timeline.sort_by_key(|event| match event.at {
        Start::At(at) => at,
        Start::After { .. } => Duration::ZERO,
    });
    raw.topology.constellations.0 = all;
    expanded
}

/// Returns the orbits and the number of satellites. Reports a constellation that makes no sense.
fn constellation(
    name: &Spanned<String>,
    raw: &mut Spanned<RawConstellation>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> Option<(Constellation, usize)> {
    let is_named = names::check("a constellation", &name.value, name.span, report);
    let (id, span) = (raw.id, raw.span);
    complete_link(&mut raw.value, files, report);
    let (orbits, count) = match (&raw.value.walker, &mut raw.value.tle) {
        (Some(walker), None) => {
            if let Err(problem) = walker.check() {
                report.error(Diagnostic::error(walker.span, problem));
                return None;
            }
            (Orbits::Walker(walker.value.clone()), walker.satellites as usize)
        }
        (None, Some(tle)) => {
            let elements = elements(tle, files, report)?;
            let count = elements.len();
            (Orbits::Tle(Elements::clone(&elements)), count)
        }
        (Some(_), Some(tle)) => {
            let message = "a constellation has `walker` or `tle`, not both";
            let help = "make it two constellations";
            report.error(Diagnostic::error(tle.span, message).with_help(help));
            return None;
        }
        (None, None) => {
            let help = "say how its satellites go around, like `walker: {inclination: 53deg, \
                        planes: 72, satellites: 1584, phasing: 39, altitude: 550km}`, or \
                        `tle: FILE`";
            report.missing(id, span, "walker", help);
            return None;
        }
    };
    let meridian = raw.meridian.as_ref().map_or(Angle::ZERO, |meridian| meridian.value);
    if let (Some(meridian), Orbits::Tle(_)) = (&raw.meridian, &orbits) {
        let message = "where the Earth is follows from the dates of two-line elements";
        report.error(Diagnostic::error(meridian.span, message).with_help("leave `meridian` out"));
    }
    let mut ground = BTreeMap::new();
    for (station, place) in raw.ground.iter() {
        check_links(place, report);
        let elevation = place.elevation.unwrap_or(ELEVATION).degrees();
        if let Err(problem) = place.place().check() {
            report.error(Diagnostic::error(place.span, problem));
        } else if !(0.0..90.0).contains(&elevation) {
            let span = report.value(place.id, &["elevation"]).unwrap_or(place.span);
            let message = format!("satellites are never seen from {elevation}° on");
            let help = "write 0deg or more, and less than 90deg";
            report.error(Diagnostic::error(span, message).with_help(help));
        } else {
            ground.insert(station.value.clone(), place.place());
        }
    }
    let name = name.value.clone();
    is_named.then_some((Constellation { name, orbits, meridian, ground }, count))
}

/// Reports a number of links of a station that makes no sense.
fn check_links(place: &RawGround, report: &mut Report<'_>) {
    let Some(links) = &place.links else { return };
    let (message, help) = match (place.choose, links.value) {
        (Choice::Path, _) => (
            "with `choose: path`, a station has links to all satellites in sight",
            "leave `links` out, or choose the `nearest` or `longest`",
        ),
        (_, 0) => (
            "a station without links reaches nobody",
            "write how many satellites it uses at a time, like `links: 2`",
        ),
        _ => return,
    };
    report.error(Diagnostic::error(links.span, message).with_help(help));
}

/// Completes the properties of the links.
fn complete_link(raw: &mut RawConstellation, files: &mut Files<'_>, report: &mut Report<'_>) {
    let Some(link) = &mut raw.link else { return };
    let id = link.id;
    properties::complete_pipe(&mut link.value, id, files, report);
    let change = &mut link.value.rest;
    for (key, is_there) in [("delay", change.delay.is_some()), ("state", change.state.is_some())] {
        if is_there {
            let span = report.key(id, &[key]).unwrap_or(link.span);
            let message = format!("the `{key}` of these links follows from where satellites are");
            report.error(Diagnostic::error(span, message).with_help("leave it out"));
        }
    }
    (change.delay, change.state) = (None, None);
}

/// Returns the orbital elements of a file.
fn elements(
    tle: &mut Spanned<netloom_units::Data<Elements>>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> Option<Arc<Elements>> {
    if let Some(file) = tle.value.unread().map(str::to_owned) {
        let text = files.text(&file).map_err(FileFault::Unreadable);
        let loaded = text.and_then(|text| tle.value.load(&text).map_err(FileFault::Malformed));
        if let Err(cause) = loaded {
            let what = tle.value.what();
            let error = FileError { property: "tle", file, what, cause };
            report.error(bad_file::bad_file(error, tle.span));
            return None;
        }
    }
    tle.value.values().cloned()
}

/// Adds a router for each satellite, and for each place on the ground that has no node yet. Returns
/// `false` if a satellite's name is already that of another node.
fn add_nodes(
    name: &Spanned<String>,
    raw: &Spanned<RawConstellation>,
    constellation: &Constellation,
    count: usize,
    topology: &mut RawTopology,
    report: &mut Report<'_>,
) -> bool {
    let group = raw.group.clone().filter(|group| {
        let is_there = topology.groups.find(&group.value).is_some();
        if !is_there && !report.is_incomplete_in_file(&["topology", "groups"]) {
            let groups: Vec<&str> = report.written_keys(&["topology", "groups"]).collect();
            let message = format!("there is no group `{}`", group.value);
            let help = report.did_you_mean(&group.value, "the groups are", groups);
            report.error(Diagnostic::error(group.span, message).with_optional_help(help));
        }
        is_there
    });
    let known: HashMap<&str, &Spanned<String>> =
        topology.nodes.iter().map(|(node, _)| (node.value.as_str(), node)).collect();
    let mut made = Vec::new();
    let router = |value: String, at: &Spanned<String>, group: Option<Spanned<String>>| {
        let head = RawNodeHead {
            kind: Some(RawKind::Router),
            origin: RawOrigin::Constellation,
            group,
            ..RawNodeHead::default()
        };
        let node = Inline { head, rest: RawNodeProps::default() };
        let name = Spanned { value, span: at.span, id: at.id };
        (name, Spanned { value: node, span: at.span, id: at.id })
    };
    for number in 0..count {
        let satellite = constellation.satellite(number);
        if let Some(other) = known.get(satellite.as_str()) {
            let message = format!("a node and a satellite are called `{satellite}`");
            report.error(
                Diagnostic::error(name.span, message)
                    .with_related(other.span, "the node is here")
                    .with_help("rename the node, or the constellation"),
            );
            return false;
        }
        made.push(router(satellite, name, group.clone()));
    }
    for (station, _) in raw.ground.iter() {
        if !known.contains_key(station.value.as_str()) {
            made.push(router(station.value.clone(), station, None));
        }
    }
    topology.nodes.0.extend(made);
    true
}

/// Adds the links and their events.
fn add_links(
    name: &Spanned<String>,
    raw: &Spanned<RawConstellation>,
    ways: Vec<Way>,
    duration: Option<Duration>,
    topology: &mut RawTopology,
    timeline: &mut Vec<TimelineEvent>,
) {
    // Properties without effect are found at the first link, and reported only once.
    let mut place = raw.link.as_ref().map(|link| link.id);
    for way in ways {
        let link = way.ends.join("--");
        let is_up_first = way.up.first().is_some_and(|pass| pass.rise.as_nanos() == 0);
        let changes = PipeChange {
            delay: Some(way.delay),
            state: (!is_up_first).then_some(LinkState::Down),
            ..PipeChange::default()
        };
        let own = raw.link.as_ref().map(|link| link.value.clone()).unwrap_or_default();
        let rest = RawPipe { rest: own.rest.overlaid(&changes), head: own.head };
        let id = place.take().unwrap_or(name.id);
        let head = RawLinkHead::between(&way.ends, link.clone(), name);
        topology.links.push(Spanned { value: RawLink { head, rest }, span: name.span, id });
        for pass in way.up {
            for (at, state) in [(pass.rise, LinkState::Up), (pass.set, LinkState::Down)] {
                let at = Duration::from_nanos(at.as_nanos());
                if at == Duration::ZERO || Some(at) == duration {
                    continue;
                }
                let change = PipeChange { state: Some(state), ..PipeChange::default() };
                let (link, direction) = (link.clone(), Direction::Both);
                let action = TimelineAction::SetLink { link, direction, change: Box::new(change) };
                timeline.push(TimelineEvent { at: Start::At(at), action, when: None });
            }
        }
    }
}

impl RawLinkHead {
    /// Creates a link between two nodes of the constellation at `at`.
    fn between(ends: &[String; 2], name: String, at: &Spanned<String>) -> Self {
        let end = |node: &String| {
            let value = RawEndpoint { node: node.clone(), interface: None };
            Spanned { value, span: at.span, id: at.id }
        };
        let value = ends.iter().map(end).collect();
        Self {
            name: Some(Spanned { value: name, span: at.span, id: at.id }),
            endpoints: Some(Spanned { value, span: at.span, id: at.id }),
            addresses: Vec::new(),
            direct: false,
            joins_medium: false,
            has_access_point: false,
            forward: Inline::default(),
            reverse: Inline::default(),
            cost: None,
            mtu: None,
            cut: None,
            load: None,
        }
    }
}
