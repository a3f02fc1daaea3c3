//! The first step of packets.

use std::net::IpAddr;

use netloom_scenario::Routing;

use super::build::{network, node};
use crate::{Plan, plan};

/// Returns the interface by which a packet leaves a node, and the node and interface at which it
/// arrives.
fn way(plan: &Plan, from: &str, to: IpAddr) -> Option<(String, String)> {
    let way = plan.way(from, to)?;
    let mut next = plan
        .nodes
        .iter()
        .flat_map(|node| node.interfaces.iter().map(move |interface| (&node.name, interface)));
    let (node, interface) = next.find(|(_, interface)| interface.mac == way.next)?;
    Some((way.interface.name.clone(), format!("{node}:{}", interface.name)))
}

#[test]
fn packets_leave_by_their_route_to_the_next_hop() {
    let links =
        [("h1", "r1", 1), ("r1", "r2", 1), ("r2", "h2", 1), ("h1", "s1", 1), ("s1", "h3", 1)];
    let mut scenario = network(&links);
    let first = plan(&scenario).unwrap();
    let both = |node: &str| first.node(node).unwrap().primary.clone();
    let is = |eth: &str, next: &str| Some((eth.to_string(), next.to_string()));
    for (from, to, expected) in [
        ("h1", "h2", is("eth1", "r1:eth1")),
        ("r1", "h2", is("eth2", "r2:eth1")),
        ("r2", "h2", is("eth2", "h2:eth1")),
        ("h2", "r1", is("eth1", "r2:eth2")),
        ("h1", "h3", is("eth2", "h3:eth1")),
    ] {
        assert_eq!(both(to).len(), 2, "IPv4 and IPv6");
        for address in both(to) {
            assert_eq!(way(&first, from, address), expected, "{from} to {to}, {address}");
        }
    }
    assert_eq!(way(&first, "r1", "192.0.2.1".parse().unwrap()), None);
    assert_eq!(way(&first, "nobody", both("h2")[0]), None);
    node(&mut scenario, "r1").routing = Routing::Daemon;
    let other = plan(&scenario).unwrap();
    assert_eq!(way(&other, "r1", both("h2")[0]), None, "only the daemon knows");
}
