//! Subnets, interface addresses and loopback addresses.
//!
//! | what | IPv4 | IPv6 |
//! |---|---|---|
//! | segments | 10.0.0.0/9: a /30 for two interfaces, otherwise the next size with a quarter of it spare | fd00::/32, a /64 each, from fd00:0:0:1::/64 |
//! | loopbacks | 10.255.0.0/16, a /32 each, from 10.255.0.1 | fd00:ffff::/32, a /128 each, from fd00:ffff::1 |
//!
//! Networks are numbered in the order that `numbering` gives: segments for subnets, and nodes for
//! loopbacks. Within a segment, addresses follow the order of the interfaces. On a medium whose
//! `addressing` is `hosts`, each address is alone in its network: a /32, a /128. Automatic
//! addresses never lie in a fixed network of another segment. In the fixed network of its own
//! segment, the automatic interfaces get the lowest free addresses.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use netloom_scenario::{InterfaceIndex, IpPrefix, MediumAddressing};

use crate::PlanError;
use crate::cidr::{AddressSource, Cidr, Family};
use crate::numbering::Numbering;
use crate::pool::Pool;
use crate::topology::Topology;

/// Number of the first automatic network, by family: fd00:0:0:1::/64 reads better than fd00::/64.
const FIRST_NETWORK: [usize; 2] = [0, 1];
/// Number of the first automatic loopback address.
const FIRST_LOOPBACK: usize = 1;

/// Every address of the network.
pub(crate) struct Addressing {
    interfaces: HashMap<InterfaceIndex, Vec<Cidr>>,
    /// Loopback addresses by node index.
    loopbacks: Vec<Vec<Cidr>>,
    ports: Vec<usize>,
}

impl Addressing {
    /// Assigns subnets and loopback addresses in the order of `numbering`.
    pub fn new(topology: &Topology<'_>, numbering: &Numbering) -> Result<Self, PlanError> {
        let nodes = &topology.scenario.nodes;
        let mut addressing = Self {
            interfaces: HashMap::new(),
            loopbacks: vec![vec![]; nodes.len()],
            ports: nodes.iter().map(|node| node.interfaces.len()).collect(),
        };
        for family in [Family::V4, Family::V6] {
            let mut assigner = Assigner::new(topology, family);
            for segment in numbering.segments.numbered_from(FIRST_NETWORK[family as usize]) {
                assigner.segment(&topology.segments[segment])?;
            }
            for (port, addresses) in assigner.assigned {
                addressing.interfaces.entry(port).or_default().extend(addresses);
            }
            assign_loopbacks(topology, numbering, family, &mut addressing.loopbacks)?;
        }
        Ok(addressing)
    }

    /// The addresses of one interface, IPv4 first.
    pub fn interface(&self, node: usize, interface: usize) -> Vec<IpPrefix> {
        self.of_port(InterfaceIndex { node, interface }).iter().map(|cidr| cidr.prefix()).collect()
    }

    pub fn of_port(&self, port: InterfaceIndex) -> &[Cidr] {
        self.interfaces.get(&port).map_or(&[], Vec::as_slice)
    }

    pub fn loopback(&self, node: usize) -> Vec<IpPrefix> {
        self.loopbacks[node].iter().map(|cidr| cidr.prefix()).collect()
    }

    pub fn loopback_cidrs(&self, node: usize) -> &[Cidr] {
        &self.loopbacks[node]
    }

    /// The address that a node's name stands for in a family.
    pub fn primary(&self, family: Family, node: usize) -> Option<IpAddr> {
        let interfaces = (0..self.ports[node])
            .flat_map(|interface| self.of_port(InterfaceIndex { node, interface }));
        self.loopbacks[node]
            .iter()
            .chain(interfaces)
            .find(|cidr| cidr.family == family)
            .map(|cidr| cidr.address())
    }
}

/// Returns the interfaces on media whose `addressing` is `hosts`.
fn alone(topology: &Topology<'_>) -> HashSet<InterfaceIndex> {
    let is_alone = |name: &str| {
        let medium = topology.scenario.node(name).and_then(|node| node.medium.as_ref());
        medium.is_some_and(|medium| medium.addressing == MediumAddressing::Hosts)
    };
    let joining = topology.scenario.links.iter().filter(|link| is_alone(&link.endpoints[1].node));
    joining.filter_map(|link| topology.port(&link.endpoints[0])).collect()
}

fn range(family: Family, v4: &str, v6: &str) -> Cidr {
    let text = if family == Family::V4 { v4 } else { v6 };
    // Invariant: called with the constants of this file only.
    Cidr::from(text.parse::<IpPrefix>().expect("a constant prefix"))
}

