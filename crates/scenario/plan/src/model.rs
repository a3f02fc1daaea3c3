//! What must exist in the kernel for an experiment, in full: the planner's output and the node
//! executor's input.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use netloom_scenario::{Endpoint, IpPrefix, Limits, MacAddress, NodeKind, Outside, Route};
use serde::{Deserialize, Serialize};

use crate::routing::Network;

/// The whole network, every address and route decided.
#[derive(Debug)]
pub struct Plan {
    /// The nodes with a network stack (hosts and routers), in the order of the scenario.
    pub nodes: Vec<NodePlan>,
    /// Where each of them is, by name.
    pub places: HashMap<String, usize>,
    /// The text of `/etc/hosts`, the same in every node: all node names resolve.
    pub hosts_file: String,
    /// Which interfaces hear each other: each set is what one link joins, or switches in one VLAN.
    pub segments: Vec<Vec<Endpoint>>,
    /// The routes that follow from the topology.
    pub generated: GeneratedRoutes,
    /// Limits that nodes have together.
    pub limits: SharedLimits,
    /// Ends of links outside.
    pub outside: Vec<OutsidePlan>,
}

/// An end of a link outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsidePlan {
    /// As the link names it.
    pub end: Endpoint,
    /// What it is.
    pub kind: Outside,
    /// The machine's device: to be made (`host`, `nat`, `tap`), to be taken (`device`), or to be
    /// beside (`macvlan`).
    pub device: String,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// The Ethernet address of the interface at the other end, if that is a node's: who is beside a
    /// device of the machine is heard under its own address only.
    pub peer_mac: Option<MacAddress>,
    /// The machine's addresses.
    pub addresses: Vec<IpPrefix>,
}

/// Limits for the sum of what several nodes use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SharedLimits {
    /// Of all nodes.
    pub total: Limits,
    /// Of the nodes of groups, by their names; see [`NodePlan::limit_group`].
    pub groups: BTreeMap<String, Limits>,
}

/// The routes that follow from the topology, computed for one node when asked for: all tables of a
/// large network at once would need gigabytes. Without any by default.
#[derive(Default)]
pub struct GeneratedRoutes {
    pub(crate) network: Option<Arc<Network>>,
    /// Which of the network's nodes those of the plan are, if they are a part of them.
    places: Option<Vec<usize>>,
}

impl GeneratedRoutes {
    /// Those of all nodes of `network`.
    pub(crate) fn of(network: Network) -> Self {
        Self { network: Some(Arc::new(network)), places: None }
    }

    fn of_node(&self, node: usize) -> Option<Vec<RoutePlan>> {
        let place = self.places.as_ref().map_or(node, |places| places[node]);
        Some(self.network.as_ref()?.routes(place))
    }
}

impl Plan {
    /// The routes of `nodes[node]`, beside those that the kernel makes from addresses: the
    /// generated ones, in the order of their prefixes, and its own. Can be called from several
    /// threads at once.
    pub fn routes(&self, node: usize) -> Vec<RoutePlan> {
        let mut routes = self.generated.of_node(node).unwrap_or_default();
        routes.extend(self.nodes[node].routes.iter().cloned());
        routes
    }

    /// The plan of those nodes of it for which `is_in` says so, with the addresses and routes that
    /// they have in the whole, and the names of all.
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
    /// Host or router.
    pub kind: NodeKind,
    /// Whether it forwards IPv4 and IPv6.
    pub forwarding: bool,
    /// Loopback addresses beside 127.0.0.1 and ::1 (host prefixes).
    pub loopback: Vec<IpPrefix>,
    /// Interfaces, in order.
    pub interfaces: Vec<InterfacePlan>,
    /// The routes that the scenario gives it; [`Plan::routes`] are all.
    pub routes: Vec<RoutePlan>,
    /// Kernel parameters, like `net.ipv4.ip_forward`.
    pub sysctls: BTreeMap<String, String>,
    /// The address by which the node's name is known, per family: the loopback's or else the first
    /// interface's.
    pub primary: Vec<IpAddr>,
    /// The kernel of its own, if it has one: its addresses, routes and parameters are there.
    #[serde(default)]
    pub own_kernel: Option<OwnKernel>,
    /// What its processes may use of the machine, by the machine's kernel.
    #[serde(default)]
    pub limits: Limits,
    /// The group with which it shares limits.
    #[serde(default)]
    pub limit_group: Option<String>,
}

/// A user-mode kernel of a node's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnKernel {
    /// All memory that it has, for itself and the node's programs, in bytes.
    pub memory: u64,
}

impl OwnKernel {
    /// The memory of a node whose scenario says nothing, in bytes.
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
    /// The other end of its link, if that is direct: the two are one pair of kernel devices. The
    /// engine carries the link otherwise.
    #[serde(default)]
    pub direct_peer: Option<Endpoint>,
    /// The shared medium that it is on.
    #[serde(default)]
    pub medium: Option<String>,
}

/// One route.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RoutePlan {
    /// Destination.
    pub to: IpPrefix,
    /// Next hop.
    pub via: Option<IpAddr>,
    /// Outgoing interface; always given where `via` is link-local or absent.
    pub interface: Option<Arc<str>>,
    /// Metric; the kernel's default if absent.
    pub metric: Option<u32>,
}

impl RoutePlan {
    /// The metric that Linux gives a route which says none.
    pub fn default_metric(to: IpPrefix) -> u32 {
        if matches!(to, IpPrefix::V6(_)) { 1024 } else { 0 }
    }

    /// The metric that the route has in the kernel.
    pub fn metric(&self) -> u32 {
        self.metric.unwrap_or_else(|| Self::default_metric(self.to))
    }
}

impl From<&Route> for RoutePlan {
    fn from(route: &Route) -> Self {
        Self {
            to: route.to.network(),
            via: route.via,
            interface: route.interface.as_deref().map(Into::into),
            metric: route.metric,
        }
    }
}
