//! Nodes, their interfaces, and the ports of switches.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use netloom_api::state::{
    InterfaceStatus, NodeStatus, PortRole, PortState, TreePortStatus, VlanPortStatus,
};
use netloom_fabric::{LinkId, SegmentEnd, TreePort};
use netloom_scenario::{Endpoint, Interface, Link, LinkEnds, Node};
use netloom_spanning_tree::{PortView, Role};

use crate::deployment::Deployment;
use crate::interfaces::Addresses;
use crate::live::LiveNetwork;
use crate::usage;

/// The states of ports of switches.
struct SwitchPorts {
    vlans: HashMap<Endpoint, VlanPortStatus>,
    trees: HashMap<Endpoint, TreePortStatus>,
}

/// Returns all nodes, in the order of the scenario.
pub fn nodes(network: &LiveNetwork) -> Result<Vec<NodeStatus>> {
    let (deployment, ports) = switch_ports(network)?;
    let addresses = network.with(|live| Addresses::now(&live.network))?;
    let ends = LinkEnds::of(&deployment.whole.scenario);
    let nodes = deployment.whole.scenario.nodes.iter();
    let status = |node| status(network, &deployment, node, &ends, &ports, &addresses);
    Ok(nodes.map(status).collect())
}

/// Returns the ports of VLAN-aware switches.
pub fn vlan_ports(network: &LiveNetwork) -> Result<HashMap<Endpoint, VlanPortStatus>> {
    switch_ports(network).map(|(_, ports)| ports.vlans)
}

fn switch_ports(network: &LiveNetwork) -> Result<(Arc<Deployment>, SwitchPorts)> {
    let (deployment, ends) = network.with_deployment(|live, deployment| {
        Ok((Arc::clone(deployment), live.dataplane.segment_ends()?))
    })?;
    let links: HashMap<LinkId, &Link> = deployment.modelled_links().collect();
    let mut ports = SwitchPorts { vlans: HashMap::new(), trees: HashMap::new() };
    for SegmentEnd { link, end, status } in ends {
        let Some(endpoint) = links.get(&link).and_then(|link| link.endpoints.get(end)) else {
            continue;
        };
        if let Some((vlans, dropped)) = status.vlan {
            ports.vlans.insert(endpoint.clone(), VlanPortStatus { vlans, dropped });
        }
        if let Some(tree) = status.tree {
            ports.trees.insert(endpoint.clone(), tree_port(&tree));
        }
    }
    Ok((deployment, ports))
}

fn status(
    network: &LiveNetwork,
    deployment: &Deployment,
    node: &Node,
    ends: &LinkEnds<'_>,
    ports: &SwitchPorts,
    addresses: &Addresses,
) -> NodeStatus {
    let plan = deployment.whole.plan.node(&node.name);
    let interface = |interface: &Interface| {
        let name = &interface.name;
        let at = Endpoint { node: node.name.clone(), interface: interface.at_link().into() };
        let (link, peer) = ends.at(&at)?;
        let planned = plan.iter().flat_map(|plan| &plan.interfaces);
        let planned = planned.into_iter().find(|planned| planned.name == *name);
        Some(InterfaceStatus {
            name: name.clone(),
            mac: planned.map(|planned| planned.mac),
            addresses: planned
                .map(|planned| addresses.of_interface(&node.name, planned))
                .unwrap_or_default(),
            link: link.name.clone(),
            peer: peer.clone(),
            vlan: ports.vlans.get(&at).cloned(),
            spanning_tree: ports.trees.get(&at).cloned(),
        })
    };
    NodeStatus {
        name: node.name.clone(),
        kind: node.kind,
        simulated: node.simulated,
        primary: plan.map(|plan| plan.primary.clone()).unwrap_or_default(),
        interfaces: node.interfaces.iter().filter_map(interface).collect(),
        namespace: plan
            .filter(|_| !node.simulated)
            .map(|_| format!("{}.{}", deployment.name(), node.name)),
        limits: node.limits,
        usage: usage::of_node(network, &node.name),
        published: node.publish.clone(),
    }
}

/// Converts a port of a switch with a spanning tree into the API's type.
fn tree_port(of: &TreePort) -> TreePortStatus {
    let (root, root_cost) = of.root;
    let PortView { role, state, cost, priority, edge, legacy, counters, .. } = of.port;
    TreePortStatus {
        role: match role {
            Role::Disabled => PortRole::Disabled,
            Role::Root => PortRole::Root,
            Role::Designated => PortRole::Designated,
            Role::Alternate => PortRole::Alternate,
            Role::Backup => PortRole::Backup,
        },
        state: match state {
            netloom_spanning_tree::PortState::Discarding => PortState::Discarding,
            netloom_spanning_tree::PortState::Learning => PortState::Learning,
            netloom_spanning_tree::PortState::Forwarding => PortState::Forwarding,
        },
        cost: cost.get(),
        priority: priority.get(),
        edge,
        legacy,
        bridge: of.bridge.to_string(),
        root: root.to_string(),
        root_cost,
        received: counters.received,
        ignored: counters.ignored,
        sent: counters.sent,
        discarded: of.discarded,
    }
}
