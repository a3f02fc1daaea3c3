//! The graph: which interfaces share a layer-2 segment, and the cost of crossing it.
//!
//! A segment is a link between two interfaces with a network stack, or everything that a connected
//! set of switches joins in one VLAN. Not here: addresses, routes, and how frames pass through
//! switches (`Layer2` of the scenario).

use std::collections::{BTreeMap, HashMap, HashSet};

use netloom_link::LinkState;
use netloom_scenario::{Endpoint, InterfaceIndex, Layer2, Link, Node, NodeKind, Scenario};

use crate::PlanError;

/// The way from one interface over a segment to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossing {
    pub to: InterfaceIndex,
    /// Sum of the pipes' delays, in ns.
    pub delay: u64,
    /// Sum of the links' costs in the direction of travel.
    pub cost: u64,
    /// Whether every link on the way is up, in both directions.
    pub up: bool,
}

pub(crate) struct Topology<'a> {
    pub scenario: &'a Scenario,
    /// Interfaces with a network stack, by segment, in the order of the links.
    pub segments: Vec<Vec<InterfaceIndex>>,
    layer2: Layer2<'a>,
    /// The layer-2 network without the links that are down, if there are any.
    without_down: Option<Layer2<'a>>,
}

impl<'a> Topology<'a> {
    pub fn new(scenario: &'a Scenario) -> Result<Self, PlanError> {
        let ports = ports_by_name(scenario);
        let find = |link: &Link, endpoint: &Endpoint| {
            ports.get(&(endpoint.node.as_str(), endpoint.interface.as_str())).copied().ok_or_else(
                || PlanError::UnknownEndpoint {
                    link: link.name.clone(),
                    endpoint: endpoint.clone(),
                },
            )
        };
        let mut ends = vec![];
        for link in &scenario.links {
            let [a, b] = &link.endpoints;
            ends.push([find(link, a)?, find(link, b)?]);
        }
        let layer2 = Layer2::of(scenario, ends.iter().copied());
        let without_down = scenario.links.iter().any(|link| !is_up(link)).then(|| {
            let ends = scenario.links.iter().zip(&ends);
            Layer2::without(scenario, ends.map(|(link, ends)| is_up(link).then_some(*ends)))
        });
        let mut topology = Self { scenario, segments: vec![], layer2, without_down };
        let mut order = vec![];
        for port in ends.into_iter().flatten() {
            order.push(port);
            order.extend(topology.subinterfaces(port));
        }
        order.extend(ports.into_values());
        topology.segments = topology.find_segments(&order);
        Ok(topology)
    }

    /// Returns the segments in the order in which `order` first reaches them.
    fn find_segments(&self, order: &[InterfaceIndex]) -> Vec<Vec<InterfaceIndex>> {
        let rank: HashMap<InterfaceIndex, usize> =
            order.iter().enumerate().rev().map(|(rank, port)| (*port, rank)).collect();
        let mut seen = HashSet::new();
        let mut segments = vec![];
        for port in order {
            if self.is_segment(port.node) || seen.contains(port) {
                continue;
            }
            let mut members: Vec<InterfaceIndex> = vec![*port];
            members.extend(self.crossings(*port).iter().map(|crossing| crossing.to));
            members.sort_by_key(|port| rank[port]);
            seen.extend(members.iter().copied());
            segments.push(members);
        }
        segments
    }

    /// The VLAN sub-interfaces of an interface.
    pub fn subinterfaces(&self, port: InterfaceIndex) -> Vec<InterfaceIndex> {
        let interfaces = &self.node(port.node).interfaces;
        let name = &interfaces[port.interface].name;
        let is_of = |index: &usize| {
            interfaces[*index].subinterface.as_ref().is_some_and(|sub| sub.of == *name)
        };
        let indices = (0..interfaces.len()).filter(is_of);
        indices.map(|interface| InterfaceIndex { interface, ..port }).collect()
    }

    /// Returns all interfaces with a network stack that `from` reaches without crossing a network
    /// stack. Each is reached by the way with the fewest links, among those without links that are
    /// down, or otherwise among all.
    pub fn crossings(&self, from: InterfaceIndex) -> Vec<Crossing> {
        let all = self.crossings_of(&self.layer2, from);
        let Some(without_down) = &self.without_down else { return all };
        let mut up = self.crossings_of(without_down, from);
        let reached: HashSet<InterfaceIndex> = up.iter().map(|crossing| crossing.to).collect();
        up.extend(all.into_iter().filter(|crossing| !reached.contains(&crossing.to)));
        up
    }

    fn crossings_of(&self, layer2: &Layer2<'_>, from: InterfaceIndex) -> Vec<Crossing> {
        let start = Crossing { to: from, delay: 0, cost: 0, up: true };
        let reached = layer2.reached(from, start, |way, link, forward| {
            let link = &self.scenario.links[link];
            let (pipe, cost) = match forward {
                true => (&link.forward, link.costs[0]),
                false => (&link.reverse, link.costs[1]),
            };
            Crossing {
                delay: way.delay.saturating_add(pipe.delay.nominal().as_nanos()),
                cost: way.cost.saturating_add(u64::from(cost)),
                up: way.up && is_up(link),
                ..*way
            }
        });
        reached.into_iter().map(|(to, way)| Crossing { to, ..way }).collect()
    }

    pub fn node(&self, node: usize) -> &'a Node {
        &self.scenario.nodes[node]
    }

    pub fn is_segment(&self, node: usize) -> bool {
        self.node(node).kind.is_segment()
    }

    pub fn is_router(&self, node: usize) -> bool {
        self.node(node).kind == NodeKind::Router
    }

    /// Returns the interface at an end of a link.
    pub fn port(&self, end: &Endpoint) -> Option<InterfaceIndex> {
        let node = self.scenario.nodes.iter().position(|node| node.name == end.node)?;
        let mut interfaces = self.node(node).interfaces.iter();
        let interface = interfaces.position(|interface| interface.name == end.interface)?;
        Some(InterfaceIndex { node, interface })
    }

    pub fn endpoint(&self, port: InterfaceIndex) -> Endpoint {
        let node = self.node(port.node);
        Endpoint {
            node: node.name.clone(),
            interface: node.interfaces[port.interface].name.clone(),
        }
    }
}

/// Whether a link is up in both directions.
fn is_up(link: &Link) -> bool {
    link.forward.state == LinkState::Up && link.reverse.state == LinkState::Up
}

fn ports_by_name(scenario: &Scenario) -> BTreeMap<(&str, &str), InterfaceIndex> {
    let mut ports = BTreeMap::new();
    for (node, spec) in scenario.nodes.iter().enumerate() {
        for (interface, port) in spec.interfaces.iter().enumerate() {
            ports.insert(
                (spec.name.as_str(), port.name.as_str()),
                InterfaceIndex { node, interface },
            );
        }
    }
    ports
}
