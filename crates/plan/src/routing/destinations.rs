//! What routes lead to.

use std::collections::BTreeMap;

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::Topology;

/// A prefix, and the nodes from which its addresses are at most one segment away. The nearest one
/// is where packets go.
pub(super) struct Destination {
    pub prefix: Cidr,
    pub owners: Vec<usize>,
}

/// All destinations of one family, by prefix: the networks of the segments, owned by the routers in
/// them; the addresses of networks without routers, and the loopback addresses, owned by their
/// nodes.
pub(super) fn destinations(
    topology: &Topology<'_>,
    addressing: &Addressing,
    family: Family,
) -> Vec<Destination> {
    let mut owners: BTreeMap<Cidr, Vec<usize>> = BTreeMap::new();
    for segment in &topology.segments {
        let in_family: Vec<(usize, Cidr)> = segment
            .iter()
            .flat_map(|port| addressing.of_port(*port).iter().map(|cidr| (port.node, *cidr)))
            .filter(|(_, cidr)| cidr.family == family)
            .collect();
        let routed: Vec<Cidr> = in_family
            .iter()
            .filter(|(node, _)| topology.is_router(*node))
            .map(|(_, cidr)| cidr.network())
            .collect();
        for (node, cidr) in in_family {
            if topology.is_router(node) {
                owners.entry(cidr.network()).or_default().push(node);
            } else if !routed.iter().any(|network| network.contains(cidr.bits)) {
                owners.entry(family.host(cidr.bits)).or_default().push(node);
            }
        }
    }
    for node in 0..topology.scenario.nodes.len() {
        for cidr in addressing.loopback_cidrs(node) {
            if cidr.family == family {
                owners.entry(*cidr).or_default().push(node);
            }
        }
    }
    owners.into_iter().map(|(prefix, owners)| Destination { prefix, owners }).collect()
}
