//! Checks of given addresses: each is usable, is given only once, and fits its segment.

mod given;
mod overlaps;
mod usable;

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use netloom_document::{Diagnostic, Span, Spanned};

use super::nodes::NodeDraft;
use super::report::Report;
use super::segments::Segment;
use crate::address::{Ipv4Prefix, Ipv6Prefix, MacAddress};
use crate::layer2::InterfaceIndex;
use crate::raw::{Lint, RawAddresses, RawInterface};
use crate::spec::{LoopbackAddress, Routing};
use given::{Given, share_subnet};
use usable::Problem;

/// Checks all addresses that are given in the file.
pub(super) fn check(nodes: &[NodeDraft<'_>], segments: &[Segment], report: &mut Report<'_>) {
    let given: Vec<Given> =
        (0..nodes.len()).flat_map(|index| given_in(nodes, index, report)).collect();
    let segment_of: HashMap<InterfaceIndex, usize> = segments
        .iter()
        .enumerate()
        .flat_map(|(index, segment)| segment.iter().map(move |interface| (*interface, index)))
        .collect();
    let place = |given: &Given| {
        let port = InterfaceIndex { node: given.node, interface: given.interface? };
        segment_of.get(&port).copied()
    };
    check_unique(nodes, &given, place, report);
    overlaps::check(nodes, segments, &given, place, report);
    let mut by_segment: Vec<Vec<&Given>> = vec![Vec::new(); segments.len()];
    for address in &given {
        if let Some(segment) = place(address) {
            by_segment[segment].push(address);
        }
    }
    for segment in by_segment {
        for is_ipv4 in [true, false] {
            let family: Vec<&Given> = segment
                .iter()
                .copied()
                .filter(|given| given.address.is_ipv4() == is_ipv4)
                .collect();
            check_subnets(nodes, &family, report);
        }
    }
    segments.iter().for_each(|segment| check_macs(nodes, segment, report));
}

/// Returns the addresses given in one node, each checked individually.
fn given_in(nodes: &[NodeDraft<'_>], index: usize, report: &mut Report<'_>) -> Vec<Given> {
    let node = &nodes[index];
    let mut given = Vec::new();
    if node.is_segment() {
        return given;
    }
    for (position, interface) in node.interfaces.iter().enumerate() {
        let Some(raw) = node.raw.head.interfaces.find(&interface.name) else { continue };
        let found = given_at(&raw.value, report);
        given.extend(found.into_iter().map(|(address, length, span)| Given {
            address,
            length,
            node: index,
            interface: Some(position),
            span,
        }));
        check_not_empty(raw, report);
    }
    let loopback = node.loopback();
    for (key, address) in [
        ("ipv4", fixed(loopback.ipv4).map(IpAddr::from)),
        ("ipv6", fixed(loopback.ipv6).map(IpAddr::from)),
    ] {
        let Some(address) = address else { continue };
        let span = report.value(node.raw.id, &["loopback", key]).unwrap_or(node.name.span);
        if let Some(problem) = usable::host(address) {
            let message = format!("`{address}` cannot be a loopback address: {problem}");
            report.error(Diagnostic::error(span, message));
        }
        let length = if address.is_ipv4() { 32 } else { 128 };
        given.push(Given { address, length, node: index, interface: None, span });
    }
    given
}

fn fixed<A>(address: LoopbackAddress<A>) -> Option<A> {
    match address {
        LoopbackAddress::Fixed(address) => Some(address),
        _ => None,
    }
}

fn given_at(raw: &RawInterface, report: &mut Report<'_>) -> Vec<(IpAddr, u8, Span)> {
    let mut given = Vec::new();
    let mut add = |address: IpAddr, length, span, problem: Option<Problem>| {
        let Some(problem) = problem else { return given.push((address, length, span)) };
        let why = problem.why();
        let message = format!("`{address}/{length}` cannot be an interface's address: {why}");
        let finding = Diagnostic::error(span, message);
        match problem {
            Problem::Never(_) => report.error(finding),
            Problem::OfSubnet(_) if report.lowerable(Lint::SubnetAddress, finding) => {
                given.push((address, length, span));
            }
            Problem::OfSubnet(_) => {}
        }
    };
    if let Some(RawAddresses::Fixed(list)) = &raw.ipv4 {
        for entry in list {
            let Ipv4Prefix { address, length } = entry.value;
            add(address.into(), length, entry.span, usable::ipv4(entry.value));
        }
    }
    if let Some(RawAddresses::Fixed(list)) = &raw.ipv6 {
        for entry in list {
            let Ipv6Prefix { address, length } = entry.value;
            add(address.into(), length, entry.span, usable::ipv6(entry.value));
        }
    }
    given
}

fn check_not_empty(raw: &Spanned<RawInterface>, report: &mut Report<'_>) {
    let ipv4 = matches!(&raw.ipv4, Some(RawAddresses::Fixed(list)) if list.is_empty());
    let ipv6 = matches!(&raw.ipv6, Some(RawAddresses::Fixed(list)) if list.is_empty());
    for (key, is_empty) in [("ipv4", ipv4), ("ipv6", ipv6)] {
        // A list may be empty only because its elements could not be decoded.
        let Some(list) = report.node(raw.id, &[key]).filter(|_| is_empty) else { continue };
        if report.written_elements(list) == 0 {
            let message = "an empty list of addresses says nothing";
            let finding = Diagnostic::error(report.span(list), message);
            report.error(finding.with_help("write `none` or `auto`"));
        }
    }
}

/// Checks for duplicate addresses. A duplicate is an error on one segment or node, and a warning
/// elsewhere: it may be anycast, or private networks that are each behind a translator.
fn check_unique(
    nodes: &[NodeDraft<'_>],
    given: &[Given],
    segment: impl Fn(&Given) -> Option<usize>,
    report: &mut Report<'_>,
) {
    let mut seen: HashMap<IpAddr, Vec<&Given>> = HashMap::new();
    for address in given {
        let before = seen.entry(address.address).or_default();
        let on_node = before.iter().find(|first| first.node == address.node);
        let is_near =
            |first: &&&Given| segment(first).is_some() && segment(first) == segment(address);
        let near = on_node.or_else(|| before.iter().find(is_near)).copied();
        let first = near.or(before.first().copied());
        before.push(address);
        let Some(first) = first else { continue };
        let link_local =
            matches!(address.address, IpAddr::V6(address) if address.is_unicast_link_local());
        if link_local && near.is_none() {
            continue;
        }
        let names = (&nodes[first.node].name.value, &nodes[address.node].name.value);
        let message = match first.node == address.node {
            true => format!("node `{}` has the address {} twice", names.0, address.address),
            false => format!(
                "nodes `{}` and `{}` both have the address {}",
                names.0, names.1, address.address
            ),
        };
        let related = |finding: Diagnostic| finding.with_related(first.span, "first given here");
        if near.is_some() {
            let finding = Diagnostic::error(address.span, message).with_help("give each its own");
            report.lowerable(Lint::DuplicateAddress, related(finding));
        } else {
            report.error(related(Diagnostic::warning(address.span, message)));
        }
    }
}

/// Checks that interfaces on one segment can reach each other, which takes a common subnet. It is
/// an error if no interface of the segment shares a subnet with another, unless other means provide
/// the node's routes.
fn check_subnets(nodes: &[NodeDraft<'_>], family: &[&Given], report: &mut Report<'_>) {
    let is_decided_elsewhere =
        |given: &Given| matches!(nodes[given.node].routing(), Routing::None | Routing::Daemon);
    let mut reported = HashSet::new();
    for given in family {
        let owner = (given.node, given.interface);
        let is_own = |other: &&&Given| (other.node, other.interface) == owner;
        let mut others = family.iter().filter(|other| !is_own(other)).peekable();
        let Some(example) = others.peek().copied() else { return };
        let own: Vec<&&Given> = family.iter().filter(is_own).collect();
        let meets = others.any(|other| own.iter().any(|given| share_subnet(given, other)));
        if meets || is_decided_elsewhere(given) || is_decided_elsewhere(example) {
            continue;
        }
        if !reported.contains(&(example.node, example.interface)) && reported.insert(owner) {
            report.lowerable(Lint::DifferentSubnets, subnet_finding(nodes, given, example));
        }
    }
}

fn subnet_finding(nodes: &[NodeDraft<'_>], given: &Given, other: &Given) -> Diagnostic {
    let name = |given: &Given| &nodes[given.node].name.value;
    let message = format!(
        "`{}` at {}/{} and `{}` at {}/{} are on one segment but in different subnets",
        name(given),
        given.address,
        given.length,
        name(other),
        other.address,
        other.length,
    );
    Diagnostic::error(given.span, message)
        .with_related(other.span, "the other address")
        .with_help("use one subnet, or say `routing: none` or `daemon` for the node if it is meant")
}

fn check_macs(nodes: &[NodeDraft<'_>], segment: &Segment, report: &mut Report<'_>) {
    let mut seen: HashMap<MacAddress, Span> = HashMap::new();
    for InterfaceIndex { node, interface } in segment {
        let (node, name) = (&nodes[*node], &nodes[*node].interfaces[*interface].name);
        let raw = node.raw.head.interfaces.find(name);
        let Some(mac) = raw.and_then(|raw| raw.mac.as_ref()) else { continue };
        if let Some(first) = seen.insert(mac.value, mac.span) {
            let message =
                format!("the Ethernet address {} is given twice on one segment", mac.value);
            report.lowerable(
                Lint::DuplicateMac,
                Diagnostic::error(mac.span, message)
                    .with_related(first, "first given here")
                    .with_help("give each interface its own, or leave them out"),
            );
        }
    }
}
