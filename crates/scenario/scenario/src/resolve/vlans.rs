//! VLANs: they must exist, be set at all ports of a switch or at none, and match at both ends of a
//! link. Not here: how a port treats tags (`netloom-link`), and sub-interfaces themselves
//! (`interfaces`).

use std::collections::BTreeSet;

use netloom_document::Diagnostic;
use netloom_link::{PortVlans, Vid, VlanSet};

use super::links::{End, LinkDraft};
use super::nodes::NodeDraft;
use super::report::Report;
use crate::spec::Interface;

/// Checks all VLANs, after all interfaces are resolved.
pub(super) fn check(nodes: &[NodeDraft<'_>], links: &[LinkDraft<'_>], report: &mut Report<'_>) {
    for node in nodes {
        match node.is_switch() {
            true => check_switch(node, report),
            false => check_stack(node, report),
        }
    }
    let used = used(nodes);
    for link in links {
        let Some(ends) = &link.ends else { continue };
        let [a, b] = ends.each_ref().map(|end| interface(nodes, end));
        let (Some(a), Some(b)) = (a, b) else { continue };
        match (&a.vlan, &b.vlan) {
            (Some(first), Some(second)) => compare(link, (first, second), &used, report),
            (Some(port), None) => check_host(nodes, (&ends[0], port), (&ends[1], b), report),
            (None, Some(port)) => check_host(nodes, (&ends[1], port), (&ends[0], a), report),
            (None, None) => {}
        }
    }
}

fn interface<'n>(nodes: &'n [NodeDraft<'_>], end: &End<'_>) -> Option<&'n Interface> {
    nodes[end.node].interfaces.iter().find(|interface| interface.name == end.interface)
}

