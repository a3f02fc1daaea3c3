//! Routes that the scenario gives to nodes.

use std::net::IpAddr;

use netloom_document::{Diagnostic, Spanned};

use super::nodes::NodeDraft;
use super::report::Report;
use crate::address::IpPrefix;
use crate::raw::{Lint, RawRoute};
use crate::spec::{Addresses, Interface, Route};

/// Checks the routes of all nodes.
pub(super) fn check(nodes: &mut [NodeDraft<'_>], report: &mut Report<'_>) {
    for node in nodes.iter_mut().filter(|node| node.kind.has_stack()) {
        let mut refused = Vec::new();
        for route in &node.props.routes {
            check_form(route, report);
            check_interface(node, route, report);
            if let Some(finding) = check_next_hop(node, route, report)
                && report.lowerable(Lint::NextHop, finding)
            {
                refused.push(route.id);
            }
        }
        // The kernel would not take them.
        node.props.routes.retain(|route| !refused.contains(&route.id));
    }
}

/// Checks a route that is added to a node later, and returns it resolved.
pub(super) fn check_one(
    node: &NodeDraft<'_>,
    route: &Spanned<RawRoute>,
    report: &mut Report<'_>,
) -> Route {
    check_form(route, report);
    check_interface(node, route, report);
    if let Some(finding) = check_next_hop(node, route, report) {
        report.error(finding);
    }
    finish(route)
}

/// Converts a checked route.
pub(super) fn finish(route: &RawRoute) -> Route {
    Route {
        to: route.to.value,
        via: route.via.as_ref().map(|via| via.value.0),
        interface: route.interface.as_ref().map(|name| name.value.clone()),
        metric: route.metric,
    }
}

/// Checks a destination.
pub(super) fn check_destination(to: &Spanned<IpPrefix>, report: &mut Report<'_>) {
    let (prefix, network) = (to.value, to.value.network());
    if network == prefix {
        return;
    }
    let message = format!("`{prefix}` is an address in a subnet, not a subnet");
    let host = if matches!(prefix, IpPrefix::V4(_)) { 32 } else { 128 };
    let address = prefix.to_string();
    let address = address.split('/').next().unwrap_or_default();
    let help = format!("write `{network}`, or `{address}/{host}` for this address alone");
    report.error(Diagnostic::error(to.span, message).with_help(help));
}

/// Checks the properties that do not depend on the node.
fn check_form(route: &Spanned<RawRoute>, report: &mut Report<'_>) {
    let to = route.to.value;
    check_destination(&route.to, report);
    match &route.via {
        None if route.interface.is_none() && !report.is_incomplete(route.id) => {
            let message = "this route leads nowhere: it has neither `via` nor `interface`";
            let help = "add the next hop, like `via: 10.0.0.1`";
            report.error(Diagnostic::error(route.span, message).with_help(help));
        }
        Some(via) if via.value.0.is_ipv4() != matches!(to, IpPrefix::V4(_)) => {
            let message =
                format!("the next hop {} and the destination {to} differ in family", via.value.0);
            report.error(Diagnostic::error(via.span, message));
        }
        Some(via) if is_link_local(via.value.0) && route.interface.is_none() => {
            let message =
                format!("the link-local next hop {} is the same on every link", via.value.0);
            let help = "add the `interface` to send through";
            report.error(Diagnostic::error(via.span, message).with_help(help));
        }
        _ => {}
    }
}

fn is_link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.is_unicast_link_local())
}

fn check_interface(node: &NodeDraft<'_>, route: &RawRoute, report: &mut Report<'_>) {
    let Some(name) = &route.interface else { return };
    let known = || node.interfaces.iter().map(|interface| interface.name.as_str());
    if known().all(|known| known != name.value) && links_are_complete(report) {
        let message = format!("node `{}` has no interface `{}`", node.name.value, name.value);
        let help = report.did_you_mean(&name.value, "its interfaces are", known());
        report.error(Diagnostic::error(name.span, message).with_optional_help(help));
    }
}

fn links_are_complete(report: &Report<'_>) -> bool {
    !report.is_incomplete_in_file(&["topology", "links"])
}

/// Checks that the next hop is in a subnet of the node, and returns the finding if it is in none.
/// If the planner assigns addresses, the subnets are not known yet.
fn check_next_hop(
    node: &NodeDraft<'_>,
    route: &RawRoute,
    report: &mut Report<'_>,
) -> Option<Diagnostic> {
    let via = route.via.as_ref()?;
    let address = via.value.0;
    if is_link_local(address) || address.is_ipv4() != matches!(route.to.value, IpPrefix::V4(_)) {
        return None;
    }
    let through = route.interface.as_ref().map(|name| name.value.as_str());
    let interfaces = node.interfaces.iter();
    let interfaces =
        interfaces.filter(|interface| through.is_none_or(|name| name == interface.name));
    let places: Vec<Neighbourhood> =
        interfaces.map(|interface| Neighbourhood::of(address, interface)).collect();
    let is_known = links_are_complete(report)
        && !report.is_incomplete_in_file(&["topology", "nodes", &node.name.value, "interfaces"])
        && !places.contains(&Neighbourhood::Unknown);
    let name = &node.name.value;
    if places.contains(&Neighbourhood::Own) {
        let message = format!("the next hop {address} is node `{name}` itself");
        report.error(Diagnostic::error(via.span, message));
    } else if is_known && !places.contains(&Neighbourhood::Connected) {
        let message = format!("the next hop {address} is in no subnet of node `{name}`");
        let help = "a next hop is a neighbour: an address in a subnet of one of the interfaces";
        return Some(Diagnostic::error(via.span, message).with_help(help));
    }
    None
}

/// Relation of an address to the subnets of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbourhood {
    Own,
    Connected,
    Elsewhere,
    Unknown,
}

impl Neighbourhood {
    fn of(address: IpAddr, interface: &Interface) -> Self {
        let prefixes: Vec<IpPrefix> = match (address, &interface.ipv4, &interface.ipv6) {
            (IpAddr::V4(_), Addresses::Auto, _) | (IpAddr::V6(_), _, Addresses::Auto) => {
                return Self::Unknown;
            }
            (IpAddr::V4(_), Addresses::Fixed(list), _) => {
                list.iter().copied().map(IpPrefix::V4).collect()
            }
            (IpAddr::V6(_), _, Addresses::Fixed(list)) => {
                list.iter().copied().map(IpPrefix::V6).collect()
            }
            _ => Vec::new(),
        };
        let is_own = |prefix: &IpPrefix| match prefix {
            IpPrefix::V4(prefix) => IpAddr::from(prefix.address) == address,
            IpPrefix::V6(prefix) => IpAddr::from(prefix.address) == address,
        };
        if prefixes.iter().any(is_own) {
            Self::Own
        } else if prefixes.iter().any(|prefix| prefix.contains(address)) {
            Self::Connected
        } else {
            Self::Elsewhere
        }
    }
}
