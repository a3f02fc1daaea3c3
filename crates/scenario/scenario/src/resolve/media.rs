//! Shared media: each becomes a node of its own kind, and each of its members gets a link to it, so
//! that the rest of the code treats media like switches. Not here: the behaviour of a medium
//! (`netloom-medium`).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use netloom_document::{Diagnostic, Inline, Span, Spanned};
use netloom_medium::MediumConfig;
use netloom_mobility::{Coordinates, Geographic, Plane};

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::ranges;
use super::report::Report;
use super::stations;
use crate::files::Files;
use crate::motion::Moving;
use crate::raw::{
    RawEndpoint, RawLink, RawLinkHead, RawMedium, RawNodeHead, RawNodeProps, RawOrigin, RawPipe,
    RawScenario, RawTopology,
};
use crate::spec::{Medium, MediumAddressing, NodeKind, Position, Routing};

/// Adds a node for each medium, after all others, and a link for each member.
pub(super) fn complete(topology: &mut RawTopology, report: &mut Report<'_>) {
    let media = std::mem::take(&mut topology.media.0);
    let mut next: HashMap<String, usize> = HashMap::new();
    for (name, medium) in &media {
        if let Some((other, _)) = topology.nodes.iter().find(|(node, _)| node.value == name.value) {
            let message = format!("a node and a medium are called `{}`", name.value);
            report.error(
                Diagnostic::error(name.span, message)
                    .with_related(other.span, "the node is here")
                    .with_help("rename one of them"),
            );
            continue;
        }
        for member in members(name, medium, topology, report) {
            let number = next.entry(member.name.value.clone()).or_default();
            *number += 1;
            topology.links.push(link(name, medium, &member, *number));
        }
        let head = RawNodeHead { origin: RawOrigin::Medium, ..RawNodeHead::default() };
        let value = Inline { head, rest: RawNodeProps::default() };
        let node = Spanned { value, span: name.span, id: name.id };
        topology.nodes.0.push((name.clone(), node));
    }
    topology.media.0 = media;
}

/// A node that has a station on a medium.
struct Member {
    name: Spanned<String>,
    is_access_point: bool,
}

/// Returns the nodes that have stations on a medium, each once, access points first.
fn members(
    name: &Spanned<String>,
    medium: &Spanned<RawMedium>,
    topology: &RawTopology,
    report: &mut Report<'_>,
) -> Vec<Member> {
    let Some(written) = &medium.head.members else {
        let help = "name the nodes that share it, like `members: [a, b]`";
        report.missing(medium.id, medium.span, "members", help);
        return Vec::new();
    };
    let mut points = medium.head.access_points.clone();
    let mut written = written.value.clone();
    ranges::expand_list(&mut points, report);
    ranges::expand_list(&mut written, report);
    let points = points.into_iter().map(|name| (name, true));
    let all = points.chain(written.into_iter().map(|name| (name, false)));
    let mut members: Vec<Member> = Vec::new();
    let mut places = HashMap::new();
    for (name_or_group, is_access_point) in all {
        for member in nodes_of(&name_or_group, topology, report) {
            let place = (name_or_group.span, is_access_point);
            let Some((first, was_point)) = places.insert(member.clone(), place) else {
                let Spanned { span, id, .. } = name_or_group;
                let name = Spanned { value: member, span, id };
                members.push(Member { name, is_access_point });
                continue;
            };
            if was_point && !is_access_point {
                let message =
                    format!("`{member}` is an access point of `{}`, and a member", name.value);
                let help = "an access point is on its medium as such: leave it out of `members`";
                let finding = Diagnostic::error(name_or_group.span, message);
                report.error(finding.with_related(first, "it is here").with_help(help));
                continue;
            }
            let message = format!("`{member}` is a member of `{}` twice", name.value);
            report.error(
                Diagnostic::error(name_or_group.span, message)
                    .with_related(first, "the first time is here")
                    .with_help("a node has one station on a medium: leave one of them out"),
            );
        }
    }
    members
}

/// Returns the nodes that a member stands for: a node itself, or those of a group.
fn nodes_of(
    name: &Spanned<String>,
    topology: &RawTopology,
    report: &mut Report<'_>,
) -> Vec<String> {
    let is_node = topology.nodes.iter().any(|(node, _)| node.value == name.value);
    let group = topology.groups.find(&name.value);
    match (is_node, group) {
        (true, None) => vec![name.value.clone()],
        (false, Some(group)) => {
            let listed = |node: &str| group.head.members.iter().any(|member| member.value == node);
            let names = |node: &RawNodeHead| {
                let named = node.group.iter().chain(node.groups.iter().flatten());
                named.into_iter().any(|named| named.value == name.value)
            };
            let nodes = topology.nodes.iter();
            let nodes = nodes.filter(|(node, raw)| listed(&node.value) || names(&raw.head));
            let nodes: Vec<String> = nodes.map(|(node, _)| node.value.clone()).collect();
            if nodes.is_empty() && !report.is_incomplete_in_file(&["topology", "nodes"]) {
                let message = format!("no node belongs to group `{}`", name.value);
                report.error(Diagnostic::error(name.span, message));
            }
            nodes
        }
        (true, Some(_)) => {
            let message = format!("`{}` is both a node and a group", name.value);
            let help = "rename one of them, so that it is clear which is meant";
            report.error(Diagnostic::error(name.span, message).with_help(help));
            Vec::new()
        }
        (false, None) => {
            let known = report.node_names();
            if !known.contains(&name.value) {
                let groups: Vec<&str> = report.written_keys(&["topology", "groups"]).collect();
                if !groups.contains(&name.value.as_str()) {
                    let message = format!("there is no node or group `{}`", name.value);
                    let help = report.did_you_mean(
                        &name.value,
                        "the nodes and groups are",
                        known.iter().chain(groups),
                    );
                    let finding = Diagnostic::error(name.span, message);
                    report.error(finding.with_optional_help(help));
                }
            }
            Vec::new()
        }
    }
}

