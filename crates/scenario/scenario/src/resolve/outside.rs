//! Links to the outside: their ends become nodes of their own kind, so that the rest of the code
//! treats them like nodes. Not here: whether the machine has such devices (`nodes`).

use std::collections::HashMap;

use netloom_document::{Diagnostic, Inline, Spanned};

use super::links::{End, LinkDraft};
use super::nodes::NodeDraft;
use super::report::Report;
use crate::address::IpPrefix;
use crate::outside::Outside;
use crate::raw::{RawAddresses, RawInterface, RawNodeHead, RawNodeProps, RawOrigin, RawTopology};
use crate::spec::Addresses;

/// Adds a node, after all others, for each kind of outside that an endpoint begins with.
pub(super) fn complete(topology: &mut RawTopology) {
    number_macvlans(topology);
    for index in 0..topology.links.len() {
        let link = &topology.links[index];
        let endpoints = link.head.endpoints.iter().flat_map(|endpoints| &endpoints.value);
        let ends: Vec<_> = endpoints
            .filter(|end| Outside::of_name(&end.value.node).is_some())
            .map(|end| (end.clone(), interface(&link.head.addresses)))
            .collect();
        for (end, interface) in ends {
            let node = node(topology, &end);
            let Some(name) = end.value.interface else { continue };
            let name = Spanned { value: name, span: end.span, id: end.id };
            let interface = Spanned { value: interface, span: end.span, id: end.id };
            node.head.interfaces.0.push((name, interface));
        }
    }
}

/// Numbers the macvlan devices of each parent from the second one on: a device of the machine can
/// have several.
fn number_macvlans(topology: &mut RawTopology) {
    let mut count: HashMap<String, usize> = HashMap::new();
    let endpoints = topology.links.iter_mut().flat_map(|link| &mut link.value.head.endpoints);
    for end in endpoints.flat_map(|endpoints| &mut endpoints.value) {
        if Outside::of_name(&end.value.node) != Some(Outside::Macvlan) {
            continue;
        }
        let Some(parent) = &mut end.value.interface else { continue };
        let count = count.entry(parent.clone()).or_default();
        *count += 1;
        if *count > 1 {
            *parent = format!("{parent}~{count}");
        }
    }
}

/// Returns the node of an end, and creates it if it does not exist. If the file declares a node of
/// that name, the error is reported elsewhere.
fn node<'t>(
    topology: &'t mut RawTopology,
    end: &Spanned<crate::raw::RawEndpoint>,
) -> &'t mut Inline<RawNodeHead, RawNodeProps> {
    let nodes = &mut topology.nodes.0;
    let at = nodes.iter().position(|(name, _)| name.value == end.value.node);
    let at = at.unwrap_or_else(|| {
        let name = Spanned { value: end.value.node.clone(), span: end.span, id: end.id };
        let head = RawNodeHead { origin: RawOrigin::Outside, ..RawNodeHead::default() };
        let value = Inline { head, rest: RawNodeProps::default() };
        nodes.push((name, Spanned { value, span: end.span, id: end.id }));
        nodes.len() - 1
    });
    &mut nodes[at].1.value
}

/// Creates the interface at the machine's end, with these addresses.
fn interface(addresses: &[Spanned<IpPrefix>]) -> RawInterface {
    fn fixed<P>(addresses: Vec<Spanned<P>>) -> Option<RawAddresses<P>> {
        (!addresses.is_empty()).then_some(RawAddresses::Fixed(addresses))
    }
    let (mut v4, mut v6) = (Vec::new(), Vec::new());
    for address in addresses {
        let (span, id) = (address.span, address.id);
        match address.value {
            IpPrefix::V4(value) => v4.push(Spanned { value, span, id }),
            IpPrefix::V6(value) => v6.push(Spanned { value, span, id }),
        }
    }
    RawInterface { ipv4: fixed(v4), ipv6: fixed(v6), ..RawInterface::default() }
}

