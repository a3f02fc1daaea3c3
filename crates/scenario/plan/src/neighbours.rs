//! The neighbours whose Ethernet addresses nodes know from the start. The others resolve them, by
//! ARP and NDP, which takes frames that may be lost like any others.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

use netloom_scenario::{Endpoint, MacAddress, Neighbours};

use crate::model::{InterfacePlan, NeighbourPlan, NodePlan};

/// Most interfaces of a segment that know each other. The entries grow with the square.
const MOST: usize = 256;

/// Makes the nodes know their neighbours on these segments, where `wanted` says so.
pub(crate) fn introduce(nodes: &mut [NodePlan], segments: &[Vec<Endpoint>], wanted: Neighbours) {
    let is_on_medium = |node: &NodePlan| node.interfaces.iter().any(|one| one.medium.is_some());
    let needed = match wanted {
        Neighbours::Known => true,
        Neighbours::Auto => nodes.iter().any(is_on_medium),
        Neighbours::Resolved => false,
    };
    if !needed {
        return;
    }
    let mut places: HashMap<(&str, &str), (usize, usize)> = HashMap::new();
    for (node, plan) in nodes.iter().enumerate() {
        for (at, interface) in plan.interfaces.iter().enumerate() {
            places.insert((&plan.name, &interface.name), (node, at));
        }
    }
    let mut known: Vec<(usize, NeighbourPlan)> = Vec::new();
    for segment in segments {
        let here: Vec<(usize, &InterfacePlan)> = segment
            .iter()
            .filter_map(|end| places.get(&(&*end.node, &*end.interface)))
            .map(|(node, at)| (*node, &nodes[*node].interfaces[*at]))
            .collect();
        let know =
            |interface: &InterfacePlan| wanted == Neighbours::Known || interface.medium.is_some();
        if here.len() > MOST {
            continue;
        }
        for (node, interface) in here.iter().filter(|(_, interface)| know(interface)) {
            let others = here.iter().filter(|(_, other)| other.mac != interface.mac);
            let neighbours = others.flat_map(|(_, other)| addresses(other));
            known.extend(neighbours.map(|(address, mac)| {
                (*node, NeighbourPlan { interface: interface.name.clone(), address, mac })
            }));
        }
    }
    for (node, neighbour) in known {
        nodes[node].neighbours.push(neighbour);
    }
}

/// Returns the addresses of an interface with its Ethernet address, the link-local one last.
fn addresses(interface: &InterfacePlan) -> impl Iterator<Item = (IpAddr, MacAddress)> {
    let mac = interface.mac;
    let own: Vec<IpAddr> = interface.addresses.iter().map(|prefix| prefix.address()).collect();
    let has_v6 = own.iter().any(IpAddr::is_ipv6);
    let link_local = has_v6.then(|| link_local(mac));
    own.into_iter().chain(link_local).map(move |address| (address, mac))
}

/// Returns the link-local address of a MAC address (RFC 4291, appendix A).
fn link_local(mac: MacAddress) -> IpAddr {
    let [a, b, c, d, e, f] = mac.0;
    let interface = u64::from_be_bytes([a ^ 2, b, c, 0xff, 0xfe, d, e, f]);
    Ipv6Addr::from_bits((0xfe80 << 112) | u128::from(interface)).into()
}

#[cfg(test)]
mod tests {
    use crate::Plan;

    fn plan(neighbours: &str) -> Plan {
        let text = format!(
            "name: x\ntopology:\n  neighbours: {neighbours}\n  nodes:\n    \
               a: {{ position: [0m, 0m] }}\n    b: {{ position: [1m, 0m] }}\n    \
               c: {{ position: [2m, 0m], ipv6: none }}\n    d:\n  \
             links: [{{ endpoints: [c, d] }}]\n  \
             media: {{ air: {{ preset: 802.11b, members: [a, b, c] }} }}\n"
        );
        crate::plan(&netloom_scenario::load(&text).unwrap().scenario).unwrap()
    }

    /// The neighbours of a node, as interface and address.
    fn of(plan: &Plan, node: &str) -> Vec<String> {
        let known = plan.node(node).unwrap().neighbours.iter();
        known.map(|one| format!("{} {}", one.interface, one.address)).collect()
    }

    #[test]
    fn stations_know_each_other_and_others_where_wanted() {
        let auto = plan("auto");
        let (a, c) = (of(&auto, "a"), of(&auto, "c"));
        // Two of IPv4, and of `b` an address of IPv6 and the link-local one.
        assert_eq!(a.len(), 4, "{a:?}");
        assert_eq!(c.iter().filter(|one| one.contains("10.")).count(), 2, "{c:?}");
        assert!(of(&auto, "d").is_empty());
        let b = &auto.node("b").unwrap().interfaces[0];
        let known = &auto.node("a").unwrap().neighbours;
        let of_b = known.iter().filter(|one| one.mac == b.mac);
        assert_eq!(of_b.clone().count(), 3);
        assert!(of_b.clone().any(|one| one.address == b.addresses[0].address()));
        assert_eq!(of(&plan("known"), "d").len(), 1, "`c` has no IPv6");
        assert!(of(&plan("resolved"), "a").is_empty());
    }
}