/// Returns the link from a member to the medium. It leaves frames unchanged: the medium has all
/// effects.
fn link(
    medium: &Spanned<String>,
    raw: &Spanned<RawMedium>,
    member: &Member,
    number: usize,
) -> Spanned<RawLink> {
    let Spanned { span, id, value } = &member.name;
    let end = |node: &str, interface: String| {
        let value = RawEndpoint { node: node.into(), interface: Some(interface) };
        Spanned { value, span: *span, id: *id }
    };
    let station = end(value, format!("wlan{number}"));
    let port = end(&medium.value, value.clone());
    let endpoints = Spanned { value: vec![station, port], span: *span, id: *id };
    let head = RawLinkHead {
        name: None,
        endpoints: Some(endpoints),
        addresses: Vec::new(),
        direct: false,
        joins_medium: true,
        has_access_point: member.is_access_point,
        forward: Inline::default(),
        reverse: Inline::default(),
        cost: None,
        mtu: raw.head.mtu,
        cut: None,
        load: None,
    };
    Spanned { value: Inline { head, rest: RawPipe::default() }, span: *span, id: *id }
}

/// Returns the properties of a medium.
fn properties(
    raw: &Spanned<RawMedium>,
    access_points: Vec<String>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> Medium {
    let Inline { head, rest: said } = &raw.value;
    let preset = head.preset.as_ref().and_then(|preset| {
        let found = MediumConfig::preset(&preset.value);
        if found.is_none() {
            let names = MediumConfig::PRESETS.iter().map(|(name, _)| *name);
            let message = format!("there is no preset `{}`", preset.value);
            let help = report.did_you_mean(&preset.value, "the presets are", names);
            report.error(Diagnostic::error(preset.span, message).with_optional_help(help));
        }
        found
    });
    let mut config = preset.unwrap_or_else(|| MediumConfig::new(said.phy.unwrap_or_default()));
    said.apply_to(&mut config);
    if let Err(errors) = config.radio.load(&mut |name| files.text(name)) {
        report.bad_files(errors, raw.id, raw.span);
    } else if let Err(problem) = config.check() {
        report.error(Diagnostic::error(raw.span, problem));
    }
    if !access_points.is_empty() && config.mac.is_on_a_cable() {
        let span = report.key(raw.id, &["access_points"]).unwrap_or(raw.span);
        let message = "stations on a cable talk to each other, not through access points";
        let help = "leave `access_points` out, or take a radio, like `preset: 802.11b`";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    let of_points =
        [("association", said.association.is_some()), ("beacons", said.beacons.is_some())];
    for (key, _) in
        of_points.into_iter().filter(|(_, is_said)| *is_said && access_points.is_empty())
    {
        let span = report.key(raw.id, &[key]).unwrap_or(raw.span);
        let message = format!("`{key}` says nothing on a medium without access points");
        let help = format!("name them, like `access_points: [ap1]`, or leave `{key}` out");
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    Medium { config, addressing: head.addressing, access_points }
}

/// Resolves all media, and reports members that cannot have a station. A medium is simulated if its
/// members are.
pub(super) fn resolve(
    raw: &RawScenario,
    nodes: &mut [NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) {
    let mut access_points: HashMap<usize, Vec<String>> = HashMap::new();
    for link in links.iter().filter(|link| link.raw.head.has_access_point) {
        let Some([point, medium]) = &link.ends else { continue };
        access_points.entry(medium.node).or_default().push(point.node_name.into());
    }
    for (index, node) in nodes.iter_mut().enumerate() {
        if node.kind != NodeKind::Medium {
            continue;
        }
        let points = access_points.remove(&index).unwrap_or_default();
        let medium = raw.topology.media.find(&node.name.value);
        node.medium = medium.map(|medium| Arc::new(properties(medium, points, files, report)));
    }
    stations::resolve(nodes, links, files, report);
    motions(raw, nodes, links, files, report);
    check_routes(nodes, links, report);
    let mut simulated: BTreeMap<usize, bool> = BTreeMap::new();
    for link in links.iter().filter(|link| link.raw.head.joins_medium) {
        let Some([member, medium]) = &link.ends else { continue };
        *simulated.entry(medium.node).or_insert(true) &= nodes[member.node].is_simulated();
        let kind = nodes[member.node].kind;
        let (message, help) = match (link.raw.head.has_access_point, kind) {
            (false, NodeKind::Host | NodeKind::Router) => continue,
            (true, NodeKind::Switch | NodeKind::Router) => continue,
            (true, _) => (
                format!(
                    "`{}` cannot be an access point of `{}`",
                    member.node_name, medium.node_name
                ),
                "access points are nodes of `kind: switch` or `kind: router`, which pass on frames \
                 or packets",
            ),
            (false, _) => (
                format!(
                    "`{}` has no network stack, and cannot be a member of `{}`",
                    member.node_name, medium.node_name
                ),
                "name hosts and routers; a router joins other links to a medium, and so does a \
                 switch among its `access_points`",
            ),
        };
        report.error(Diagnostic::error(link.endpoints_span(), message).with_help(help));
    }
    simulated.into_iter().filter(|(_, all)| *all).for_each(|(node, _)| nodes[node].simulate());
}

/// Converts a place to a position, or reports an invalid one.
pub(super) fn position(
    place: Coordinates,
    origin: Option<Geographic>,
    span: Span,
    report: &mut Report<'_>,
) -> Option<Position> {
    // An invalid origin is reported elsewhere.
    let plane = origin.and_then(|origin| Plane::new(origin).ok());
    match place.point(plane.as_ref()) {
        Ok(point) => Some(point.into()),
        Err(error) => {
            report.error(Diagnostic::error(span, error.to_string()));
            None
        }
    }
}

/// Resolves how nodes move, and reports positions and models of nodes that are on no medium.
fn motions(
    raw: &RawScenario,
    nodes: &mut [NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) {
    if let Some(Err(problem)) = raw.topology.origin.map(Plane::new) {
        let span = report.value_in_file(&["topology", "origin"]).unwrap_or(Span::START);
        report.error(Diagnostic::error(span, problem));
        return;
    }
    let joining = links.iter().filter(|link| link.raw.head.joins_medium);
    let members = joining.filter_map(|link| Some(link.ends.as_ref()?[0].node));
    let members: HashSet<usize> = members.collect();
    for (index, node) in nodes.iter_mut().enumerate() {
        let place = node.raw.head.position.as_ref();
        if let Some(place) = place {
            position(place.value, raw.topology.origin, place.span, report);
        }
        let own = report.key(node.raw.id, &["mobility"]);
        if let Some(span) = place.map(|place| place.span).or(own)
            && !members.contains(&index)
        {
            let name = &node.name.value;
            let message = format!("`{name}` is on no shared medium, and where it is says nothing");
            let help = "name it among the `members` of one of `topology.media`, or leave it out";
            report.error(Diagnostic::error(span, message).with_help(help));
            continue;
        }
        let Some(mobility) = node.props.mobility.filter(|_| members.contains(&index)) else {
            continue;
        };
        let mut loaded = mobility.value.clone();
        if let Err(errors) = loaded.load(&mut |name| files.text(name)) {
            report.bad_files(errors, mobility.id, mobility.span);
            continue;
        }
        if let Some(problem) = loaded.warning() {
            let (message, help) = problem.split_once("; ").unwrap_or((&problem, ""));
            report.error(Diagnostic::warning(mobility.span, message).with_help(help));
        }
        let given = Moving {
            name: &node.name.value,
            groups: &node.groups,
            position: place.map(|place| place.value),
            mobility: Some(&loaded),
            origin: raw.topology.origin,
            seed: raw.seed,
        };
        if let Err(error) = given.trajectory() {
            report.error(Diagnostic::error(mobility.span, error.to_string()));
        }
        node.mobility = Some(loaded);
    }
}

/// Reports members that would reach nobody: if each address has a prefix of its own, a node needs a
/// daemon that discovers neighbours.
fn check_routes(nodes: &[NodeDraft<'_>], links: &[LinkDraft<'_>], report: &mut Report<'_>) {
    for link in links.iter().filter(|link| link.raw.head.joins_medium) {
        let Some([member, medium]) = &link.ends else { continue };
        let (node, medium) = (&nodes[member.node], &nodes[medium.node]);
        let is_alone = medium
            .medium
            .as_ref()
            .is_some_and(|medium| medium.addressing == MediumAddressing::Hosts);
        let knows = matches!(node.routing(), Routing::Daemon | Routing::None);
        if !is_alone || knows || !node.kind.has_stack() {
            continue;
        }
        let message = format!(
            "`{}` finds nobody on `{}`, where each address is alone in its network",
            member.node_name, medium.name.value
        );
        let help = "give it a routing daemon like `services: [babeld]`, or leave \
                    `addressing: hosts` out";
        report.error(Diagnostic::error(link.endpoints_span(), message).with_help(help));
    }
}
