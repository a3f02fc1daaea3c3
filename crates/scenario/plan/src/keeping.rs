//! Addresses that stay when a scenario changes under a running network. An interface keeps its
//! addresses as if the scenario had fixed them, so only new interfaces get new addresses. Not here:
//! the choice of new addresses.
//!
//! A segment keeps one automatic network. If segments were joined, the network of most interfaces
//! stays. If a segment was divided, the part with most of its interfaces keeps the network. If the
//! network has no room for all, the whole segment gets a new one.

use std::collections::{BTreeMap, HashMap, HashSet};

use netloom_scenario::{Addresses, InterfaceIndex, IpPrefix, LoopbackAddress, Node, Scenario};

use crate::cidr::{AddressSource, Cidr, Family};
use crate::topology::Topology;
use crate::{InterfacePlan, Plan, PlanError};

/// Returns `scenario` with the automatic addresses fixed that interfaces and nodes have in `plan`,
/// which is the plan of `before`. Their MAC addresses are fixed as well. Only addresses that both
/// scenarios leave to the planner are fixed; everything else is as in `scenario`.
///
/// # Errors
/// [`PlanError::UnknownEndpoint`] for a scenario that was not resolved properly.
pub fn keep_addresses(
    scenario: &Scenario,
    before: &Scenario,
    plan: &Plan,
) -> Result<Scenario, PlanError> {
    let topology = Topology::new(scenario)?;
    let known = Known::new(before, plan);
    let mut kept = scenario.clone();
    for family in [Family::V4, Family::V6] {
        for (port, address) in Keeper::new(&topology, &known, family).keep() {
            let interface = &mut kept.nodes[port.node].interfaces[port.interface];
            match address.prefix() {
                IpPrefix::V4(prefix) => interface.ipv4 = Addresses::Fixed(vec![prefix]),
                IpPrefix::V6(prefix) => interface.ipv6 = Addresses::Fixed(vec![prefix]),
            }
        }
    }
    for node in &mut kept.nodes {
        known.keep_loopbacks(node);
        known.keep_macs(node);
    }
    Ok(kept)
}

/// The existing network, by names.
struct Known<'a> {
    nodes: HashMap<&'a str, &'a Node>,
    interfaces: HashMap<(&'a str, &'a str), &'a InterfacePlan>,
    loopbacks: HashMap<&'a str, &'a [IpPrefix]>,
}

impl<'a> Known<'a> {
    fn new(before: &'a Scenario, plan: &'a Plan) -> Self {
        let named = |node: &'a Node| (node.name.as_str(), node);
        let interfaces = plan.nodes.iter().flat_map(|node| {
            let named = |interface: &'a InterfacePlan| {
                ((node.name.as_str(), interface.name.as_str()), interface)
            };
            node.interfaces.iter().map(named)
        });
        let loopbacks = plan.nodes.iter().map(|node| (node.name.as_str(), &node.loopback[..]));
        Self {
            nodes: before.nodes.iter().map(named).collect(),
            interfaces: interfaces.collect(),
            loopbacks: loopbacks.collect(),
        }
    }

    /// Returns the automatic address of an interface.
    fn address(&self, family: Family, node: &str, interface: &str) -> Option<Cidr> {
        let mut interfaces = self.nodes.get(node)?.interfaces.iter();
        let before = interfaces.find(|before| before.name == interface)?;
        if family.interface_source(before) != AddressSource::Auto {
            return None;
        }
        let planned = self.interfaces.get(&(node, interface))?;
        let mut addresses = planned.addresses.iter().map(|prefix| Cidr::from(*prefix));
        addresses.find(|address| address.family == family)
    }

    fn keep_loopbacks(&self, node: &mut Node) {
        let name = node.name.as_str();
        let Some(before) = self.nodes.get(name).filter(|before| before.kind == node.kind) else {
            return;
        };
        for prefix in self.loopbacks.get(name).copied().unwrap_or_default() {
            let loopback = &mut node.loopback;
            let was = &before.loopback;
            match prefix {
                IpPrefix::V4(prefix)
                    if loopback.ipv4 == LoopbackAddress::Auto && was.ipv4 == loopback.ipv4 =>
                {
                    loopback.ipv4 = LoopbackAddress::Fixed(prefix.address);
                }
                IpPrefix::V6(prefix)
                    if loopback.ipv6 == LoopbackAddress::Auto && was.ipv6 == loopback.ipv6 =>
                {
                    loopback.ipv6 = LoopbackAddress::Fixed(prefix.address);
                }
                _ => {}
            }
        }
    }

    /// Fixes derived MAC addresses, because these depend on the other addresses, if only rarely.
    fn keep_macs(&self, node: &mut Node) {
        let before = self.nodes.get(node.name.as_str());
        for interface in &mut node.interfaces {
            let mut known = before.into_iter().flat_map(|before| &before.interfaces);
            let is_derived = known.any(|old| old.name == interface.name && old.mac.is_none());
            let planned = self.interfaces.get(&(node.name.as_str(), interface.name.as_str()));
            if interface.mac.is_none() && interface.subinterface.is_none() && is_derived {
                interface.mac = planned.map(|planned| planned.mac);
            }
        }
    }
}

