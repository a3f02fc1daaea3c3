//! Data that templates can refer to: the node, its interfaces, and the peers at the other end of
//! their links.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;
use std::sync::Arc;

use minijinja::Value;
use netloom_plan::{InterfacePlan, NodePlan, Plan};
use netloom_scenario::{Endpoint, IpPrefix, Ipv4Prefix, Link, NodeKind};
use serde::Serialize;

/// Protocols that each node speaks, and the text about each of them for its neighbours.
pub(crate) type Spoken<'a> = HashMap<&'a str, BTreeMap<String, String>>;

/// Data that a service can refer to, beside its options and programs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Surroundings {
    node: NodeFacts,
    interfaces: Vec<InterfaceFacts>,
    /// All nodes that speak a protocol, in the order of the scenario.
    nodes: Arc<Vec<NodeFacts>>,
}

impl Surroundings {
    /// Returns these surroundings with the `options` of a service at each interface.
    pub fn with_options(&self, options: impl Fn(&str) -> BTreeMap<String, Value>) -> Self {
        let mut filled = self.clone();
        for interface in &mut filled.interfaces {
            interface.options = options(&interface.name);
        }
        filled
    }
}

#[derive(Debug, Clone, Serialize)]
struct NodeFacts {
    name: String,
    kind: NodeKind,
    /// Router ID of 32 bits, written like an IPv4 address. It is an address of the node, if the
    /// node has one.
    router_id: Ipv4Addr,
    /// The router ID in the form of IS-IS: `0102.5500.0001`.
    system_id: String,
    /// Loopback addresses beside 127.0.0.1 and ::1, without prefix lengths.
    loopback4: Vec<String>,
    loopback6: Vec<String>,
    /// Protocols that the node speaks, like those of peers.
    speaks: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize)]
struct InterfaceFacts {
    name: String,
    mtu: u32,
    /// Whether the interface is on a shared medium, where not every station hears every other.
    medium: bool,
    /// Routing cost of the link in the direction away from the node. Absent if no link of the
    /// scenario has one.
    cost: Option<u32>,
    /// Addresses with their prefix lengths.
    ipv4: Vec<String>,
    ipv6: Vec<String>,
    /// All other interfaces on the link, or on the network that switches join.
    peers: Vec<PeerFacts>,
    /// Unused addresses of the link's prefix.
    free4: Option<Free>,
    /// Options of the service that is filled in, with this interface's own values.
    options: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Serialize)]
struct PeerFacts {
    node: String,
    interface: String,
    /// Addresses without prefix lengths.
    addresses4: Vec<String>,
    addresses6: Vec<String>,
    speaks: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Free {
    first: Ipv4Addr,
    last: Ipv4Addr,
    netmask: Ipv4Addr,
}

/// A plan, indexed by names.
pub(crate) struct Map<'a> {
    nodes: HashMap<&'a str, (usize, &'a NodePlan)>,
    segments: HashMap<&'a Endpoint, &'a [Endpoint]>,
    /// Routing costs of links by the end that sends; empty if all links have the default.
    costs: HashMap<&'a Endpoint, u32>,
    speakers: Arc<Vec<NodeFacts>>,
}

impl<'a> Map<'a> {
    pub fn new(plan: &'a Plan, links: &'a [Link], spoken: &Spoken<'_>) -> Self {
        let speaker = |(index, node): (usize, &NodePlan)| {
            let speaks = spoken.get(node.name.as_str())?.clone();
            Some(NodeFacts { speaks, ..facts(index, node) })
        };
        let speakers = plan.nodes.iter().enumerate().filter_map(speaker).collect();
        let nodes = plan.nodes.iter().enumerate();
        let segments = plan.segments.iter();
        Self {
            nodes: nodes.map(|(index, node)| (node.name.as_str(), (index, node))).collect(),
            segments: segments.flat_map(|all| all.iter().map(|end| (end, &all[..]))).collect(),
            costs: costs(links),
            speakers: Arc::new(speakers),
        }
    }

    /// Surroundings of the node `name`; `None` if it has no network stack.
    pub fn around(&self, name: &str, spoken: &Spoken<'_>) -> Option<Surroundings> {
        let (index, node) = *self.nodes.get(name)?;
        let interfaces = node.interfaces.iter().map(|i| self.interface(node, i, spoken));
        let speaks = spoken.get(name).cloned().unwrap_or_default();
        let node = NodeFacts { speaks, ..facts(index, node) };
        let nodes = Arc::clone(&self.speakers);
        Some(Surroundings { node, interfaces: interfaces.collect(), nodes })
    }

