//! Tables without compression, for comparison: a route for every prefix, and the same with the
//! halves of a prefix joined where they have the same next hop.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;

use netloom_plan::Plan;
use netloom_scenario::IpPrefix;

/// An IPv4 network: its first address and its length.
type Prefix = (u32, u8);

/// Returns every IPv4 prefix of the network: those of subnets and loopback addresses.
pub fn destinations(plan: &Plan) -> Vec<Prefix> {
    let all: BTreeSet<Prefix> = plan
        .nodes
        .iter()
        .flat_map(|node| node.interfaces.iter().flat_map(|i| &i.addresses).chain(&node.loopback))
        .filter_map(network)
        .collect();
    all.into_iter().collect()
}

/// Returns the next hop of a node's table for each of `destinations` that does not contain the node
/// itself.
pub fn reached(plan: &Plan, node: usize, destinations: &[Prefix]) -> Vec<(Prefix, IpAddr)> {
    let own = &plan.nodes[node];
    let connected: BTreeSet<Prefix> = own
        .interfaces
        .iter()
        .flat_map(|interface| &interface.addresses)
        .chain(&own.loopback)
        .filter_map(network)
        .collect();
    let routes: HashMap<Prefix, IpAddr> = plan
        .routes(node)
        .iter()
        .filter_map(|route| Some((network(&route.to)?, route.via?)))
        .collect();
    let longest_match = |(first, length): Prefix| {
        (0..=length).rev().find_map(|length| routes.get(&(first & mask(length), length)))
    };
    let others = destinations.iter().filter(|prefix| !connected.contains(prefix));
    others.filter_map(|prefix| Some((*prefix, *longest_match(*prefix)?))).collect()
}

/// Joins halves repeatedly. `routes` are in the order of their prefixes.
pub fn joined(routes: &[(Prefix, IpAddr)]) -> Vec<(Prefix, IpAddr)> {
    let mut joined: Vec<(Prefix, IpAddr)> = vec![];
    for route in routes {
        joined.push(*route);
        while let [.., ((a, a_length), a_via), ((b, b_length), b_via)] = joined[..] {
            let parent = b_length.saturating_sub(1);
            if a_length != b_length || a_via != b_via || a & mask(parent) != b & mask(parent) {
                break;
            }
            joined.truncate(joined.len() - 2);
            joined.push(((a & mask(parent), parent), a_via));
        }
    }
    joined
}

fn network(prefix: &IpPrefix) -> Option<Prefix> {
    match prefix {
        IpPrefix::V4(prefix) => {
            Some((prefix.address.to_bits() & mask(prefix.length), prefix.length))
        }
        IpPrefix::V6(_) => None,
    }
}

fn mask(length: u8) -> u32 {
    u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0)
}
