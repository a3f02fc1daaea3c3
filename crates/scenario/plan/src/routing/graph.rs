//! The network as routing sees it: network stacks, and the ways between them over one segment.

use std::net::IpAddr;

use netloom_scenario::Port;

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::{Crossing, Topology};

use super::Exit;

/// A way from a node to a neighbour.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// The neighbour's node index.
    pub to: usize,
    /// Nanoseconds.
    pub delay: u64,
    pub cost: u64,
    /// Whether packets can take it, where there are addresses.
    pub up: bool,
    /// The interface it leaves by, and the neighbour's.
    interfaces: [usize; 2],
    /// The neighbour's address that is on-link for the node, per family.
    via: [Option<IpAddr>; 2],
}

impl Edge {
    /// Whether packets of `family` can take it.
    pub fn carries(&self, family: Family) -> bool {
        self.up && self.via(family).is_some()
    }

    /// Where packets of `family` go that take it.
    pub fn exit(&self, family: Family) -> Option<Exit> {
        Some(Exit { via: self.via(family)?, interface: self.interfaces[0] })
    }

    fn via(&self, family: Family) -> Option<IpAddr> {
        self.via[family as usize]
    }
}

pub(crate) struct Graph {
    /// By node index; of two ways to the same neighbour, the one of the earlier interface first,
    /// and neighbours by name.
    pub edges: Vec<Vec<Edge>>,
    pub forwards: Vec<bool>,
}

impl Graph {
    /// The graph without addresses: no edge carries anything yet.
    pub fn new(topology: &Topology<'_>) -> Self {
        let nodes = &topology.scenario.nodes;
        let mut edges = vec![vec![]; nodes.len()];
        for from in topology.segments.iter().flatten() {
            let crossings = topology.crossings(*from).into_iter().filter(|crossing| {
                let other = crossing.to.node;
                // Two hosts of a segment have no use for each other as next hops.
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

    /// Looks up the next hops of all edges.
    pub fn address(&mut self, addressing: &Addressing) {
        for (node, edges) in self.edges.iter_mut().enumerate() {
            for edge in edges {
                let [from, to] = edge.interfaces;
                let from = Port { node, interface: from };
                let to = Port { node: edge.to, interface: to };
                edge.via = [Family::V4, Family::V6].map(|f| next_hop(addressing, from, to, f));
            }
        }
    }

    /// Whether every edge carries either both families or none.
    pub fn same_in_both_families(&self) -> bool {
        let mut edges = self.edges.iter().flatten();
        edges.all(|edge: &Edge| edge.carries(Family::V4) == edge.carries(Family::V6))
    }

    /// The next hop that `node` has no alternative to, if so: among the usable ones, or where
    /// none is, because links are down, among all.
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

fn edge(from: Port, crossing: Crossing) -> Edge {
    Edge {
        to: crossing.to.node,
        delay: crossing.delay,
        cost: crossing.cost,
        up: crossing.up,
        interfaces: [from.interface, crossing.to.interface],
        via: [None, None],
    }
}

/// The first address of `to` that is in a network of `from`.
fn next_hop(addressing: &Addressing, from: Port, to: Port, family: Family) -> Option<IpAddr> {
    let on_link = |address: &&Cidr| {
        let own = addressing.of_port(from).iter().filter(|cidr| cidr.family == family);
        own.into_iter().any(|cidr| cidr.contains(address.bits))
    };
    let theirs = addressing.of_port(to).iter();
    theirs.filter(|cidr| cidr.family == family).find(on_link).map(|cidr| cidr.address())
}
