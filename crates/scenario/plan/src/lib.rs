//! From a resolved scenario to everything that must exist: decides every address, route and name.
//!
//! | module | decides |
//! |---|---|
//! | `model` | nothing: it contains the [`Plan`], which is the output of this crate and the input of `nodes` |
//! | `topology` | which interfaces share a layer-2 segment, and the cost of crossing it |
//! | `numbering` | the order in which subnets and loopback addresses are assigned |
//! | `addresses` | subnets, interface and loopback addresses |
//! | `mac` | Ethernet addresses |
//! | `neighbours` | the Ethernet addresses that nodes know from the start |
//! | `routing`, `route` | static routes |
//! | `rerouting` | the routes while other links are down |
//! | `keeping` | the addresses that stay when the scenario changes under a running network |
//! | [`change`] | the steps from one network to another |
//! | `wiring` | the ends of links |
//! | `traffic` | the address family of traffic |
//! | `ways` | the first step of packets |
//! | `slowness` | how long packets may take, for timers |
//! | `sysctls`, `hosts` | kernel parameters, the text of `/etc/hosts` |
//!
//! The result depends only on the scenario: the same scenario leads to the same plan on any
//! machine. Not here: anything that touches a kernel (`nodes`), and the behaviour of links
//! (`link`).

mod addresses;
pub mod change;
mod cidr;
mod error;
mod hosts;
mod keeping;
mod mac;
mod model;
mod neighbours;
mod numbering;
mod outside;
mod pool;
mod rerouting;
mod route;
mod routing;
mod slowness;
mod sysctls;
mod topology;
mod traffic;
mod ways;
mod wiring;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use netloom_scenario::{Endpoint, InterfaceIndex, Kernel, Limits, Node, NodeKind, Scenario};

pub use error::PlanError;
pub use keeping::keep_addresses;
pub use model::*;
pub use rerouting::rerouted;
pub use route::RoutePlan;
pub use slowness::{drain_time, slowest_way, slowest_way_now};
pub use ways::Way;
pub use wiring::{Ends, NoSegment, Wire, medium_setup, station_change, station_config};

use addresses::Addressing;
use cidr::Family;
use numbering::Numbering;
use routing::{Graph, Network};
use topology::Topology;

/// Decides every address, route, MAC address and kernel parameter of `scenario`. Routes are
/// computed when [`Plan::routes`] is called.
///
/// ```
/// let text = "{ name: x, topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] } }";
/// let scenario = netloom_scenario::load(text).unwrap().scenario;
/// let plan = netloom_plan::plan(&scenario).unwrap();
/// let addresses = &plan.node("a").unwrap().interfaces[0].addresses;
/// assert_eq!(addresses[0].to_string(), "10.0.0.1/30");
/// ```
///
/// # Errors
/// A [`PlanError`] if a link names an interface that no node has, if two interfaces of one segment
/// are given the same address, or if addresses run out.
pub fn plan(scenario: &Scenario) -> Result<Plan, PlanError> {
    plan_numbered(scenario, Numbering::new)
}

