//! The destinations of routes.

use std::collections::{BTreeMap, HashMap};

use crate::addresses::Addressing;
use crate::cidr::{Cidr, Family};
use crate::topology::Topology;

/// A prefix, and the nodes from which its addresses are at most one segment away. Packets go to the
/// nearest of these nodes.
pub(super) struct Destination {
    pub prefix: Cidr,
    /// Index in [`Owners`].
    pub owners: usize,
}

/// Distinct sets of nodes that own destinations. Most sets own destinations of both families.
#[derive(Default)]
pub(super) struct Owners {
    numbers: HashMap<Vec<usize>, usize>,
    /// The nodes of all sets, one set after the other.
    nodes: Vec<usize>,
    /// End of each set in `nodes`.
    ends: Vec<usize>,
}

impl Owners {
    /// Returns the number of a set of nodes. Sets are numbered in the order in which they are
    /// found.
    fn number(&mut self, nodes: Vec<usize>) -> usize {
        *self.numbers.entry(nodes).or_insert_with_key(|nodes| {
            self.nodes.extend(nodes);
            self.ends.push(self.nodes.len());
            self.ends.len() - 1
        })
    }

    /// Returns the sets in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.nodes[*start..*end])
    }
}

/// Returns all destinations of one family, in the order of prefixes. The networks of segments are
/// owned by the routers in them. The addresses of networks without routers, and the loopback
/// addresses, are owned by their nodes.
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