/// Finds the interfaces that keep their addresses in one family.
struct Keeper<'t, 's, 'k> {
    topology: &'t Topology<'s>,
    known: &'t Known<'k>,
    family: Family,
    /// Networks that are already kept by a segment.
    taken: HashSet<Cidr>,
}

/// A segment, with those of its interfaces that have automatic addresses, by network.
struct Candidates<'t> {
    members: &'t [InterfaceIndex],
    networks: BTreeMap<Cidr, Vec<(InterfaceIndex, Cidr)>>,
}

impl<'t, 's, 'k> Keeper<'t, 's, 'k> {
    fn new(topology: &'t Topology<'s>, known: &'t Known<'k>, family: Family) -> Self {
        Self { topology, known, family, taken: HashSet::new() }
    }

    fn keep(mut self) -> Vec<(InterfaceIndex, Cidr)> {
        let topology = self.topology;
        let mut segments: Vec<Candidates<'t>> =
            topology.segments.iter().map(|members| self.candidates(members)).collect();
        // The sort is stable, so of equal segments the first one comes first.
        segments.sort_by_key(|segment| {
            std::cmp::Reverse(segment.networks.values().map(Vec::len).max().unwrap_or(0))
        });
        segments.into_iter().flat_map(|segment| self.of_segment(segment)).collect()
    }

    fn source(&self, port: InterfaceIndex) -> AddressSource {
        self.family.interface_source(&self.topology.node(port.node).interfaces[port.interface])
    }

    fn candidates(&self, members: &'t [InterfaceIndex]) -> Candidates<'t> {
        let mut networks: BTreeMap<Cidr, Vec<(InterfaceIndex, Cidr)>> = BTreeMap::new();
        for port in members.iter().filter(|port| self.source(**port) == AddressSource::Auto) {
            let end = self.topology.endpoint(*port);
            if let Some(address) = self.known.address(self.family, &end.node, &end.interface) {
                networks.entry(address.network()).or_default().push((*port, address));
            }
        }
        Candidates { members, networks }
    }

    fn of_segment(&mut self, segment: Candidates<'t>) -> Vec<(InterfaceIndex, Cidr)> {
        let mut given: Vec<Cidr> = vec![];
        let mut automatic = 0;
        for port in segment.members {
            match self.source(*port) {
                AddressSource::Auto => automatic += 1,
                AddressSource::None => {}
                AddressSource::Fixed(addresses) => given.extend(addresses),
            }
        }
        let networks: HashSet<Cidr> = given.iter().map(|address| address.network()).collect();
        let is_open = |network: &Cidr| match networks.is_empty() {
            true => !self.taken.contains(network),
            false => networks.contains(network),
        };
        let mut kept: Vec<(Cidr, Vec<(InterfaceIndex, Cidr)>)> =
            segment.networks.into_iter().filter(|(network, _)| is_open(network)).collect();
        if networks.is_empty() {
            // Of equal networks, the first one is kept.
            kept.sort_by_key(|(_, ports)| std::cmp::Reverse(ports.len()));
            kept.truncate(1);
            let room = |network: Cidr| network.usable().map_or(0, |(first, last)| last - first + 1);
            kept.retain(|(network, _)| room(*network) >= automatic);
        }
        let is_given = |address: &Cidr| given.iter().any(|given| given.bits == address.bits);
        self.taken.extend(kept.iter().map(|(network, _)| *network));
        let ports = kept.into_iter().flat_map(|(_, ports)| ports);
        ports.filter(|(_, address)| !is_given(address)).collect()
    }
}