/// Reports invalid links to the outside.
pub(super) fn check(nodes: &[NodeDraft<'_>], links: &[LinkDraft<'_>], report: &mut Report<'_>) {
    for link in links {
        let addresses = report.key(link.raw.id, &["addresses"]);
        let ends = link.ends.iter().flatten();
        let outside: Vec<&End<'_>> =
            ends.filter(|end| nodes[end.node].outside().is_some()).collect();
        match outside[..] {
            [] => {
                if let (Some(span), Some(_)) = (addresses, &link.ends) {
                    let message =
                        "`addresses` are those of the machine, at a link to `host:` or `nat:`";
                    let help =
                        "addresses of nodes are said at their `interfaces`, with `ipv4` and `ipv6`";
                    report.error(Diagnostic::error(span, message).with_help(help));
                }
            }
            [_] => link_to_outside(nodes, link, report),
            _ => {
                let message = "this link has both ends outside, and no node";
                let help = "join the two by a node, like one of `kind: switch`";
                report.error(Diagnostic::error(link.endpoints_span(), message).with_help(help));
            }
        }
    }
}

fn link_to_outside(nodes: &[NodeDraft<'_>], link: &LinkDraft<'_>, report: &mut Report<'_>) {
    let Some([a, b]) = &link.ends else { return };
    let (end, peer) = if nodes[a.node].outside().is_some() { (a, b) } else { (b, a) };
    let Some(outside) = nodes[end.node].outside() else { return };
    let name = format!("{}:{}", end.node_name, end.interface);
    let at = link.endpoints_span();
    if let Some(span) = report.key(link.raw.id, &["direct"]).filter(|_| link.raw.head.direct) {
        let message = format!("`{name}` is not a node: a link to the outside passes the engine");
        report.error(Diagnostic::error(span, message).with_help("leave out `direct`"));
    }
    if outside == Outside::Macvlan && nodes[peer.node].is_switch() {
        let message = format!("`{name}` has one Ethernet address, and more are behind a switch");
        let help =
            "write `device:` to take the device as a whole, or give each node its own `macvlan:`";
        report.error(Diagnostic::error(at, message).with_help(help));
    }
    let written = &link.raw.head.addresses;
    if let (false, Some(span)) = (outside.has_addresses(), report.key(link.raw.id, &["addresses"]))
    {
        let message = format!("`{name}` has no addresses: the machine's are as they are");
        report.error(Diagnostic::error(span, message).with_help("leave `addresses` out"));
    }
    if outside == Outside::Nat && written.is_empty() {
        let message = format!("`{name}` has no address on the machine, whose subnet is translated");
        let help = "say it, like `addresses: [172.30.0.1/24]` or `[fd30::1/64]` or both, and give \
                    the node default routes to it";
        report.error(Diagnostic::error(at, message).with_help(help));
    }
}

/// Removes automatic addresses of interfaces at links to the outside: NetLoom does not know which
/// addresses are free there. They stay if the machine's end has an address, which determines the
/// subnet.
pub(super) fn set_addresses(
    nodes: &mut [NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    report: &mut Report<'_>,
) {
    for link in links {
        let Some([a, b]) = &link.ends else { continue };
        for (end, peer) in [(a, b), (b, a)] {
            if nodes[end.node].outside().is_none() {
                continue;
            }
            let find = |nodes: &[NodeDraft<'_>], end: &End<'_>| {
                nodes[end.node].interfaces.iter().position(|i| i.name == end.interface)
            };
            let (Some(own), Some(other)) = (find(nodes, end), find(nodes, peer)) else { continue };
            let known = &nodes[end.node].interfaces[own];
            let unknown = [known.ipv4 == Addresses::None, known.ipv6 == Addresses::None];
            let raw = nodes[peer.node].raw.head.interfaces.find(&peer.interface);
            let asked = raw.map(|raw| {
                [
                    matches!(raw.ipv4, Some(RawAddresses::Auto)),
                    matches!(raw.ipv6, Some(RawAddresses::Auto)),
                ]
            });
            for (key, index) in [("ipv4", 0), ("ipv6", 1)] {
                let Some(raw) = raw.filter(|_| unknown[index] && asked.is_some_and(|a| a[index]))
                else {
                    continue;
                };
                let span = report.value(raw.id, &[key]).unwrap_or(raw.span);
                let message = format!(
                    "which addresses are free behind `{}:{}` is not known here",
                    end.node_name, end.interface
                );
                let help =
                    "write the address with its prefix length, or `none` and get one by DHCP";
                report.error(Diagnostic::error(span, message).with_help(help));
            }
            let interface = &mut nodes[peer.node].interfaces[other];
            if unknown[0] && interface.ipv4 == Addresses::Auto {
                interface.ipv4 = Addresses::None;
            }
            if unknown[1] && interface.ipv6 == Addresses::Auto {
                interface.ipv6 = Addresses::None;
            }
        }
    }
}