/// Checks that all ports of a switch have VLANs, or none.
fn check_switch(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    let is_silent = |interface: &&Interface| interface.vlan.is_none();
    let interfaces = report.node(node.raw.id, &["interfaces"]);
    let is_unsure = interfaces.is_some_and(|interfaces| report.is_incomplete_below(interfaces));
    if is_unsure || node.interfaces.iter().all(|interface| interface.vlan.is_none()) {
        return;
    }
    for interface in node.interfaces.iter().filter(is_silent) {
        let (node_name, port) = (&node.name.value, &interface.name);
        let span = report.key(node.raw.id, &["interfaces", port]).unwrap_or(node.name.span);
        let message = format!(
            "`{node_name}:{port}` does not say its `vlan`, but other ports of `{node_name}` do"
        );
        let help = format!("write one, like `{port}: {{vlan: {{access: 1}}}}`");
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

/// Reports VLANs of interfaces that are not ports of switches.
fn check_stack(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    for (name, raw) in node.raw.head.interfaces.iter() {
        let Some(span) = report.key(raw.id, &["vlan"]) else { continue };
        let (node, name) = (&node.name.value, &name.value);
        let message = format!("`{node}:{name}` is no port of a switch, and `vlan` is for these");
        let help = format!(
            "for an interface in a VLAN, name a sub-interface, like `{name}.10: {{ipv4: auto}}`"
        );
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

/// Returns the VLANs that the scenario names. What `all` allows beside them has no frames.
fn used(nodes: &[NodeDraft<'_>]) -> BTreeSet<Vid> {
    let interfaces = nodes.iter().flat_map(|node| &node.interfaces);
    let mut used = BTreeSet::new();
    for interface in interfaces {
        used.extend(interface.subinterface.as_ref().map(|sub| sub.vlan));
        used.extend(interface.vlan.as_ref().and_then(PortVlans::untagged));
        if let Some(PortVlans::Trunk(trunk)) = &interface.vlan
            && !trunk.allowed.is_all()
        {
            used.extend(trunk.allowed.iter());
        }
    }
    used
}

/// Compares two ports of switches: reports if a frame changes its VLAN between them, or if they
/// drop each other's frames.
fn compare(
    link: &LinkDraft<'_>,
    (a, b): (&PortVlans, &PortVlans),
    used: &BTreeSet<Vid>,
    report: &mut Report<'_>,
) {
    let Some([first, second]) = &link.ends else { return };
    if share_a_vlan(a, b) {
        compare_tagged(link, (a, b), used, report);
    }
    let names = format!(
        "`{}:{}` ({a}) and `{}:{}` ({b})",
        first.node_name, first.interface, second.node_name, second.interface
    );
    let (message, help) = match (a.untagged(), b.untagged()) {
        (Some(one), Some(other)) if one != other => (
            format!("{names} join VLAN {one} to VLAN {other}: untagged frames change between them"),
            "give both ends the same `access` or `native` VLAN, if that is not meant",
        ),
        (Some(_), None) | (None, Some(_)) => (
            format!("{names} differ: untagged frames of one are dropped by the other"),
            "give both ends the same `native` VLAN, or none",
        ),
        (None, None) if !share_a_vlan(a, b) => (
            format!("{names} have no VLAN in common: nothing passes"),
            "allow the same VLANs at both ends",
        ),
        _ => return,
    };
    report.error(Diagnostic::warning(link.endpoints_span(), message).with_help(help));
}

/// Reports VLANs whose frames one port sends with a tag and the other drops.
fn compare_tagged(
    link: &LinkDraft<'_>,
    (a, b): (&PortVlans, &PortVlans),
    used: &BTreeSet<Vid>,
    report: &mut Report<'_>,
) {
    let Some([first, second]) = &link.ends else { return };
    let name = |end: &End<'_>| format!("`{}:{}`", end.node_name, end.interface);
    for ((sender, from), (receiver, to)) in [((first, a), (second, b)), ((second, b), (first, a))] {
        let is_lost = |vlan: &Vid| {
            from.carries(*vlan) && from.untagged() != Some(*vlan) && !to.carries(*vlan)
        };
        let Some(lost) = VlanSet::from_vlans(used.iter().copied().filter(is_lost)) else {
            continue;
        };
        let message = format!(
            "{} ({to}) drops what {} ({from}) sends it of VLAN {lost}",
            name(receiver),
            name(sender)
        );
        let finding = Diagnostic::warning(link.endpoints_span(), message);
        report.error(finding.with_help("allow the same VLANs at both ends"));
    }
}

fn share_a_vlan(a: &PortVlans, b: &PortVlans) -> bool {
    match (a, b) {
        (PortVlans::Trunk(a), PortVlans::Trunk(b)) => !a.allowed.is_disjoint(&b.allowed),
        _ => a.untagged().is_some_and(|vlan| b.carries(vlan)),
    }
}

/// Compares a port with VLANs and the other end of its link: an interface of a network stack, or a
/// port of a switch without VLANs.
fn check_host(
    nodes: &[NodeDraft<'_>],
    (port_end, port): (&End<'_>, &PortVlans),
    (end, interface): (&End<'_>, &Interface),
    report: &mut Report<'_>,
) {
    let node = &nodes[end.node];
    if node.is_segment() {
        return;
    }
    let port_name = format!("{}:{}", port_end.node_name, port_end.interface);
    let is_of = |other: &&Interface| {
        other.subinterface.as_ref().is_some_and(|sub| sub.of == interface.name)
    };
    for sub in node.interfaces.iter().filter(is_of) {
        let Some(vlan) = sub.subinterface.as_ref().map(|sub| sub.vlan) else { continue };
        if port.carries(vlan) && port.untagged() != Some(vlan) {
            continue;
        }
        let span = report.key(node.raw.id, &["interfaces", &sub.name]).unwrap_or(node.name.span);
        let message = format!(
            "`{}:{}` hears nothing: `{port_name}` ({port}) does not send VLAN {vlan} with a tag",
            end.node_name, sub.name
        );
        let help = format!("let `{port_name}` be a trunk that allows VLAN {vlan}");
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    if port.untagged().is_none() && !node.interfaces.iter().any(|other| is_of(&other)) {
        let message = format!(
            "`{}:{}` is at a trunk, `{port_name}` ({port}), and has no sub-interface: it hears \
             tagged frames only",
            end.node_name, end.interface
        );
        let help = format!(
            "name one, like `{}.10`, or let `{port_name}` have a `native` VLAN or `access` to one",
            end.interface
        );
        report.error(Diagnostic::warning(node.name.span, message).with_help(help));
    }
}
