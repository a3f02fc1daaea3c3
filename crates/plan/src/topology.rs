//! The graph: which interfaces share a layer-2 segment, and what it costs to cross it.
//!
//! A segment is a link between two interfaces with a network stack, or everything that a connected
//! set of switches joins. Not here: addresses, routes.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use netloom_link::LinkState;
use netloom_scenario::{Endpoint, Link, Node, NodeKind, Scenario};

use crate::PlanError;

/// An interface, by index: `scenario.nodes[node].interfaces[interface]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Port {
    pub node: usize,
    pub interface: usize,
}

/// The way from one interface over a segment to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossing {
    pub to: Port,
    /// Sum of the pipes' delays in ns.
    pub delay: u64,
    /// Sum of the links' costs.
    pub cost: u64,
    /// Whether every link on the way is up, in both directions.
    pub up: bool,
}

pub(crate) struct Topology<'a> {
    pub scenario: &'a Scenario,
    /// The interfaces with a network stack, by segment, in the order of the links.
    pub segments: Vec<Vec<Port>>,
    /// What is at the other end of a port: the port, the link, and whether it is its forward pipe.
    wires: HashMap<Port, (Port, &'a Link, bool)>,
}

impl<'a> Topology<'a> {
    pub fn new(scenario: &'a Scenario) -> Result<Self, PlanError> {
        let mut topology = Self { scenario, segments: vec![], wires: HashMap::new() };
        let ports = ports_by_name(scenario);
        let find = |link: &Link, endpoint: &Endpoint| {
            ports.get(&(endpoint.node.as_str(), endpoint.interface.as_str())).copied().ok_or_else(
                || PlanError::UnknownEndpoint {
                    link: link.name.clone(),
                    endpoint: endpoint.clone(),
                },
            )
        };
        let mut order = vec![];
        for link in &scenario.links {
            let [a, b] = [find(link, &link.endpoints[0])?, find(link, &link.endpoints[1])?];
            topology.wires.insert(a, (b, link, true));
            topology.wires.insert(b, (a, link, false));
            order.extend([a, b]);
        }
        order.extend(ports.into_values());
        topology.segments = topology.find_segments(&order);
        Ok(topology)
    }

    /// Segments in the order in which `order` first touches them.
    fn find_segments(&self, order: &[Port]) -> Vec<Vec<Port>> {
        let rank: HashMap<Port, usize> =
            order.iter().enumerate().rev().map(|(rank, port)| (*port, rank)).collect();
        let mut seen = HashSet::new();
        let mut segments = vec![];
        for port in order {
            if self.is_switch(port.node) || seen.contains(port) {
                continue;
            }
            let mut members: Vec<Port> = vec![*port];
            members.extend(self.crossings(*port).iter().map(|crossing| crossing.to));
            members.sort_by_key(|port| rank[port]);
            seen.extend(members.iter().copied());
            segments.push(members);
        }
        segments
    }

    /// Everything with a network stack that `from` reaches without crossing a network stack, by the
    /// way with the fewest links.
    pub fn crossings(&self, from: Port) -> Vec<Crossing> {
        let mut reached = vec![];
        let mut switches = HashSet::new();
        let mut seen = HashSet::from([from]);
        let mut queue = VecDeque::from([Crossing { to: from, delay: 0, cost: 0, up: true }]);
        while let Some(at) = queue.pop_front() {
            let Some(next) = self.over_wire(at).filter(|next| seen.insert(next.to)) else {
                continue;
            };
            if !self.is_switch(next.to.node) {
                reached.push(next);
            } else if switches.insert(next.to.node) {
                let ports = 0..self.node(next.to.node).interfaces.len();
                queue.extend(
                    ports
                        .map(|interface| Port { node: next.to.node, interface })
                        .filter(|port| seen.insert(*port))
                        .map(|port| Crossing { to: port, ..next }),
                );
            }
        }
        reached
    }

    fn over_wire(&self, at: Crossing) -> Option<Crossing> {
        let (to, link, forward) = self.wires.get(&at.to)?;
        let pipe = if *forward { &link.forward } else { &link.reverse };
        let up = link.forward.state == LinkState::Up && link.reverse.state == LinkState::Up;
        Some(Crossing {
            to: *to,
            delay: at.delay.saturating_add(pipe.delay.as_nanos()),
            cost: at.cost.saturating_add(u64::from(link.cost)),
            up: at.up && up,
        })
    }

    pub fn node(&self, node: usize) -> &'a Node {
        &self.scenario.nodes[node]
    }

    pub fn is_switch(&self, node: usize) -> bool {
        self.node(node).kind == NodeKind::Switch
    }

    pub fn is_router(&self, node: usize) -> bool {
        self.node(node).kind == NodeKind::Router
    }

    pub fn endpoint(&self, port: Port) -> Endpoint {
        let node = self.node(port.node);
        Endpoint {
            node: node.name.clone(),
            interface: node.interfaces[port.interface].name.clone(),
        }
    }
}

fn ports_by_name(scenario: &Scenario) -> BTreeMap<(&str, &str), Port> {
    let mut ports = BTreeMap::new();
    for (node, spec) in scenario.nodes.iter().enumerate() {
        for (interface, port) in spec.interfaces.iter().enumerate() {
            ports.insert((spec.name.as_str(), port.name.as_str()), Port { node, interface });
        }
    }
    ports
}