fn assign_loopbacks(
    topology: &Topology<'_>,
    numbering: &Numbering,
    family: Family,
    loopbacks: &mut [Vec<Cidr>],
) -> Result<(), PlanError> {
    let range = range(family, "10.255.0.0/16", "fd00:ffff::/32");
    let mut pool = Pool::new(range, FIRST_LOOPBACK as u128, fixed(topology, family));
    // The last address of the IPv4 range looks like a broadcast address, so it is not used.
    let limit = range.last() - 1;
    for index in numbering.nodes.numbered_from(FIRST_LOOPBACK) {
        let node = topology.node(index);
        match family.loopback_source(node) {
            _ if topology.is_segment(index) => {}
            AddressSource::None => {}
            AddressSource::Fixed(addresses) => loopbacks[index].extend(addresses),
            AddressSource::Auto => {
                let cidr = pool.take(family.width()).filter(|cidr| cidr.bits <= limit);
                let exhausted = || PlanError::LoopbacksExhausted {
                    pool: range.prefix(),
                    node: node.name.clone(),
                };
                loopbacks[index].push(cidr.ok_or_else(exhausted)?);
            }
        }
    }
    Ok(())
}

/// Returns every fixed prefix of a family. Automatic blocks must not overlap with them.
fn fixed<'t>(topology: &'t Topology<'_>, family: Family) -> impl Iterator<Item = Cidr> + 't {
    let nodes = topology.scenario.nodes.iter();
    nodes.flat_map(move |node| {
        let interfaces = node.interfaces.iter().map(move |i| family.interface_source(i));
        interfaces.chain([family.loopback_source(node)]).flat_map(|source| match source {
            AddressSource::Fixed(prefixes) => prefixes,
            _ => vec![],
        })
    })
}

/// Assigns the interface addresses of one family, segment by segment.
struct Assigner<'t, 's> {
    topology: &'t Topology<'s>,
    family: Family,
    pool: Pool,
    /// Fixed addresses anywhere, and all addresses assigned so far.
    used: HashSet<u128>,
    /// Interfaces whose addresses are alone in their networks.
    alone: HashSet<InterfaceIndex>,
    assigned: Vec<(InterfaceIndex, Vec<Cidr>)>,
}

impl<'t, 's> Assigner<'t, 's> {
    fn new(topology: &'t Topology<'s>, family: Family) -> Self {
        let range = range(family, "10.0.0.0/9", "fd00::/32");
        let start =
            (FIRST_NETWORK[family as usize] as u128) << if family == Family::V4 { 2 } else { 64 };
        let used = fixed(topology, family).map(|cidr| cidr.bits).collect();
        let pool = Pool::new(range, start, fixed(topology, family));
        let alone = alone(topology);
        Self { topology, family, pool, used, alone, assigned: vec![] }
    }

    fn segment(&mut self, members: &[InterfaceIndex]) -> Result<(), PlanError> {
        let mut networks: Vec<Cidr> = vec![];
        let mut automatic = vec![];
        let alone = members.len() == 1;
        for port in members {
            let node = self.topology.node(port.node);
            match self.family.interface_source(&node.interfaces[port.interface]) {
                AddressSource::None => {}
                // There are only tagged frames on this interface: it has no neighbour, so it needs
                // no network.
                AddressSource::Auto if alone && !self.topology.subinterfaces(*port).is_empty() => {}
                AddressSource::Auto => automatic.push(*port),
                AddressSource::Fixed(addresses) => {
                    for address in &addresses {
                        if address.usable().is_some() && !networks.contains(&address.network()) {
                            networks.push(address.network());
                        }
                    }
                    self.assigned.push((*port, addresses));
                }
            }
        }
        if let (Some(port), true) = (automatic.first(), networks.is_empty()) {
            networks.push(self.network(members.len(), *port)?);
        }
        self.fill(&networks, &automatic)
    }

    /// Takes a new network for `interfaces` interfaces from the pool.
    fn network(&mut self, interfaces: usize, port: InterfaceIndex) -> Result<Cidr, PlanError> {
        let addresses = match (self.family, interfaces) {
            (Family::V6, _) => 1 << 64,
            (Family::V4, 0..=2) => 4,
            (Family::V4, n) => (n as u128 + n as u128 / 4 + 3).next_power_of_two(),
        };
        // `addresses` is a power of two of at most 64 bits, so this is its exponent.
        let bits = u8::try_from(addresses.trailing_zeros()).unwrap_or(u8::MAX);
        let length = self.family.width().saturating_sub(bits);
        self.pool.take(length).ok_or_else(|| PlanError::PoolExhausted {
            pool: self.pool.range().prefix(),
            addresses,
            endpoint: self.topology.endpoint(port),
        })
    }

    /// Assigns to each of `ports` the next free address of `networks`.
    fn fill(&mut self, networks: &[Cidr], ports: &[InterfaceIndex]) -> Result<(), PlanError> {
        let used = &mut self.used;
        let mut free = networks.iter().flat_map(|network| {
            // Invariant: only networks with usable addresses are in the list.
            let (first, last) = network.usable().expect("a network with room");
            (first..=last).map(|bits| Cidr { bits, ..*network })
        });
        for port in ports {
            let full = || PlanError::NetworkFull {
                endpoint: self.topology.endpoint(*port),
                network: networks[networks.len() - 1].prefix(),
            };
            let address = free.find(|cidr| used.insert(cidr.bits)).ok_or_else(full)?;
            let length =
                if self.alone.contains(port) { self.family.width() } else { address.length };
            self.assigned.push((*port, vec![Cidr { length, ..address }]));
        }
        Ok(())
    }
}
