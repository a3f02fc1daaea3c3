//! The order in which subnets and loopback addresses are assigned.
//!
//! Small networks are numbered in the order of their file, which people can follow. In larger ones,
//! destinations that most nodes reach by the same next hop get neighbouring numbers, so one route
//! serves many of them. As a sample, the next hops of a few routers are computed, and a tournament
//! ([`tournament`]) pairs the destinations that these routers treat alike. The idea is from Duerig,
//! Ricci, Byers and Lepreau 2006, "Automatic IP Address Assignment on Network Topologies"
//! (University of Utah, FTN-2006-02).
//!
//! Not here: the addresses themselves (`addresses`).

mod order;
mod rank;
mod tournament;

use std::cmp::Reverse;

use crate::cidr::{AddressSource, Family};
use crate::routing::{EdgeSet, Graph, Metric, Paths, Roads, Ties};
use crate::topology::Topology;

pub(crate) use order::{Numbering, Order};
use rank::rank;
use tournament::{Item, tournament};

/// Largest number of segments that are numbered in the order of the file: 10.0.0.0 to 10.0.3.255
/// for links.
const SEGMENTS_IN_FILE_ORDER: usize = 256;
/// Number of nodes whose next hops are computed.
const SAMPLE: usize = 64;
/// Label of everything that a node does not reach. Labels of edges are below it.
const UNREACHED: usize = 63;

impl Numbering {
    pub fn new(topology: &Topology<'_>, graph: &Graph) -> Self {
        if topology.segments.len() <= SEGMENTS_IN_FILE_ORDER {
            Self::in_file_order(topology)
        } else {
            Self::by_topology(topology, graph)
        }
    }

    pub fn in_file_order(topology: &Topology<'_>) -> Self {
        Self {
            segments: Order::of_file(topology.segments.len()),
            nodes: Order::of_file(topology.scenario.nodes.len()),
            ties: Ties::ByName,
        }
    }

    pub fn by_topology(topology: &Topology<'_>, graph: &Graph) -> Self {
        let survey = Survey::new(topology, graph);
        Self { segments: survey.segments(), nodes: survey.nodes(), ties: Ties::BySize }
    }
}

/// The results of the sample, and an order that keeps neighbouring nodes together.
struct Survey<'a> {
    topology: &'a Topology<'a>,
    graph: &'a Graph,
    /// Position of each node in a walk through the network.
    rank: Vec<usize>,
    /// The nodes of the sample, with their shortest paths.
    sample: Vec<(usize, Paths)>,
}

impl<'a> Survey<'a> {
    fn new(topology: &'a Topology<'a>, graph: &'a Graph) -> Self {
        let rank = rank(graph);
        let metric = |node: usize| Metric::of(topology.node(node));
        // A node with only one neighbour treats everything alike, so it is not in the sample.
        let mut tables: Vec<usize> = (0..rank.len())
            .filter(|node| metric(*node).is_some() && graph.edges[*node].len() > 1)
            .collect();
        tables.sort_by_key(|node| rank[*node]);
        let mut roads: Vec<(Metric, Roads)> = vec![];
        let mut sample = vec![];
        for number in 0..SAMPLE.min(tables.len()) {
            let node = tables[number * tables.len() / SAMPLE.min(tables.len())];
            let Some(metric) = metric(node) else { continue };
            if !roads.iter().any(|(known, _)| *known == metric) {
                roads.push((metric, Roads::new(graph, metric, |edge| edge.up)));
            }
            let known = roads.iter().find(|(known, _)| *known == metric);
            sample.extend(known.map(|(_, roads)| (node, roads.shortest_paths(node))));
        }
        Self { topology, graph, rank, sample }
    }

    fn segments(&self) -> Order {
        let owners = |segment: &usize| {
            let members = self.topology.segments[*segment].iter().map(|port| port.node);
            let routers: Vec<usize> =
                members.clone().filter(|node| self.topology.is_router(*node)).collect();
            if routers.is_empty() { members.collect() } else { routers }
        };
        let mut segments: Vec<(usize, Vec<usize>)> =
            (0..self.topology.segments.len()).map(|segment| (segment, owners(&segment))).collect();
        segments.sort_by_cached_key(|(segment, owners)| {
            let mut ranks: Vec<usize> = owners.iter().map(|owner| self.rank[*owner]).collect();
            ranks.sort_unstable_by_key(|rank| Reverse(*rank));
            (ranks, *segment)
        });
        // The segments of one node are neighbours.
        let mut circles: Vec<Vec<u32>> = vec![vec![]; self.rank.len()];
        for (item, (_, owners)) in (0..).zip(&segments) {
            owners.iter().for_each(|owner| circles[*owner].push(item));
        }
        let items = segments.iter().map(|(_, owners)| self.item(owners)).collect();
        let order = tournament(items, &circles);
        Order { indices: order.into_iter().map(|item| segments[item].0).collect(), aligned: true }
    }

    fn nodes(&self) -> Order {
        let automatic = |node: &usize| {
            let source = |family: Family| family.loopback_source(self.topology.node(*node));
            !self.topology.is_segment(*node)
                && [Family::V4, Family::V6]
                    .into_iter()
                    .any(|family| source(family) == AddressSource::Auto)
        };
        let (mut nodes, others): (Vec<usize>, Vec<usize>) =
            (0..self.rank.len()).partition(automatic);
        nodes.sort_by_key(|node| self.rank[*node]);
        // A node and the nodes next to it are neighbours.
        let mut circles: Vec<Vec<u32>> = vec![vec![]; self.rank.len()];
        for (item, node) in (0..).zip(&nodes) {
            let next = self.graph.edges[*node].iter().map(|edge| edge.to);
            next.chain([*node]).for_each(|around| circles[around].push(item));
        }
        let items = nodes.iter().map(|node| self.item(&[*node])).collect();
        let order = tournament(items, &circles).into_iter().map(|item| nodes[item]);
        Order { indices: order.chain(others).collect(), aligned: true }
    }

    /// Returns the edges by which each node of the sample may reach the nearest of `owners`.
    fn item(&self, owners: &[usize]) -> Item {
        let mut edges = EdgeSet::default();
        let labels = |(node, paths): &(usize, Paths)| {
            if owners.contains(node) {
                return u64::MAX;
            }
            paths.first_edges(owners, &mut edges);
            let set = edges.iter().fold(0, |set, edge| set | 1 << (edge % UNREACHED));
            if set == 0 { 1 << UNREACHED } else { set }
        };
        self.sample.iter().map(labels).collect()
    }
}
