//! Layer-2 segments: the interfaces that reach each other on layer 2. Switches join links to
//! segments, in each VLAN separately. A loop of switches none of which runs a spanning tree is an
//! error. Not here: the paths of frames within a segment (`layer2`).

use std::collections::HashSet;

use netloom_document::Diagnostic;
use netloom_link::JoinedSwitches;

use super::links::{End, LinkDraft};
use super::nodes::NodeDraft;
use super::report::Report;
use crate::layer2::{InterfaceIndex, Layer2};

/// Largest number of ports of a switch that runs a spanning tree.
const MAX_PORTS: usize = 4095;

/// The interfaces of one segment, without the ports of switches.
pub(super) type Segment = Vec<InterfaceIndex>;

/// Returns all segments.
pub(super) fn find(
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    report: &mut Report<'_>,
) -> Vec<Segment> {
    check_ports(nodes, report);
    let mut joined = JoinedSwitches::new(nodes.len());
    for link in links {
        let Some([a, b]) = &link.ends else { continue };
        let floods = |end: &End<'_>| {
            let node = &nodes[end.node];
            node.is_segment() && node.spanning_tree().is_none()
        };
        // Stations do not forward frames from one access point to another.
        if link.raw.head.joins_medium {
            continue;
        }
        // A switch that runs a spanning tree receives its own BPDUs back, and breaks the loop.
        if !floods(a) || !floods(b) {
            continue;
        }
        if !joined.join(a.node, b.node) {
            let message = format!(
                "this link closes a loop of switches: `{}` and `{}` are joined already",
                a.node_name, b.node_name
            );
            report.error(Diagnostic::error(link.endpoints_span(), message).with_help(
                "frames would circle for ever; leave the link out, or write `spanning_tree: true` \
                 at a switch of the loop",
            ));
        }
    }
    gather(nodes, links)
}

/// Checks the number of ports: a bridge of a spanning tree numbers them with twelve bits (IEEE
/// 802.1D-2004, §9.2.7).
fn check_ports(nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
    let too_many =
        |node: &&NodeDraft<'_>| node.spanning_tree().is_some() && node.interfaces.len() > MAX_PORTS;
    for node in nodes.iter().filter(too_many) {
        let message = format!(
            "`{}` runs a spanning tree and has {} ports; it may have {MAX_PORTS}",
            node.name.value,
            node.interfaces.len()
        );
        let help = "leave `spanning_tree` out, or divide its links among several switches";
        report.error(Diagnostic::error(node.name.span, message).with_help(help));
    }
}

/// Returns segments in the order in which the links first mention them.
fn gather(nodes: &[NodeDraft<'_>], links: &[LinkDraft<'_>]) -> Vec<Segment> {
    let port = |end: &End<'_>| {
        let mut interfaces = nodes[end.node].interfaces.iter();
        let interface = interfaces.position(|interface| interface.name == end.interface)?;
        Some(InterfaceIndex { node: end.node, interface })
    };
    let ends: Vec<Option<[InterfaceIndex; 2]>> = links
        .iter()
        .map(|link| {
            let [a, b] = link.ends.as_ref()?;
            Some([port(a)?, port(b)?])
        })
        .collect();
    let of_nodes = nodes.iter().map(|node| (node.is_segment(), &node.interfaces[..]));
    let layer2 = Layer2::new(of_nodes, ends.iter().copied());
    let subinterfaces = nodes.iter().enumerate().flat_map(|(node, draft)| {
        let subinterfaces = (0..draft.interfaces.len())
            .filter(|interface| draft.interfaces[*interface].subinterface.is_some());
        subinterfaces.map(move |interface| InterfaceIndex { node, interface })
    });
    let linked = ends.iter().flatten().flatten().copied();
    let mut seen: HashSet<InterfaceIndex> = HashSet::new();
    let mut segments = Vec::new();
    for port in linked.chain(subinterfaces).filter(|port| !nodes[port.node].is_segment()) {
        if seen.contains(&port) {
            continue;
        }
        let others = layer2.reached(port, (), |(), _, _| ()).into_iter().map(|(port, ())| port);
        let segment: Segment = [port].into_iter().chain(others).collect();
        seen.extend(&segment);
        segments.push(segment);
    }
    segments
}
