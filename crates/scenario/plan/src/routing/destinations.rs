//! What routes lead to.

use std::collections::{BTreeMap, HashMap};

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::Topology;

/// A prefix, and the nodes from which its addresses are at most one segment away. The nearest one
/// is where packets go.
pub(super) struct Destination {
    pub prefix: Cidr,
    /// Which of [`Owners`].
    pub owners: usize,
}

/// Sets of nodes that own destinations, each once: most own destinations of both families.
#[derive(Default)]
pub(super) struct Owners {
    numbers: HashMap<Vec<usize>, usize>,
    /// All sets, one after the other.
    nodes: Vec<usize>,
    /// By number: where a set ends.
    ends: Vec<usize>,
}

impl Owners {
    /// The number of a set of nodes, in the order in which they are found.
    fn number(&mut self, nodes: Vec<usize>) -> usize {
        *self.numbers.entry(nodes).or_insert_with_key(|nodes| {
            self.nodes.extend(nodes);
            self.ends.push(self.nodes.len());
            self.ends.len() - 1
        })
    }

    /// By number.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.nodes[*start..*end])
    }
}

/// All destinations of one family, by prefix: the networks of the segments, owned by the routers in
/// them; the addresses of networks without routers, and the loopback addresses, owned by their
/// nodes.
pub(super) fn destinations(
    topology: &Topology<'_>,
    addressing: &Addressing,
    family: Family,
    all_owners: &mut Owners,
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
    let destination = |(prefix, owners)| Destination { prefix, owners: all_owners.number(owners) };
    owners.into_iter().map(destination).collect()
}