    fn interface(
        &self,
        node: &NodePlan,
        interface: &InterfacePlan,
        spoken: &Spoken<'_>,
    ) -> InterfaceFacts {
        let here = Endpoint { node: node.name.clone(), interface: interface.name.clone() };
        let segment = self.segments.get(&here).copied().unwrap_or_default();
        let peers = segment.iter().filter(|end| **end != here);
        let [ipv4, ipv6] = by_family(&interface.addresses, ToString::to_string);
        InterfaceFacts {
            name: interface.name.clone(),
            mtu: interface.mtu,
            medium: interface.medium.is_some(),
            cost: self.costs.get(&here).copied(),
            ipv4,
            ipv6,
            peers: peers.filter_map(|end| self.peer(end, spoken)).collect(),
            free4: self.free(interface, segment),
            options: BTreeMap::new(),
        }
    }

    fn peer(&self, end: &Endpoint, spoken: &Spoken<'_>) -> Option<PeerFacts> {
        let [addresses4, addresses6] = by_family(&self.at(end)?.addresses, address);
        Some(PeerFacts {
            node: end.node.clone(),
            interface: end.interface.clone(),
            addresses4,
            addresses6,
            speaks: spoken.get(end.node.as_str()).cloned().unwrap_or_default(),
        })
    }

    fn at(&self, end: &Endpoint) -> Option<&'a InterfacePlan> {
        let (_, node) = self.nodes.get(end.node.as_str())?;
        node.interfaces.iter().find(|interface| interface.name == end.interface)
    }

    /// The addresses above all used ones, without the broadcast address.
    fn free(&self, interface: &InterfacePlan, segment: &[Endpoint]) -> Option<Free> {
        let prefix = v4(&interface.addresses).next()?;
        let mask = u32::MAX.checked_shl(32 - u32::from(prefix.length)).unwrap_or(0);
        let network = prefix.address.to_bits() & mask;
        let everybody = segment.iter().filter_map(|end| self.at(end)).chain([interface]);
        let used = everybody.flat_map(|other| v4(&other.addresses)).map(|p| p.address.to_bits());
        let highest = used.filter(|address| address & mask == network).max()?;
        let (first, last) = (highest.checked_add(1)?, (network | !mask).checked_sub(1)?);
        (prefix.length < 31 && first <= last).then(|| Free {
            first: first.into(),
            last: last.into(),
            netmask: mask.into(),
        })
    }
}

/// Routing costs by the end that sends. If one link has a cost, all others have theirs, the default
/// of 1: a protocol would give them one of its own, which is on another scale.
fn costs(links: &[Link]) -> HashMap<&Endpoint, u32> {
    if links.iter().all(|link| link.costs == [1, 1]) {
        return HashMap::new();
    }
    links.iter().flat_map(|link| link.endpoints.iter().zip(link.costs)).collect()
}

fn facts(index: usize, node: &NodePlan) -> NodeFacts {
    let [loopback4, loopback6] = by_family(&node.loopback, address);
    let interfaces = node.interfaces.iter().flat_map(|interface| v4(&interface.addresses));
    let own = v4(&node.loopback).chain(interfaces).next().map(|prefix| prefix.address);
    // Any number serves that no other node has.
    let numbered = || Ipv4Addr::from_bits(u32::try_from(index + 1).unwrap_or(u32::MAX));
    let router_id = own.unwrap_or_else(numbered);
    NodeFacts {
        name: node.name.clone(),
        kind: node.kind,
        router_id,
        system_id: system_id(router_id),
        loopback4,
        loopback6,
        speaks: BTreeMap::new(),
    }
}

/// The usual form: twelve digits, in groups of four.
fn system_id(router_id: Ipv4Addr) -> String {
    let digits: String = router_id.octets().iter().map(|byte| format!("{byte:03}")).collect();
    format!("{}.{}.{}", &digits[..4], &digits[4..8], &digits[8..])
}

fn v4(prefixes: &[IpPrefix]) -> impl Iterator<Item = Ipv4Prefix> + '_ {
    prefixes.iter().filter_map(|prefix| match prefix {
        IpPrefix::V4(prefix) => Some(*prefix),
        IpPrefix::V6(_) => None,
    })
}

fn by_family(prefixes: &[IpPrefix], text: impl Fn(&IpPrefix) -> String) -> [Vec<String>; 2] {
    let (of_v4, of_v6): (Vec<&IpPrefix>, Vec<_>) =
        prefixes.iter().partition(|prefix| matches!(prefix, IpPrefix::V4(_)));
    [of_v4, of_v6].map(|family| family.into_iter().map(&text).collect())
}

fn address(prefix: &IpPrefix) -> String {
    match prefix {
        IpPrefix::V4(prefix) => prefix.address.to_string(),
        IpPrefix::V6(prefix) => prefix.address.to_string(),
    }
}
