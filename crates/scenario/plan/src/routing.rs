//! Static routes: every node's table, from shortest paths over the segments.
//!
//! Routes lead to the subnets of all segments and the loopback addresses of all nodes. Every router
//! forwards, even if it runs a routing daemon or gets no routes from the planner. Hosts never
//! forward. A link that is down at the start, in either direction, is not used. In a network
//! without any router, each address has a route of its own, through the host that owns it.
//!
//! If all routes of a host lead to one gateway, they become a default route. All other tables are
//! compressed to the smallest table that forwards every address in the same way. So an address that
//! does not exist in the experiment is unreachable at the first router, and its packets never
//! travel in a circle.
//!
//! Tables are computed when requested, one node at a time: all tables of a large network at once
//! would need gigabytes.

mod beginnings;
mod compress;
mod destinations;
mod edge_set;
mod exit;
mod graph;
mod labels;
mod paths;
mod table;
mod trie;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use netloom_scenario::Node;

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::route::RoutePlan;
use crate::topology::Topology;

pub(crate) use edge_set::EdgeSet;
pub(crate) use exit::{Exit, Ties};
pub(crate) use graph::Graph;
pub(crate) use paths::{Metric, Paths, Roads};

use beginnings::Beginnings;
use destinations::{Owners, destinations};
use table::{FamilyTables, RouteOrigin};

const FAMILIES: [Family; 2] = [Family::V4, Family::V6];

/// The generated routes of all nodes, in a form from which the routes of one node are computed
/// quickly.
pub(crate) struct Network {
    graph: Graph,
    /// Whether every edge carries either both families or none. If so, one search serves both
    /// families.
    same_in_both_families: bool,
    families: [FamilyTables; 2],
    /// Owners of the destinations of both families.
    owners: Owners,
    /// The graph by each metric that a node minimizes, for each family.
    roads: Vec<(Metric, [Roads; 2])>,
    nodes: Vec<Station>,
}

/// A node with a network stack.
struct Station {
    source: RouteOrigin,
    metric: Option<Metric>,
    interfaces: Vec<Arc<str>>,
}

impl Network {
    /// Creates the network from `graph`, which must contain the next hops.
    pub fn new(topology: &Topology<'_>, addressing: &Addressing, graph: Graph, ties: Ties) -> Self {
        let scenario = topology.scenario;
        let stacks = (0..scenario.nodes.len()).filter(|index| !topology.is_segment(*index));
        let nodes: Vec<Station> =
            stacks.map(|index| Station::new(topology, addressing, index)).collect();
        let mut owners = Owners::default();
        let families = FAMILIES.map(|family| {
            let destinations = destinations(topology, addressing, family, &mut owners);
            FamilyTables::new(family, ties, destinations, nodes.iter().map(|node| &node.source))
        });
        let mut roads: Vec<(Metric, [Roads; 2])> = vec![];
        for metric in nodes.iter().filter_map(|node| node.metric) {
            if !roads.iter().any(|(known, _)| *known == metric) {
                let in_family = |family| Roads::new(&graph, metric, |edge| edge.carries(family));
                roads.push((metric, FAMILIES.map(in_family)));
            }
        }
        let same_in_both_families = graph.same_in_both_families();
        Self { graph, same_in_both_families, families, owners, roads, nodes }
    }

    /// Returns the generated routes of a node, by its index among those with a network stack.
    pub fn routes(&self, node: usize) -> Vec<RoutePlan> {
        let node = &self.nodes[node];
        let roads = self.roads.iter().find(|(metric, _)| Some(*metric) == node.metric);
        let Some((_, roads)) = roads else { return vec![] };
        let mut searched: Option<Rc<Beginnings>> = None;
        let mut routes = vec![];
        for (tables, roads) in self.families.iter().zip(roads) {
            let known = searched.take().filter(|_| self.same_in_both_families);
            let table = tables.table(&self.graph, &node.source, || {
                let search = || Rc::new(self.beginnings(roads, node));
                Rc::clone(searched.insert(known.unwrap_or_else(search)))
            });
            routes.extend(table.into_iter().map(|(to, exit)| node.route(to, exit)));
        }
        routes
    }

    /// The choice of its tables among equally short paths.
    pub fn ties(&self) -> Ties {
        self.families[0].ties
    }

    fn beginnings(&self, roads: &Roads, node: &Station) -> Beginnings {
        Beginnings::new(&roads.shortest_paths(node.source.index), &self.owners)
    }
}

/// Returns the routes that the scenario gives to a node.
pub(crate) fn own_routes(node: &Node) -> Vec<RoutePlan> {
    node.routes.iter().map(RoutePlan::from).collect()
}

#[cfg(test)]
impl Network {
    /// Returns the routes that the table of a node permits before it is compressed. For each
    /// destination, the table needs one of them.
    pub fn uncompressed(&self, node: usize) -> Vec<RoutePlan> {
        let node = &self.nodes[node];
        let roads = self.roads.iter().find(|(metric, _)| Some(*metric) == node.metric);
        let Some((_, roads)) = roads else { return vec![] };
        let tables = self.families.iter().zip(roads).flat_map(|(tables, roads)| {
            tables.uncompressed(&self.graph, &node.source, &self.beginnings(roads, node))
        });
        tables.map(|(to, exit)| node.route(to, exit)).collect()
    }
}

impl Station {
    fn new(topology: &Topology<'_>, addressing: &Addressing, index: usize) -> Self {
        let node = topology.node(index);
        Self {
            source: RouteOrigin::new(topology, addressing, index),
            metric: Metric::of(node),
            interfaces: node
                .interfaces
                .iter()
                .map(|interface| interface.name.as_str().into())
                .collect(),
        }
    }

    fn route(&self, to: Cidr, exit: Exit) -> RoutePlan {
        RoutePlan {
            to: to.prefix(),
            via: Some(exit.via),
            interface: Some(Arc::clone(&self.interfaces[exit.interface])),
            metric: None,
        }
    }
}
