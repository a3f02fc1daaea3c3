//! The graph for routing: network stacks, and the ways between them over one segment.

use std::net::IpAddr;

use netloom_scenario::InterfaceIndex;

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::{Crossing, Topology};

use super::Exit;

/// A way from a node to a neighbour.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// The neighbour's node index.
    pub to: usize,
    /// Delay in ns.
    pub delay: u64,
    pub cost: u64,
    /// Whether the way is up. Packets can take it if there are addresses, too.
    pub up: bool,
    /// Indices of the node's interface and of the neighbour's.
    interfaces: [usize; 2],
    /// Address of the neighbour that is on-link for the node, by family.
    via: [Option<IpAddr>; 2],
}

impl Edge {
    /// Whether packets of `family` can take this way.
    pub fn carries(&self, family: Family) -> bool {
        self.up && self.via(family).is_some()
    }

    /// Returns the next hop for packets of `family` that take this way.
    pub fn exit(&self, family: Family) -> Option<Exit> {
        Some(Exit { via: self.via(family)?, interface: self.interfaces[0] })
    }

    fn via(&self, family: Family) -> Option<IpAddr> {
        self.via[family as usize]
    }
}

pub(crate) struct Graph {
    /// Edges by node index, in the order of the neighbours' names. Of two ways to the same
    /// neighbour, the one by the earlier interface comes first.
    pub edges: Vec<Vec<Edge>>,
    pub forwards: Vec<bool>,
}

impl Graph {
    /// Creates the graph without addresses: no edge carries anything yet.
    pub fn new(topology: &Topology<'_>) -> Self {
        let nodes = &topology.scenario.nodes;
        let mut edges = vec![vec![]; nodes.len()];
        for from in topology.segments.iter().flatten() {
            let crossings = topology.crossings(*from).into_iter().filter(|crossing| {
                let other = crossing.to.node;
                // Two hosts of a segment do not need each other as next hops.
                other != from.node && (topology.is_router(other) || topology.is_router(from.node))
            });
            edges[from.node].extend(crossings.map(|crossing| edge(*from, crossing)));
        }
        for edges in &mut edges {
            edges.sort_by_key(|edge: &Edge| (&nodes[edge.to].name, edge.interfaces[0]));
        }
        let forwards = (0..nodes.len()).map(|node| topology.is_router(node)).collect();
        Self { edges, forwards }
    }

    /// Sets the next hops of all edges.
    pub fn address(&mut self, addressing: &Addressing) {
        for (node, edges) in self.edges.iter_mut().enumerate() {
            for edge in edges {
                let [from, to] = edge.interfaces;
                let from = InterfaceIndex { node, interface: from };
                let to = InterfaceIndex { node: edge.to, interface: to };
                edge.via = [Family::V4, Family::V6].map(|f| next_hop(addressing, from, to, f));
            }
        }
    }

    /// Whether every edge carries either both families or none.
    pub fn same_in_both_families(&self) -> bool {
        let mut edges = self.edges.iter().flatten();
        edges.all(|edge: &Edge| edge.carries(Family::V4) == edge.carries(Family::V6))
    }

    /// Returns the next hop of `node` if there is only one: among the usable ones, or among all if
    /// none is usable because links are down.
    pub fn only_gateway(&self, node: usize, family: Family) -> Option<Exit> {
        let only = |edges: &mut dyn Iterator<Item = &Edge>| {
            let mut exits = edges.filter_map(|edge| edge.exit(family));
            let first = exits.next()?;
            exits.all(|exit| exit == first).then_some(first)
        };
        let edges = &self.edges[node];
        match edges.iter().any(|edge| edge.carries(family)) {
            true => only(&mut edges.iter().filter(|edge| edge.carries(family))),
            false => only(&mut edges.iter()),
        }
    }
}

fn edge(from: InterfaceIndex, crossing: Crossing) -> Edge {
    Edge {
        to: crossing.to.node,
        delay: crossing.delay,
        cost: crossing.cost,
        up: crossing.up,
        interfaces: [from.interface, crossing.to.interface],
        via: [None, None],
    }
}

/// Returns the first address of `to` that is in a network of `from`.
fn next_hop(
    addressing: &Addressing,
    from: InterfaceIndex,
    to: InterfaceIndex,
    family: Family,
) -> Option<IpAddr> {
    let on_link = |address: &&Cidr| {
        let own = addressing.of_port(from).iter().filter(|cidr| cidr.family == family);
        own.into_iter().any(|cidr| cidr.contains(address.bits))
    };
    let theirs = addressing.of_port(to).iter();
    theirs.filter(|cidr| cidr.family == family).find(on_link).map(|cidr| cidr.address())
}
