//! Interfaces: the properties that nodes give them, and their MTUs.

use std::collections::HashMap;

use netloom_document::{Diagnostic, Span, Spanned};
use netloom_link::Vid;

use super::links::LinkDraft;
use super::names;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::raw::{RawAddresses, RawFamily, RawInterface, RawOrigin, RawPortTree, RawTopology};
use crate::spec::{Addresses, Interface, NodeKind, PortTree, Subinterface};

/// Default MTU of Ethernet, in bytes.
const DEFAULT_MTU: u32 = 1500;

/// Smallest MTU of IPv6, in bytes (RFC 8200, section 5).
const MIN_IPV6_MTU: u32 = 1280;

/// Completes all interfaces of all nodes.
pub(super) fn resolve(
    topology: &RawTopology,
    nodes: &mut [NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    report: &mut Report<'_>,
) {
    let links_are_complete = links.iter().all(|link| link.ends.is_some())
        && !report.is_incomplete_in_file(&["topology", "links"]);
    for node in nodes.iter_mut() {
        if node.outside().is_none() {
            add_subinterfaces(node, report);
        }
        addresses(node);
        if links_are_complete && node.outside().is_none() {
            check_unused(node, report);
        }
        if node.is_switch() {
            check_switch(node, report);
        }
        if node.spanning_tree().is_none() {
            check_no_tree(node, report);
        }
    }
    for link in links {
        let Some(ends) = &link.ends else { continue };
        for end in ends {
            set_mtu(topology, &mut nodes[end.node], &end.interface, link, report);
        }
        compare_mtus(nodes, link, report);
    }
    nodes.iter_mut().for_each(|node| set_mtus_of_subinterfaces(node, report));
    if links_are_complete && nodes.len() > 1 {
        nodes.iter().for_each(|node| check_isolated(node, report));
    }
}

/// Adds a sub-interface for each name that consists of an interface of a link and a VLAN:
/// `eth1.10`.
fn add_subinterfaces(node: &mut NodeDraft<'_>, report: &mut Report<'_>) {
    for (name, _) in node.raw.head.interfaces.iter() {
        let Some((of, number)) = subinterface_name(node, &name.value) else { continue };
        match subinterface_vlan(&name.value, of, number) {
            Ok(vlan) => {
                let subinterface = Some(Subinterface { of: of.into(), vlan });
                let interface = Interface { subinterface, ..Interface::new(&name.value, 0) };
                node.interfaces.push(interface);
            }
            Err(problem) => {
                let message = format!("`{}` cannot be a sub-interface: {problem}", name.value);
                report.error(Diagnostic::error(name.span, message));
            }
        }
    }
}

/// Splits the name of a sub-interface into its parent and its VLAN, if `name` cannot be the name of
/// anything else.
fn subinterface_name<'n>(node: &NodeDraft<'_>, name: &'n str) -> Option<(&'n str, &'n str)> {
    let has_link = |name: &str| {
        let mut linked = node.interfaces.iter().filter(|known| known.subinterface.is_none());
        linked.any(|known| known.name == name)
    };
    let (of, number) = name.rsplit_once('.').filter(|_| !node.is_switch())?;
    (!has_link(name) && has_link(of)).then_some((of, number))
}

fn subinterface_vlan(name: &str, of: &str, number: &str) -> Result<Vid, String> {
    let vlan: Vid = number.parse()?;
    match names::interface_problem(name) {
        Some(problem) => Err(problem),
        None if vlan.to_string() != number => Err(format!("write `{of}.{vlan}`")),
        None => Ok(vlan),
    }
}

