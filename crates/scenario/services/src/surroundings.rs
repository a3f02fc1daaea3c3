//! What templates can speak of: the node, its interfaces, and who is at the other end of their
//! links.

use std::collections::{BTreeMap, HashMap};
use std::net::Ipv4Addr;

use netloom_plan::{InterfacePlan, NodePlan, Plan};
use netloom_scenario::{Endpoint, IpPrefix, Ipv4Prefix, NodeKind};
use serde::Serialize;

/// What is spoken in each node: protocols, and what neighbours are to know of each.
pub(crate) type Spoken<'a> = HashMap<&'a str, BTreeMap<String, String>>;

/// What a service can speak of beside its options and programs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Surroundings {
    node: NodeFacts,
    interfaces: Vec<InterfaceFacts>,
}

#[derive(Debug, Clone, Serialize)]
struct NodeFacts {
    name: String,
    kind: NodeKind,
    /// 32 bits, written like an IPv4 address: the node's own, if it has one.
    router_id: Ipv4Addr,
    /// The same for IS-IS, in its own way: `0102.5500.0001`.
    system_id: String,
    /// Loopback addresses beside 127.0.0.1 and ::1, without prefix lengths.
    loopback4: Vec<String>,
    loopback6: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
struct InterfaceFacts {
    name: String,
    mtu: u32,
    /// Whether it is on a shared medium, where not everybody hears everybody.
    medium: bool,
    /// Addresses with their prefix lengths.
    ipv4: Vec<String>,
    ipv6: Vec<String>,
    /// Everybody else on the link, or on what switches join.
    peers: Vec<PeerFacts>,
    /// Addresses of the link's prefix that nobody has.
    free4: Option<Free>,
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

/// A plan, by names.
pub(crate) struct Map<'a> {
    nodes: HashMap<&'a str, (usize, &'a NodePlan)>,
    segments: HashMap<&'a Endpoint, &'a [Endpoint]>,
}

impl<'a> Map<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let nodes = plan.nodes.iter().enumerate();
        let segments = plan.segments.iter();
        Self {
            nodes: nodes.map(|(index, node)| (node.name.as_str(), (index, node))).collect(),
            segments: segments.flat_map(|all| all.iter().map(|end| (end, &all[..]))).collect(),
        }
    }

    /// What surrounds the node called `name`; `None` if it has no network stack.
    pub fn around(&self, name: &str, spoken: &Spoken<'_>) -> Option<Surroundings> {
        let (index, node) = *self.nodes.get(name)?;
        let interfaces = node.interfaces.iter().map(|i| self.interface(node, i, spoken));
        Some(Surroundings { node: facts(index, node), interfaces: interfaces.collect() })
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
            ipv4,
            ipv6,
            peers: peers.filter_map(|end| self.peer(end, spoken)).collect(),
            free4: self.free(interface, segment),
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

    /// The addresses above all that are in use, but for the broadcast address.
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

fn facts(index: usize, node: &NodePlan) -> NodeFacts {
    let [loopback4, loopback6] = by_family(&node.loopback, address);
    let interfaces = node.interfaces.iter().flat_map(|interface| v4(&interface.addresses));
    let own = v4(&node.loopback).chain(interfaces).next().map(|prefix| prefix.address);
    // Any number will do that no other node has.
    let numbered = || Ipv4Addr::from_bits(u32::try_from(index + 1).unwrap_or(u32::MAX));
    let router_id = own.unwrap_or_else(numbered);
    NodeFacts {
        name: node.name.clone(),
        kind: node.kind,
        router_id,
        system_id: system_id(router_id),
        loopback4,
        loopback6,
    }
}

/// The usual way to make one: twelve digits, in fours.
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
