//! Ends of links outside: the machine's devices and their addresses.

use std::collections::HashMap;

use netloom_scenario::{Endpoint, LinkEnds, MacAddress, NodeKind, Outside, Scenario};

use crate::addresses::Addressing;
use crate::model::OutsidePlan;

/// Returns all ends of links outside, in the order of the scenario. `macs` are by node and
/// interface.
pub(crate) fn ends(
    scenario: &Scenario,
    macs: &[Vec<MacAddress>],
    addressing: &Addressing,
) -> Vec<OutsidePlan> {
    let ends = LinkEnds::of(scenario);
    let mut by_name = HashMap::new();
    for (node, macs) in scenario.nodes.iter().zip(macs).filter(|(node, _)| node.kind.has_stack()) {
        for (interface, mac) in node.interfaces.iter().zip(macs) {
            by_name.insert((node.name.as_str(), interface.name.as_str()), *mac);
        }
    }
    let mut plans = Vec::new();
    for (index, node) in scenario.nodes.iter().enumerate() {
        let kind = Outside::of_name(&node.name).filter(|_| node.kind == NodeKind::Outside);
        let Some(kind) = kind else { continue };
        for (port, interface) in node.interfaces.iter().enumerate() {
            let end = Endpoint { node: node.name.clone(), interface: interface.name.clone() };
            let peer = ends.at(&end).map(|(_, peer)| peer);
            let mac = peer.and_then(|p| by_name.get(&(p.node.as_str(), p.interface.as_str())));
            // Several ends beside one device have names with different numbers.
            let device = interface.name.split('~').next().unwrap_or_default().into();
            plans.push(OutsidePlan {
                kind,
                device,
                mtu: interface.mtu,
                peer_mac: mac.copied(),
                addresses: addressing.interface(index, port),
                end,
            });
        }
    }
    plans
}
