//! The network as routing sees it: network stacks, and the ways between them over one segment.

use std::net::IpAddr;

use netloom_scenario::Port;

use crate::addresses::Addressing;
use crate::cidr::Family;
use crate::topology::{Crossing, Topology};

use super::Exit;
use super::paths::Path;

/// A way from a node to a neighbour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    /// The neighbour's node index.
    pub to: usize,
    /// Nanoseconds.
    pub delay: u64,
    pub cost: u64,
    /// The interface it leaves by.
    out: usize,
    up: bool,
    /// The neighbour's address that is on-link for the node, per family.
    via: [Option<IpAddr>; 2],
}

impl Edge {
    /// Whether packets of `family` can take it.
    pub fn carries(&self, family: Family) -> bool {
        self.up && self.via(family).is_some()
    }

    fn via(&self, family: Family) -> Option<IpAddr> {
        self.via[family as usize]
    }
}

pub(super) struct Graph {
    /// By node index; of two ways to the same neighbour, the one of the earlier interface first,
    /// and neighbours by name.
    pub edges: Vec<Vec<Edge>>,
    pub forwards: Vec<bool>,
    /// Whether every edge carries either both families or none.
    pub same_in_both_families: bool,
}

impl Graph {
    pub fn new(topology: &Topology<'_>, addressing: &Addressing) -> Self {
        let nodes = &topology.scenario.nodes;
        let mut edges = vec![vec![]; nodes.len()];
        for from in topology.segments.iter().flatten() {
            let crossings = topology.crossings(*from).into_iter().filter(|crossing| {
                let other = crossing.to.node;
                // Two hosts of a segment have no use for each other as next hops.
                other != from.node && (topology.is_router(other) || topology.is_router(from.node))
            });
            edges[from.node].extend(crossings.map(|crossing| edge(*from, crossing, addressing)));
        }
        for edges in &mut edges {
            edges.sort_by_key(|edge| (&nodes[edge.to].name, edge.out));
        }
        let same_in_both_families = edges
            .iter()
            .flatten()
            .all(|edge: &Edge| edge.carries(Family::V4) == edge.carries(Family::V6));
        let forwards = (0..nodes.len()).map(|node| topology.is_router(node)).collect();
        Self { edges, forwards, same_in_both_families }
    }

    /// The next hop of a path from `node`.
    pub fn exit(&self, node: usize, path: Path, family: Family) -> Exit {
        let edge = &self.edges[node][path.first_edge];
        // Invariant: paths only take edges that carry the family.
        Exit { via: edge.via(family).expect("an edge that carries"), interface: edge.out }
    }

    /// The next hop that `node` has no alternative to, if so: among the usable ones, or where
    /// none is, because links are down, among all.
    pub fn only_gateway(&self, node: usize, family: Family) -> Option<Exit> {
        let only = |edges: &mut dyn Iterator<Item = &Edge>| {
            let mut exits = edges
                .filter_map(|edge| edge.via(family).map(|via| Exit { via, interface: edge.out }));
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

fn edge(from: Port, crossing: Crossing, addressing: &Addressing) -> Edge {
    let via = |family| {
        let on_link = |bits| {
            let own = addressing.of_port(from).iter().filter(|cidr| cidr.family == family);
            own.into_iter().any(|cidr| cidr.contains(bits))
        };
        let mut theirs = addressing.of_port(crossing.to).iter();
        theirs.find(|cidr| cidr.family == family && on_link(cidr.bits)).map(|cidr| cidr.address())
    };
    Edge {
        to: crossing.to.node,
        delay: crossing.delay,
        cost: crossing.cost,
        out: from.interface,
        up: crossing.up,
        via: [via(Family::V4), via(Family::V6)],
    }
}
