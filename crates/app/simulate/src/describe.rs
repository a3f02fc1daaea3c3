//! Describes a scenario and its plan as the simulator's network, with the addresses, routes and
//! random streams of an emulated run.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_fabric::{LinkEnd, PortId};
use netloom_link::{IpPrefix, Ipv6Prefix};
use netloom_plan::{self as plan, InterfacePlan, NodePlan, Plan, RoutePlan, Wire};
use netloom_scenario::{Endpoint, Node, Scenario};
use netloom_sim::{Interface, InterfaceId, Link, Network, Route, RouteSource, Tap};

/// The simulator's network, with the numbers of its nodes and links.
pub struct Described {
    /// The network, without its timeline.
    pub network: Network,
    /// Numbers of nodes, by name.
    pub nodes: HashMap<String, u32>,
    /// Numbers of links, by name.
    pub links: HashMap<String, u32>,
    /// Names of each node's interfaces, in order.
    pub interfaces: Vec<Vec<String>>,
}

/// The part of a scenario that is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The whole scenario.
    All,
    /// Nodes that are `simulated`, and their links. All other nodes are joined to them.
    Simulated,
}

impl Part {
    /// Returns the links of the simulation, in its order.
    pub fn links(self, scenario: &Scenario) -> Vec<&netloom_scenario::Link> {
        match self {
            Self::All => scenario.links.iter().collect(),
            Self::Simulated => scenario.simulated_links().collect(),
        }
    }
}

/// Describes the simulated part of a scenario.
pub fn describe(scenario: &Scenario, plan: &Arc<Plan>, part: Part) -> Result<Described> {
    let names = (0..).zip(&plan.nodes).map(|(number, node)| (node.name.clone(), number));
    let nodes: HashMap<String, u32> = names.collect();
    let mut ends = Ends::new(scenario, plan, &nodes);
    let logged = |name: &String| scenario.measure.frames.contains(name);
    let taps = |end: &Endpoint| {
        let captures = (0..).zip(&scenario.measure.capture);
        let here = captures.filter(|(_, wanted)| wanted.interface == *end);
        here.map(|(capture, wanted)| Tap { capture, drops: wanted.drops }).collect()
    };
    let here = part.links(scenario);
    let links = here.iter().map(|link| {
        let [a, b] = &link.endpoints;
        Ok(Link {
            name: link.name.clone(),
            ends: [ends.end(a, b)?, ends.end(b, a)?],
            pipes: [link.forward.simulated(), link.reverse.simulated()],
            mtus: link.endpoints.each_ref().map(|end| ends.mtu(end)),
            logged: logged(&link.name),
            taps: [taps(a), taps(b)],
        })
    });
    let links = links.collect::<Result<Vec<_>>>()?;
    let segment = |segment: &Vec<Endpoint>| {
        segment.iter().filter_map(|end| ends.interface(&end.node, &end.interface)).collect()
    };
    let segments = plan.segments.iter().map(segment).collect();
    let simulated = scenario.simulated_nodes();
    let real = |name: &str| part == Part::Simulated && !simulated.contains(name);
    let described = plan.nodes.iter().map(|plan| node(plan, real(&plan.name)));
    let network = Network {
        seed: scenario.seed,
        nodes: described.collect(),
        links,
        ports: ends.ports,
        segments,
        timeline: Vec::new(),
        routes: Some(Arc::new(PlannedRoutes(plan.clone()))),
    };
    let links = (0..).zip(here).map(|(number, link)| (link.name.clone(), number));
    let named = |node: &NodePlan| {
        node.interfaces.iter().map(|interface| interface.name.to_string()).collect()
    };
    let interfaces = plan.nodes.iter().map(named).collect();
    Ok(Described { network, nodes, links: links.collect(), interfaces })
}

/// Converts a route of a scenario, in a node whose interfaces have these names, for the simulator.
pub fn route(route: &netloom_scenario::Route, interfaces: &[String]) -> Route {
    let place = |name: &String| {
        let mut named = (0..).zip(interfaces);
        named.find(|(_, known)| *known == name).map(|(place, _)| place)
    };
    Route {
        to: route.to,
        via: route.via,
        interface: route.interface.as_ref().and_then(place),
        metric: RoutePlan::from(route).metric(),
    }
}