fn addresses(node: &mut NodeDraft<'_>) {
    fn given<P: Copy>(
        own: Option<&RawAddresses<P>>,
        node: Option<RawFamily>,
        kind: NodeKind,
    ) -> Addresses<P> {
        match (own, node) {
            _ if kind.is_segment() => Addresses::None,
            (None, _) if kind == NodeKind::Outside => Addresses::None,
            (Some(RawAddresses::Fixed(list)), _) => {
                Addresses::Fixed(list.iter().map(|address| address.value).collect())
            }
            (Some(RawAddresses::None), _) | (None, Some(RawFamily::None)) => Addresses::None,
            (Some(RawAddresses::Auto), _) | (None, _) => Addresses::Auto,
        }
    }
    let (kind, is_switch) = (node.kind, node.is_switch());
    let runs_tree = node.spanning_tree().is_some();
    let (ipv4, ipv6) = (node.props.ipv4, node.props.ipv6);
    for interface in &mut node.interfaces {
        let raw = node.raw.head.interfaces.find(&interface.name);
        interface.mac = raw.and_then(|raw| raw.mac.as_ref()).map(|mac| mac.value);
        interface.offloads = raw.and_then(|raw| raw.offloads).unwrap_or(true);
        interface.ipv4 = given(raw.and_then(|raw| raw.ipv4.as_ref()), ipv4, kind);
        interface.ipv6 = given(raw.and_then(|raw| raw.ipv6.as_ref()), ipv6, kind);
        interface.vlan = raw.and_then(|raw| raw.vlan.clone()).filter(|_| is_switch);
        let tree = raw.and_then(|raw| raw.spanning_tree).filter(|_| runs_tree);
        interface.spanning_tree =
            tree.map_or(PortTree::default(), |RawPortTree { cost, priority }| PortTree {
                cost,
                priority,
            });
    }
}

fn check_unused(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    let names = || node.interfaces.iter().map(|interface| interface.name.as_str());
    for (name, _) in node.raw.head.interfaces.iter() {
        let is_used = names().any(|used| used == name.value);
        if is_used || subinterface_name(node, &name.value).is_some() {
            continue;
        }
        let message =
            format!("no link uses interface `{}` of node `{}`", name.value, node.name.value);
        let help = report.did_you_mean(&name.value, "the links use", names());
        report.error(Diagnostic::error(name.span, message).with_optional_help(help));
    }
}