/// Makes the plan with subnets and loopback addresses in the order of `numbering`.
fn plan_numbered(
    scenario: &Scenario,
    numbering: impl FnOnce(&Topology<'_>, &Graph) -> Numbering,
) -> Result<Plan, PlanError> {
    let topology = Topology::new(scenario)?;
    let mut graph = Graph::new(&topology);
    let numbering = numbering(&topology, &graph);
    let addressing = Addressing::new(&topology, &numbering)?;
    graph.address(&addressing);
    let macs = mac::assign(scenario);
    let direct = direct_peers(scenario);
    let on_media = on_media(scenario);
    let slow = slowness::slowest_neighbours(&topology);
    let mut nodes: Vec<NodePlan> = scenario
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.kind.has_stack())
        .map(|(index, node)| NodePlan {
            name: node.name.clone(),
            kind: node.kind,
            forwarding: node.kind == NodeKind::Router,
            loopback: addressing.loopback(index),
            interfaces: node
                .interfaces
                .iter()
                .enumerate()
                .map(|(port, interface)| InterfacePlan {
                    name: interface.name.clone(),
                    mac: macs[index][port],
                    mtu: interface.mtu,
                    addresses: addressing.interface(index, port),
                    direct_peer: direct
                        .get(&(node.name.as_str(), interface.name.as_str()))
                        .cloned(),
                    medium: on_media
                        .get(node.name.as_str())
                        .and_then(|here| here.get(interface.name.as_str()))
                        .map(|medium| (*medium).into()),
                    offloads: interface.offloads,
                })
                .collect(),
            routes: routing::own_routes(node),
            neighbours: Vec::new(),
            sysctls: sysctls::sysctls(node, on_media.get(node.name.as_str()), |port| {
                slow.get(&InterfaceIndex { node: index, interface: port }).copied()
            }),
            primary: [Family::V4, Family::V6]
                .into_iter()
                .filter_map(|family| addressing.primary(family, index))
                .collect(),
            own_kernel: own_kernel(node),
            limits: node.machine_limits().dilated(scenario.dilation),
            limit_group: scenario.limit_group(node).map(Into::into),
        })
        .collect();
    let hosts_file = hosts::hosts_file(&nodes);
    let endpoints =
        |ports: &Vec<InterfaceIndex>| ports.iter().map(|port| topology.endpoint(*port)).collect();
    let segments: Vec<Vec<Endpoint>> = topology.segments.iter().map(endpoints).collect();
    neighbours::introduce(&mut nodes, &segments, scenario.neighbours);
    let network = Network::new(&topology, &addressing, graph, numbering.ties);
    let generated = GeneratedRoutes::of(network);
    let dilated = |limits: &Limits| limits.dilated(scenario.dilation);
    let groups = scenario.group_limits.iter();
    let limits = SharedLimits {
        total: dilated(&scenario.total_limits),
        groups: groups.map(|(name, limits)| (name.clone(), dilated(limits))).collect(),
    };
    let outside = outside::ends(scenario, &macs, &addressing);
    let places = nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), place)).collect();
    Ok(Plan { nodes, places, hosts_file, segments, generated, limits, outside })
}

/// Returns the interfaces of each node that are on media, with the names of the media.
fn on_media(scenario: &Scenario) -> HashMap<&str, BTreeMap<&str, &str>> {
    let media = scenario.nodes.iter().filter(|node| node.kind == NodeKind::Medium);
    let media: HashSet<&str> = media.map(|node| node.name.as_str()).collect();
    let mut interfaces: HashMap<&str, BTreeMap<&str, &str>> = HashMap::new();
    for [a, b] in scenario.links.iter().map(|link| &link.endpoints) {
        for (end, other) in [(a, b), (b, a)] {
            if media.contains(other.node.as_str()) {
                let of_node = interfaces.entry(&end.node).or_default();
                of_node.insert(&end.interface, &other.node);
            }
        }
    }
    interfaces
}

/// Returns the kernel of a node that has its own.
fn own_kernel(node: &Node) -> Option<OwnKernel> {
    let memory = node.limits.memory.map_or(OwnKernel::MEMORY, |memory| memory.bytes());
    (node.kernel == Kernel::Own).then_some(OwnKernel { memory })
}

/// Returns the other end of every interface with a direct link, by node and interface.
fn direct_peers(scenario: &Scenario) -> HashMap<(&str, &str), Endpoint> {
    let direct = scenario.links.iter().filter(|link| link.direct);
    let both = direct.flat_map(|link| {
        let [a, b] = &link.endpoints;
        [(a, b), (b, a)]
    });
    both.map(|(end, peer)| ((end.node.as_str(), end.interface.as_str()), peer.clone())).collect()
}