/// Converts a route of the simulator, in a node whose interfaces have these names, to the
/// scenario's type.
pub fn in_scenario(route: &Route, interfaces: &[String]) -> netloom_scenario::Route {
    let name = |place: u32| interfaces.get(place as usize).cloned();
    let is_default = route.metric == RoutePlan::default_metric(route.to);
    netloom_scenario::Route {
        to: route.to.network(),
        via: route.via,
        interface: route.interface.and_then(name),
        metric: (!is_default).then_some(route.metric),
    }
}

/// The routes of the plan. Those of a node are computed when the simulator asks for them.
#[derive(Debug)]
pub struct PlannedRoutes(pub Arc<Plan>);

impl RouteSource for PlannedRoutes {
    fn routes(&self, node: u32) -> Vec<Route> {
        let number = node as usize;
        let node = &self.0.nodes[number];
        let place = |name: &str| {
            let mut interfaces = (0..).zip(&node.interfaces);
            interfaces.find(|(_, interface)| interface.name == name).map(|(at, _)| at)
        };
        let route = |route: RoutePlan| Route {
            to: route.to,
            via: route.via,
            interface: route.interface.as_deref().and_then(place),
            metric: route.metric(),
        };
        self.0.routes(number).into_iter().map(route).collect()
    }
}

fn node(node: &NodePlan, real: bool) -> netloom_sim::Node {
    netloom_sim::Node {
        name: node.name.clone(),
        forwards: node.forwarding,
        real,
        loopback: node.loopback.iter().map(|prefix| prefix.address()).collect(),
        interfaces: node.interfaces.iter().map(interface).collect(),
        routes: Vec::new(),
    }
}

fn interface(interface: &InterfacePlan) -> Interface {
    let mac = interface.mac.0;
    Interface { mac, mtu: interface.mtu, addresses: prefixes(interface).collect() }
}

/// Returns the addresses of an interface, including the link-local one.
pub fn addresses(interface: &InterfacePlan) -> impl Iterator<Item = IpAddr> {
    prefixes(interface).map(|prefix| prefix.address())
}

fn prefixes(interface: &InterfacePlan) -> impl Iterator<Item = IpPrefix> {
    let link_local = Ipv6Prefix { address: link_local(interface.mac.0), length: 64 };
    interface.addresses.iter().copied().chain([IpPrefix::V6(link_local)])
}

/// Returns the link-local address that Linux makes from an Ethernet address (RFC 4291, appendix A).
fn link_local(mac: [u8; 6]) -> Ipv6Addr {
    let [a, b, c, d, e, f] = mac;
    let eui = u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
    Ipv6Addr::from_bits(0xfe80_u128 << 112 | u128::from(eui))
}

/// The ends of links. Each interface is a port of the network, and ports are numbered in order of
/// appearance.
struct Ends<'a> {
    nodes: HashMap<&'a str, (u32, &'a Node)>,
    wired: plan::Ends<'a>,
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
        let wired = plan::Ends::of(scenario, plan);
        Self { nodes: named.collect(), wired, places, ports: Vec::new() }
    }

    /// Returns the MTU of the interface or port at an end of a link.
    fn mtu(&self, Endpoint { node, interface }: &Endpoint) -> Option<u32> {
        self.nodes.get(node.as_str())?.1.mtu(interface)
    }

    fn interface(&self, node: &str, interface: &str) -> Option<InterfaceId> {
        self.places.get(&(node, interface)).copied()
    }

    /// Returns the end at `here` of a link whose other end is at `there`.
    fn end(&mut self, here: &'a Endpoint, there: &'a Endpoint) -> Result<LinkEnd> {
        let (here_wire, there) = (self.wire(here)?, self.wire(there)?);
        let end = self.wired.link_end(here_wire, there)?;
        end.try_map(|interface| self.port(&here.node, interface))
    }

    fn wire(&self, Endpoint { node: name, interface }: &'a Endpoint) -> Result<Wire<'a>> {
        let (number, node) = *self
            .nodes
            .get(name.as_str())
            .with_context(|| format!("there is no node `{name}`, at which a link ends"))?;
        Ok(Wire { node, number, interface })
    }

    fn port(&mut self, node: &str, interface: &str) -> Result<PortId> {
        let missing = || format!("node `{node}` has no interface `{interface}`");
        let id = self.interface(node, interface).with_context(missing)?;
        self.ports.push(id);
        Ok(PortId(u32::try_from(self.ports.len() - 1).context("there are too many interfaces")?))
    }
}