fn check_switch(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    for (name, interface) in node.raw.head.interfaces.iter() {
        for key in ["ipv4", "ipv6", "mac"] {
            let Some(span) = report.key(interface.id, &[key]) else { continue };
            let message = format!(
                "`{}:{}` is a port of a switch and has no addresses",
                node.name.value, name.value
            );
            report.error(Diagnostic::error(span, message).with_help(format!("leave `{key}` out")));
        }
        if let Some(span) = report.key(interface.id, &["offloads"]) {
            let port = format!("`{}:{}`", node.name.value, name.value);
            let message = format!("{port} is a port of a switch, and no kernel's interface");
            let help = "write `offloads` at interfaces of hosts and routers";
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
}

/// Reports spanning tree options of ports where the switch runs no spanning tree.
fn check_no_tree(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    let node_name = &node.name.value;
    for (name, interface) in node.raw.head.interfaces.iter() {
        let Some(span) = report.key(interface.id, &["spanning_tree"]) else { continue };
        let message = format!(
            "`{node_name}:{}` is no port of a switch that runs a spanning tree",
            name.value
        );
        let help = match node.is_switch() {
            true => format!("write `spanning_tree: true` at `{node_name}`, or leave this out"),
            false => "leave `spanning_tree` out".into(),
        };
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

fn check_isolated(node: &NodeDraft<'_>, report: &mut Report<'_>) {
    let has_ways = matches!(node.raw.head.origin, RawOrigin::Medium | RawOrigin::Constellation);
    if node.interfaces.is_empty() && !has_ways {
        let message = format!("no link leads to node `{}`", node.name.value);
        report.error(Diagnostic::warning(node.name.span, message));
    }
}

/// Sets the MTU of one interface, from the first of these that has one: the interface, the link,
/// the node, the defaults of links, and finally 1500.
fn set_mtu(
    topology: &RawTopology,
    node: &mut NodeDraft<'_>,
    name: &str,
    link: &LinkDraft<'_>,
    report: &mut Report<'_>,
) {
    let own: Option<&Spanned<RawInterface>> = node.raw.head.interfaces.find(name);
    let has_stack = node.kind.has_stack();
    let Some(interface) = node.interfaces.iter_mut().find(|interface| interface.name == name)
    else {
        return;
    };
    let place = |span: Option<Span>| span.unwrap_or(node.name.span);
    let (mtu, span) = if let Some((own, mtu)) = own.and_then(|own| Some((own, own.mtu?))) {
        (mtu.0, place(report.value(own.id, &["mtu"])))
    } else if let Some(mtu) = link.raw.head.mtu {
        (mtu.0, place(report.value(link.raw.id, &["mtu"])))
    } else if let Some(mtu) = node.props.mtu {
        (mtu, place(report.value(node.raw.id, &["mtu"])))
    } else if let Some(mtu) = topology.defaults.link.head.mtu {
        (mtu.0, place(report.value_in_file(&["topology", "defaults", "link", "mtu"])))
    } else {
        (DEFAULT_MTU, node.name.span)
    };
    interface.mtu = mtu;
    if has_stack {
        check_ipv6_mtu(interface, span, report);
    }
}

fn check_ipv6_mtu(interface: &Interface, span: Span, report: &mut Report<'_>) {
    let mtu = interface.mtu;
    if mtu < MIN_IPV6_MTU && interface.ipv6 != Addresses::None {
        let message = format!("an MTU of {mtu} is too small for IPv6, which needs {MIN_IPV6_MTU}");
        let help = "say `ipv6: none` for the nodes or interfaces concerned, or raise the MTU";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
}

/// Sets the MTUs of sub-interfaces: their own, or that of the parent, which is also the maximum.
fn set_mtus_of_subinterfaces(node: &mut NodeDraft<'_>, report: &mut Report<'_>) {
    let mtus: HashMap<String, u32> =
        node.interfaces.iter().map(|known| (known.name.clone(), known.mtu)).collect();
    for interface in &mut node.interfaces {
        let Some(sub) = &interface.subinterface else { continue };
        let most = mtus.get(&sub.of).copied().unwrap_or(DEFAULT_MTU);
        let own = node.raw.head.interfaces.find(&interface.name);
        let given = own.and_then(|own| Some((own.mtu?.0, report.value(own.id, &["mtu"])?)));
        interface.mtu = given.map_or(most, |(mtu, _)| mtu);
        let Some((mtu, span)) = given else { continue };
        if mtu > most {
            let message = format!(
                "`{}` is to have an MTU of {mtu}, but `{}` has {most}",
                interface.name, sub.of
            );
            let help = format!("write {most} or less, or raise that of `{}`", sub.of);
            report.error(Diagnostic::error(span, message).with_help(help));
        }
        check_ipv6_mtu(interface, span, report);
    }
}

fn compare_mtus(nodes: &[NodeDraft<'_>], link: &LinkDraft<'_>, report: &mut Report<'_>) {
    let Some([a, b]) = &link.ends else { return };
    let mtu = |end: &super::links::End<'_>| {
        let mut interfaces = nodes[end.node].interfaces.iter();
        interfaces.find(|interface| interface.name == end.interface).map(|found| found.mtu)
    };
    let (Some(first), Some(second)) = (mtu(a), mtu(b)) else { return };
    if first != second {
        let message = format!(
            "the ends of this link differ in MTU: {first} at `{}:{}`, {second} at `{}:{}`",
            a.node_name, a.interface, b.node_name, b.interface
        );
        report.error(
            Diagnostic::warning(link.endpoints_span(), message)
                .with_help("larger packets are lost without a message; give both the same `mtu`"),
        );
    }
}
