//! Everything that must exist in the kernel for an experiment: the planner's output and the node
//! executor's input.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use netloom_scenario::{Endpoint, IpPrefix, Limits, MacAddress, NodeKind, Outside};
use serde::{Deserialize, Serialize};

use crate::route::RoutePlan;
use crate::routing::Network;

/// The whole network, every address and route decided.
#[derive(Debug)]
pub struct Plan {
    /// The nodes with a network stack (hosts and routers), in the order of the scenario.
    pub nodes: Vec<NodePlan>,
    /// Index of each node in `nodes`, by name.
    pub places: HashMap<String, usize>,
    /// The text of `/etc/hosts`, the same in every node. All node names resolve by it.
    pub hosts_file: String,
    /// Sets of interfaces that receive each other's frames: the ends of one link, or all interfaces
    /// that switches join in one VLAN.
    pub segments: Vec<Vec<Endpoint>>,
    /// The routes that follow from the topology.
    pub generated: GeneratedRoutes,
    /// Limits that nodes share.
    pub limits: SharedLimits,
    /// Ends of links outside.
    pub outside: Vec<OutsidePlan>,
}

/// An end of a link outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsidePlan {
    /// The end, as the link names it.
    pub end: Endpoint,
    /// Kind of the end.
    pub kind: Outside,
    /// Device of the machine: one to be made (`host`, `nat`, `tap`), to be taken over (`device`),
    /// or to get another device beside it (`macvlan`).
    pub device: String,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Ethernet address of the interface at the other end, if that belongs to a node. A device
    /// beside one of the machine receives frames only under its own address.
    pub peer_mac: Option<MacAddress>,
    /// The machine's addresses.
    pub addresses: Vec<IpPrefix>,
}

/// Limits for the sum of what several nodes use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedLimits {
    /// Limits of all nodes together.
    pub total: Limits,
    /// Limits of the nodes of each group, by the group's name; see [`NodePlan::limit_group`].
    pub groups: BTreeMap<String, Limits>,
}

/// The routes that follow from the topology. They are computed for one node when requested, because
/// all tables of a large network at once would need gigabytes. The default has no routes.
#[derive(Default)]
pub struct GeneratedRoutes {
    pub(crate) network: Option<Arc<Network>>,
    /// Indices of the plan's nodes in the network, if the plan is a part of it.
    places: Option<Vec<usize>>,
}

impl GeneratedRoutes {
    /// Creates the routes of all nodes of `network`.
    pub(crate) fn of(network: Network) -> Self {
        Self { network: Some(Arc::new(network)), places: None }
    }

    fn of_node(&self, node: usize) -> Option<Vec<RoutePlan>> {
        let place = self.places.as_ref().map_or(node, |places| places[node]);
        Some(self.network.as_ref()?.routes(place))
    }
}

impl Plan {
    /// Returns the routes of `nodes[node]`, without those that the kernel derives from addresses:
    /// the generated ones, in the order of their prefixes, and the node's own. May be called from
    /// several threads at once.
    pub fn routes(&self, node: usize) -> Vec<RoutePlan> {
        let mut routes = self.generated.of_node(node).unwrap_or_default();
        routes.extend(self.nodes[node].routes.iter().cloned());
        routes
    }

    /// Returns the plan of the nodes for which `is_in` returns `true`. They have the same addresses
    /// and routes as in the whole plan, and the names of all nodes.
    #[must_use]
    pub fn part(&self, is_in: impl Fn(&NodePlan) -> bool) -> Self {
        let all = 0..self.nodes.len();
        let kept: Vec<usize> = all.filter(|place| is_in(&self.nodes[*place])).collect();
        let nodes: Vec<NodePlan> = kept.iter().map(|place| self.nodes[*place].clone()).collect();
        let names = nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), place));
        Self {
            places: names.collect(),
            nodes,
            hosts_file: self.hosts_file.clone(),
            segments: self.segments.clone(),
            generated: GeneratedRoutes {
                network: self.generated.network.clone(),
                places: Some(kept),
            },
            limits: self.limits.clone(),
            outside: self.outside.clone(),
        }
    }

    /// The plan of the node called `name`.
    pub fn node(&self, name: &str) -> Option<&NodePlan> {
        self.nodes.get(*self.places.get(name)?)
    }
}

impl fmt::Debug for GeneratedRoutes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeneratedRoutes").finish_non_exhaustive()
    }
}

/// One network stack.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodePlan {
    /// The node's name.
    pub name: String,
    /// Kind: host or router.
    pub kind: NodeKind,
    /// Whether it forwards IPv4 and IPv6.
    pub forwarding: bool,
    /// Loopback addresses beside 127.0.0.1 and ::1 (host prefixes).
    pub loopback: Vec<IpPrefix>,
    /// Interfaces, in order.
    pub interfaces: Vec<InterfacePlan>,
    /// Routes that the scenario gives to the node. [`Plan::routes`] returns all routes.
    pub routes: Vec<RoutePlan>,
    /// Neighbours whose Ethernet addresses it knows from the start.
    #[serde(default)]
    pub neighbours: Vec<NeighbourPlan>,
    /// Kernel parameters, like `net.ipv4.ip_forward`.
    pub sysctls: BTreeMap<String, String>,
    /// Address that the node's name stands for, by family: that of the loopback, or otherwise of
    /// the first interface.
    pub primary: Vec<IpAddr>,
    /// The node's own kernel, if it has one. Its addresses, routes and parameters are there.
    #[serde(default)]
    pub own_kernel: Option<OwnKernel>,
    /// Limits of the machine's kernel on the node's processes.
    #[serde(default)]
    pub limits: Limits,
    /// The group with which it shares limits.
    #[serde(default)]
    pub limit_group: Option<String>,
}

/// A neighbour that a node knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeighbourPlan {
    /// The node's interface that leads to it.
    pub interface: String,
    /// Address of the neighbour.
    pub address: IpAddr,
    /// Its Ethernet address.
    pub mac: MacAddress,
}

/// A node's own user-mode kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnKernel {
    /// Total memory of the kernel, for itself and the node's programs, in bytes.
    pub memory: u64,
}

impl OwnKernel {
    /// Memory of a node whose scenario gives none, in bytes.
    pub const MEMORY: u64 = 128 << 20;
}

/// One interface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterfacePlan {
    /// Name in the node.
    pub name: String,
    /// Ethernet address.
    pub mac: MacAddress,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Addresses with their prefix length.
    pub addresses: Vec<IpPrefix>,
    /// The other end of its link, if the link is direct: the two are one pair of kernel devices.
    /// Otherwise the engine carries the link.
    #[serde(default)]
    pub direct_peer: Option<Endpoint>,
    /// Name of the shared medium to which it is connected.
    #[serde(default)]
    pub medium: Option<String>,
    /// Whether frames may come with unfinished checksums, and several as one.
    #[serde(default = "with_offloads")]
    pub offloads: bool,
}

fn with_offloads() -> bool {
    true
}
