//! Subnets that no route can serve: two that overlap on different segments, two interfaces of one
//! node in one subnet, next hops that nobody has. Not here: addresses that nobody gave (`plan`
//! keeps these apart).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;

use netloom_document::Diagnostic;
use netloom_link::JoinedSwitches;

use super::given::{Given, Range, share_subnet};
use super::{NodeDraft, Report, Segment};
use crate::layer2::InterfaceIndex;
use crate::spec::{Addresses, Interface};

/// Reports subnets that overlap on two segments of one network: a host of the larger one takes the
/// addresses of the smaller one for its neighbours, and no router is asked.
pub(super) fn check(
    nodes: &[NodeDraft<'_>],
    segments: &[Segment],
    given: &[Given],
    place: impl Fn(&Given) -> Option<usize>,
    report: &mut Report<'_>,
) {
    let networks = Networks::new(nodes, segments);
    let near = |given: &Given, segment: usize| {
        segments[segment].iter().any(|port| port.node == given.node)
    };
    for is_ipv4 in [true, false] {
        let of_family = given.iter().filter(|given| given.address.is_ipv4() == is_ipv4);
        let mut ranges: Vec<(Range, &Given)> = of_family
            .filter(|given| !given.is_link_local())
            .map(|given| (given.range(), given))
            .collect();
        // Larger ranges come before those that they contain; of equal ones, the first in the file.
        ranges.sort_by_key(|((first, last), given)| (*first, std::cmp::Reverse(*last), given.span));
        let mut around: Vec<(Range, &Given, usize)> = Vec::new();
        let mut reported = HashSet::new();
        for ((first, last), inner) in ranges {
            while around.last().is_some_and(|((_, end), ..)| *end < first) {
                around.pop();
            }
            let segment = place(inner);
            let clash = around.iter().rev().find(|(_, outer, outer_segment)| {
                // Equal addresses are reported as such.
                outer.address != inner.address
                    && Some(*outer_segment) != segment
                    && networks.are_joined(nodes, outer, inner)
                    // A node answers for its loopback address on all its interfaces.
                    && !(inner.interface.is_none() && near(inner, *outer_segment))
            });
            if let Some((range, outer, outer_segment)) = clash
                && reported.insert((*range, *outer_segment, first, last, segment))
            {
                report.error(finding(nodes, outer, inner));
            }
            if let Some(segment) = segment
                && !around
                    .iter()
                    .any(|(range, _, known)| (*range, *known) == ((first, last), segment))
            {
                around.push(((first, last), inner, segment));
            }
        }
    }
    twice_on_one_segment(nodes, segments, given, report);
    next_hops(nodes, segments, report);
}

/// Which nodes are joined by links and by nodes with network stacks.
struct Networks(Vec<usize>);

impl Networks {
    fn new(nodes: &[NodeDraft<'_>], segments: &[Segment]) -> Self {
        let mut joined = JoinedSwitches::new(nodes.len());
        for segment in segments {
            let Some((first, others)) = segment.split_first() else { continue };
            for other in others {
                joined.join(first.node, other.node);
            }
        }
        Self((0..nodes.len()).map(|node| joined.first_of(node)).collect())
    }

    fn are_joined(&self, nodes: &[NodeDraft<'_>], one: &Given, other: &Given) -> bool {
        let is_inside = |given: &Given| nodes[given.node].outside().is_none();
        is_inside(one) && is_inside(other) && self.0[one.node] == self.0[other.node]
    }
}

fn finding(nodes: &[NodeDraft<'_>], outer: &Given, inner: &Given) -> Diagnostic {
    let name = |given: &Given| {
        let node = &nodes[given.node];
        let interface = given.interface.map_or("lo", |index| &node.interfaces[index].name);
        format!("`{}:{interface}` at {}/{}", node.name.value, given.address, given.length)
    };
    let message = format!(
        "{} and {} are on two segments, and their subnets overlap: no route leads from one to \
         the other",
        name(outer),
        name(inner)
    );
    Diagnostic::warning(inner.span, message)
        .with_related(outer.span, "the other subnet")
        .with_help("give each segment a subnet of its own, unless a translator is between them")
}

/// Reports nodes with two interfaces in one subnet: the kernel sends by one of them only, and
/// answers for both on either.
fn twice_on_one_segment(
    nodes: &[NodeDraft<'_>],
    segments: &[Segment],
    given: &[Given],
    report: &mut Report<'_>,
) {
    let at = |node: usize, interface: usize| {
        given.iter().filter(move |given| (given.node, given.interface) == (node, Some(interface)))
    };
    for segment in segments {
        let mut by_node: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for InterfaceIndex { node, interface } in segment {
            by_node.entry(*node).or_default().push(*interface);
        }
        let several = by_node
            .into_iter()
            .filter(|(node, interfaces)| interfaces.len() > 1 && nodes[*node].outside().is_none());
        for (index, interfaces) in several {
            let node = &nodes[index];
            let shares = |one: usize, other: usize| {
                let [a, b] = [one, other].map(|interface| &node.interfaces[interface]);
                let is_auto = |interface: &Interface| {
                    [interface.ipv4 == Addresses::Auto, interface.ipv6 == Addresses::Auto]
                };
                let ([a4, a6], [b4, b6]) = (is_auto(a), is_auto(b));
                let fixed = at(index, one)
                    .any(|one| at(index, other).any(|other| share_subnet(one, other)));
                (a4 && b4) || (a6 && b6) || fixed
            };
            let pair = interfaces.iter().enumerate().find_map(|(place, one)| {
                let mut others = interfaces[place + 1..].iter();
                others.find(|other| shares(*one, **other)).map(|other| (*one, *other))
            });
            let Some((one, other)) = pair else { continue };
            let [one, other] = [one, other].map(|interface| &node.interfaces[interface].name);
            let name = &node.name.value;
            let message = format!(
                "`{name}:{one}` and `{name}:{other}` are on one segment and in one subnet: \
                 `{name}` sends by one of them only"
            );
            let help = format!(
                "give `{other}` a subnet of its own, or `ipv4: none` and `ipv6: none` if it is to \
                 be part of a bond or bridge"
            );
            report.error(Diagnostic::warning(node.name.span, message).with_help(help));
        }
    }
}

/// Reports next hops that are addresses of a subnet in which nobody has them.
fn next_hops(nodes: &[NodeDraft<'_>], segments: &[Segment], report: &mut Report<'_>) {
    let segment_of: HashMap<InterfaceIndex, &Segment> = segments
        .iter()
        .flat_map(|segment| segment.iter().map(move |port| (*port, segment)))
        .collect();
    for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.kind.has_stack()) {
        for route in &node.props.routes {
            let Some(via) = &route.via else { continue };
            let through = route.interface.as_ref().map(|name| name.value.as_str());
            let ports = node.interfaces.iter().enumerate().filter(|(_, interface)| {
                through.is_none_or(|name| name == interface.name)
                    && has_in_subnet(interface, via.value.0)
            });
            let mut segments = ports.filter_map(|(interface, _)| {
                segment_of.get(&InterfaceIndex { node: index, interface })
            });
            let Some(segment) = segments.next() else { continue };
            let may_have = |port: &InterfaceIndex| {
                let owner = &nodes[port.node];
                owner.outside().is_some()
                    // A program may add addresses.
                    || !owner.software.services.is_empty()
                    || !owner.software.startup.is_empty()
                    || has(&owner.interfaces[port.interface], via.value.0)
            };
            if segment.iter().any(may_have) || segments.next().is_some() {
                continue;
            }
            let message = format!(
                "nobody has the next hop {} in that subnet of node `{}`",
                via.value.0, node.name.value
            );
            let help = "packets to this destination would go nowhere, unless a program adds the \
                        address";
            report.error(Diagnostic::warning(via.span, message).with_help(help));
        }
    }
}

/// Whether the address is in a given subnet of the interface.
fn has_in_subnet(interface: &Interface, address: IpAddr) -> bool {
    match (address, &interface.ipv4, &interface.ipv6) {
        (IpAddr::V4(address), Addresses::Fixed(list), _) => {
            list.iter().any(|prefix| prefix.contains(address))
        }
        (IpAddr::V6(address), _, Addresses::Fixed(list)) => {
            list.iter().any(|prefix| prefix.contains(address))
        }
        _ => false,
    }
}

/// Whether the interface has the address, or may get it.
fn has(interface: &Interface, address: IpAddr) -> bool {
    match (address, &interface.ipv4, &interface.ipv6) {
        (IpAddr::V4(_), Addresses::Auto, _) | (IpAddr::V6(_), _, Addresses::Auto) => true,
        (IpAddr::V4(address), Addresses::Fixed(list), _) => {
            list.iter().any(|prefix| prefix.address == address)
        }
        (IpAddr::V6(address), _, Addresses::Fixed(list)) => {
            list.iter().any(|prefix| prefix.address == address)
        }
        _ => false,
    }
}
