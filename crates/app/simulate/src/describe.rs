//! Scenario and plan → the simulator's network: the addresses, routes and random streams of an
//! emulated run.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_fabric::{LinkEnd, PortId};
use netloom_link::{IpPrefix, Ipv6Prefix};
use netloom_plan::{InterfacePlan, NodePlan, Plan, RoutePlan, link_end};
use netloom_scenario::{Endpoint, Node, Scenario};
use netloom_sim::{Interface, InterfaceId, Link, Network, Route, RouteSource};

/// The metric that Linux gives a route that says none: IPv4 and IPv6.
const METRICS: [u32; 2] = [0, 1024];

/// Who is where in the simulator's network.
pub struct Described {
    /// The network, without its timeline.
    pub network: Network,
    /// The places of nodes, by name.
    pub nodes: HashMap<String, u32>,
    /// The places of links, by name.
    pub links: HashMap<String, u32>,
}

/// Describes a scenario.
pub fn describe(scenario: &Scenario, plan: &Arc<Plan>) -> Result<Described> {
    let names = (0..).zip(&plan.nodes).map(|(number, node)| (node.name.clone(), number));
    let nodes: HashMap<String, u32> = names.collect();
    let mut ends = Ends::new(scenario, plan, &nodes);
    let logged = |name: &String| scenario.measure.frames.contains(name);
    let links = scenario.links.iter().map(|link| {
        let [a, b] = &link.endpoints;
        Ok(Link {
            name: link.name.clone(),
            ends: [ends.end(a)?, ends.end(b)?],
            pipes: [link.forward.clone(), link.reverse.clone()],
            logged: logged(&link.name),
        })
    });
    let links = links.collect::<Result<Vec<_>>>()?;
    let segment = |segment: &Vec<Endpoint>| {
        segment.iter().filter_map(|end| ends.interface(&end.node, &end.interface)).collect()
    };
    let segments = plan.segments.iter().map(segment).collect();
    let described = plan.nodes.iter().map(node);
    let network = Network {
        seed: scenario.seed,
        nodes: described.collect(),
        links,
        ports: ends.ports,
        segments,
        timeline: Vec::new(),
        routes: Some(Arc::new(PlannedRoutes(plan.clone()))),
    };
    let links = (0..).zip(&scenario.links).map(|(number, link)| (link.name.clone(), number));
    Ok(Described { network, nodes, links: links.collect() })
}

/// The routes of the plan, worked out for a node when it is asked for them.
#[derive(Debug)]
struct PlannedRoutes(Arc<Plan>);

impl RouteSource for PlannedRoutes {
    fn routes(&self, node: u32) -> Vec<Route> {
        let number = node as usize;
        let node = &self.0.nodes[number];
        let place = |name: &str| {
            let mut interfaces = (0..).zip(&node.interfaces);
            interfaces.find(|(_, interface)| interface.name == name).map(|(at, _)| at)
        };
        let metric = |route: &RoutePlan| {
            route.metric.unwrap_or(METRICS[usize::from(matches!(route.to, IpPrefix::V6(_)))])
        };
        let route = |route: RoutePlan| Route {
            to: route.to,
            via: route.via,
            interface: route.interface.as_deref().and_then(place),
            metric: metric(&route),
        };
        self.0.routes(number).into_iter().map(route).collect()
    }
}

fn node(node: &NodePlan) -> netloom_sim::Node {
    netloom_sim::Node {
        name: node.name.clone(),
        forwards: node.forwarding,
        loopback: node.loopback.iter().map(|prefix| prefix.address()).collect(),
        interfaces: node.interfaces.iter().map(interface).collect(),
        routes: Vec::new(),
    }
}

fn interface(interface: &InterfacePlan) -> Interface {
    let mac = interface.mac.0;
    let link_local = Ipv6Prefix { address: link_local(mac), length: 64 };
    let addresses = interface.addresses.iter().copied().chain([IpPrefix::V6(link_local)]);
    Interface { mac, mtu: interface.mtu, addresses: addresses.collect() }
}

/// The link-local address that Linux makes from an Ethernet address (RFC 4291, appendix A).
fn link_local(mac: [u8; 6]) -> Ipv6Addr {
    let [a, b, c, d, e, f] = mac;
    let eui = u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
    Ipv6Addr::from_bits(0xfe80_u128 << 112 | u128::from(eui))
}

/// What links end at. Each interface is a port of the network, numbered as it comes.
struct Ends<'a> {
    nodes: HashMap<&'a str, (u32, &'a Node)>,
    places: HashMap<(&'a str, &'a str), InterfaceId>,
    ports: Vec<InterfaceId>,
}

impl<'a> Ends<'a> {
    fn new(scenario: &'a Scenario, plan: &'a Plan, stacks: &HashMap<String, u32>) -> Self {
        let named = (0..).zip(&scenario.nodes).map(|(at, node)| (node.name.as_str(), (at, node)));
        let mut places = HashMap::new();
        for node in &plan.nodes {
            for (interface, found) in (0..).zip(&node.interfaces) {
                let id = InterfaceId { node: stacks[&node.name], interface };
                places.insert((node.name.as_str(), found.name.as_str()), id);
            }
        }
        Self { nodes: named.collect(), places, ports: Vec::new() }
    }

    fn interface(&self, node: &str, interface: &str) -> Option<InterfaceId> {
        self.places.get(&(node, interface)).copied()
    }

    fn end(&mut self, Endpoint { node: name, interface }: &Endpoint) -> Result<LinkEnd> {
        let (number, node) = *self
            .nodes
            .get(name.as_str())
            .with_context(|| format!("there is no node `{name}`, at which a link ends"))?;
        link_end(node, number, interface)?.try_map(|interface| self.port(name, interface))
    }

    fn port(&mut self, node: &str, interface: &str) -> Result<PortId> {
        let missing = || format!("node `{node}` has no interface `{interface}`");
        let id = self.interface(node, interface).with_context(missing)?;
        self.ports.push(id);
        Ok(PortId(u32::try_from(self.ports.len() - 1).context("there are too many interfaces")?))
    }
}

/// The address by which a node is known, of that family or else IPv4 before IPv6.
pub fn primary(plan: &Plan, node: &str, v6: Option<bool>) -> Option<IpAddr> {
    let mut known = plan.node(node)?.primary.iter().copied();
    known.find(|address| v6.is_none_or(|v6| address.is_ipv6() == v6))
}
