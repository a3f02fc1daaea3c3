//! Static routes: every node's table, from shortest paths over the segments.
//!
//! What a route leads to: the subnets of all segments and the loopback addresses of all nodes.
//! Every router forwards, also one that runs a routing daemon or has no routes from us; hosts never
//! do. A link that is down at the start, in either direction, is not used. A network without any
//! router is reached address by address, through the hosts that own them.
//!
//! Where a host's routes all lead to one gateway they become a default route. A router's are joined
//! where two halves of a prefix go the same way, so that the table stays exact: an address that the
//! experiment does not have is unreachable at the first router, and never travels in a circle.

mod aggregate;
mod destinations;
mod graph;
mod paths;

use std::collections::BTreeSet;
use std::net::IpAddr;

use netloom_scenario::{Node, NodeKind, Port, Routing};

use crate::RoutePlan;
use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::Topology;

use aggregate::aggregate;
use destinations::{Destination, destinations};
use graph::Graph;
use paths::{Metric, Path};

/// The next hop of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Exit {
    via: IpAddr,
    /// Index among the node's interfaces.
    interface: usize,
}

/// The routes of every node, by node index (switches have none).
pub(crate) fn routes(topology: &Topology<'_>, addressing: &Addressing) -> Vec<Vec<RoutePlan>> {
    let graph = Graph::new(topology, addressing);
    let [v4, v6] =
        [Family::V4, Family::V6].map(|family| destinations(topology, addressing, family));
    let mut routes = Vec::with_capacity(topology.scenario.nodes.len());
    for (index, node) in topology.scenario.nodes.iter().enumerate() {
        let mut table = vec![];
        if let Some(metric) = Metric::of(node) {
            let mut paths = Paths { graph: &graph, source: index, metric, found: None };
            for (family, destinations) in [(Family::V4, &v4), (Family::V6, &v6)] {
                let source = Source { addressing, graph: &graph, index, node, family };
                table.extend(source.table(destinations, &mut paths));
            }
        }
        table.extend(own_routes(node));
        routes.push(table);
    }
    routes
}

/// One node's shortest paths, searched when first needed.
struct Paths<'a> {
    graph: &'a Graph,
    source: usize,
    metric: Metric,
    found: Option<(Family, Vec<Option<Path>>)>,
}

impl Paths<'_> {
    fn in_family(&mut self, family: Family) -> &[Option<Path>] {
        // Both families nearly always see the same graph: then one search serves both.
        let same = |searched| self.graph.same_in_both_families || searched == family;
        if !self.found.as_ref().is_some_and(|(searched, _)| same(*searched)) {
            let paths = self.graph.shortest_paths(self.source, self.metric, family);
            self.found = Some((family, paths));
        }
        self.found.as_ref().map_or(&[], |(_, paths)| paths)
    }
}

/// One node, looking at one family.
struct Source<'a> {
    addressing: &'a Addressing,
    graph: &'a Graph,
    index: usize,
    node: &'a Node,
    family: Family,
}

impl Source<'_> {
    /// Its generated routes: without those that its own routes replace.
    fn table(&self, destinations: &[Destination], paths: &mut Paths<'_>) -> Vec<RoutePlan> {
        let own: BTreeSet<Cidr> =
            self.node.routes.iter().map(|route| Cidr::from(route.to).network()).collect();
        let connected = self.connected();
        let mut found = match self.only_gateway() {
            Some(exit) => vec![(self.family.default_route(), exit)],
            None => self.nearest(destinations, &connected, paths.in_family(self.family)),
        };
        if let Some(exit) = self.only_exit(&found) {
            found = vec![(self.family.default_route(), exit)];
        }
        found.retain(|(prefix, _)| !own.contains(prefix));
        let keep_apart: BTreeSet<Cidr> = connected.union(&own).copied().collect();
        aggregate(found, &keep_apart).into_iter().map(|(to, exit)| self.route(to, exit)).collect()
    }

    /// The way to every destination that the node reaches and does not have itself.
    fn nearest(
        &self,
        destinations: &[Destination],
        connected: &BTreeSet<Cidr>,
        paths: &[Option<Path>],
    ) -> Vec<(Cidr, Exit)> {
        let remote = destinations.iter().filter(|destination| {
            !connected.contains(&destination.prefix) && !self.has(destination.prefix)
        });
        remote
            .filter_map(|destination| {
                let path = destination.owners.iter().filter_map(|owner| paths[*owner]).min()?;
                Some((destination.prefix, self.graph.exit(self.index, path, self.family)))
            })
            .collect()
    }

    /// The networks that the kernel routes by itself.
    fn connected(&self) -> BTreeSet<Cidr> {
        (0..self.node.interfaces.len())
            .flat_map(|interface| self.addressing.of_port(Port { node: self.index, interface }))
            .map(|cidr| cidr.network())
            .collect()
    }

    /// Whether the node itself has this (host) prefix.
    fn has(&self, prefix: Cidr) -> bool {
        self.addressing.loopback_cidrs(self.index).contains(&prefix)
    }

    /// The gateway of a host that has but one to choose from.
    fn only_gateway(&self) -> Option<Exit> {
        (self.node.kind == NodeKind::Host)
            .then(|| self.graph.only_gateway(self.index, self.family))
            .flatten()
    }

    /// The gateway by which a host reaches everything, though it has several.
    fn only_exit(&self, found: &[(Cidr, Exit)]) -> Option<Exit> {
        let (_, first) = found.first().filter(|_| self.node.kind == NodeKind::Host)?;
        found.iter().all(|(_, exit)| exit == first).then_some(*first)
    }

    fn route(&self, to: Cidr, exit: Exit) -> RoutePlan {
        RoutePlan {
            to: to.prefix(),
            via: Some(exit.via),
            interface: Some(self.node.interfaces[exit.interface].name.clone()),
            metric: None,
        }
    }
}

fn own_routes(node: &Node) -> impl Iterator<Item = RoutePlan> + '_ {
    node.routes.iter().map(|route| RoutePlan {
        to: Cidr::from(route.to).network().prefix(),
        via: route.via,
        interface: route.interface.clone(),
        metric: route.metric,
    })
}

impl Metric {
    /// What the node's shortest paths minimize; `None` where it gets no routes.
    fn of(node: &Node) -> Option<Self> {
        match (node.kind, node.routing) {
            (NodeKind::Switch, _) | (_, Routing::None | Routing::Daemon) => None,
            (_, Routing::Delay) => Some(Self::Delay),
            (_, Routing::Hops) => Some(Self::Hops),
            (_, Routing::Cost) => Some(Self::Cost),
        }
    }
}
