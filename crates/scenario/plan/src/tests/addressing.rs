//! The addresses and names that the planner assigns.

use std::collections::HashSet;
use std::net::Ipv4Addr;

use netloom_scenario::{Addresses, IpPrefix, LoopbackAddress, MacAddress};

use super::build::{fix4, network, node};
use crate::cidr::Cidr;
use crate::{NodePlan, Plan, plan};

fn shown(plan: &Plan, name: &str, interface: usize) -> Vec<String> {
    let addresses = &plan.node(name).unwrap().interfaces[interface].addresses;
    addresses.iter().map(ToString::to_string).collect()
}

fn loopback(node: &NodePlan) -> Vec<String> {
    node.loopback.iter().map(ToString::to_string).collect()
}

#[test]
fn a_link_is_a_small_subnet_of_both_families() {
    let plan = plan(&network(&[("h1", "r1", 1), ("r1", "h2", 1)])).unwrap();
    assert_eq!(shown(&plan, "h1", 0), ["10.0.0.1/30", "fd00:0:0:1::1/64"]);
    assert_eq!(shown(&plan, "r1", 0), ["10.0.0.2/30", "fd00:0:0:1::2/64"]);
    assert_eq!(shown(&plan, "r1", 1), ["10.0.0.5/30", "fd00:0:0:2::1/64"]);
    assert_eq!(loopback(plan.node("r1").unwrap()), ["10.255.0.1/32", "fd00:ffff::1/128"]);
    assert!(loopback(plan.node("h1").unwrap()).is_empty());
}

#[test]
fn switches_join_their_links_to_one_subnet() {
    let links = [("h1", "s1", 1), ("h2", "s1", 1), ("s1", "s2", 1), ("s2", "h3", 1)];
    let plan = plan(&network(&links)).unwrap();
    assert!(plan.node("s1").is_none());
    assert_eq!(shown(&plan, "h1", 0)[0], "10.0.0.1/29");
    assert_eq!(shown(&plan, "h2", 0)[0], "10.0.0.2/29");
    assert_eq!(shown(&plan, "h3", 0)[0], "10.0.0.3/29");
}

#[test]
fn the_automatic_end_gets_a_free_address_of_the_fixed_network() {
    let mut scenario = network(&[("h1", "r1", 1), ("r1", "h2", 1)]);
    fix4(&mut scenario, "h1", 0, "10.0.0.1/24");
    let plan = plan(&scenario).unwrap();
    assert_eq!(shown(&plan, "r1", 0)[0], "10.0.0.2/24");
    // Automatic subnets do not overlap with it.
    assert_eq!(shown(&plan, "r1", 1)[0], "10.0.1.1/30");
}

#[test]
fn two_address_networks_use_both_addresses() {
    let mut scenario = network(&[("r1", "r2", 1)]);
    fix4(&mut scenario, "r1", 0, "192.0.2.1/31");
    assert_eq!(shown(&plan(&scenario).unwrap(), "r2", 0)[0], "192.0.2.0/31");
}

#[test]
fn a_full_fixed_network_is_an_error_that_names_the_interface() {
    let mut scenario = network(&[("h1", "s1", 1), ("h2", "s1", 1), ("h3", "s1", 1)]);
    fix4(&mut scenario, "h1", 0, "192.0.2.1/30");
    let error = plan(&scenario).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no free address for `h3:eth1` in 192.0.2.0/30, the fixed network of its segment; \
         give it an address or use a shorter prefix length"
    );
}

/// The file may say that it is meant (`lint`), and nobody else gets it.
#[test]
fn the_same_address_twice_in_a_segment_stays_as_it_is_given() {
    let mut scenario = network(&[("h1", "r1", 1)]);
    fix4(&mut scenario, "h1", 0, "192.0.2.1/24");
    fix4(&mut scenario, "r1", 0, "192.0.2.1/24");
    let plan = plan(&scenario).unwrap();
    for node in ["h1", "r1"] {
        assert_eq!(shown(&plan, node, 0)[0], "192.0.2.1/24");
    }
}

#[test]
fn an_exhausted_range_is_an_error() {
    let mut scenario = network(&[("h1", "r1", 1), ("r1", "h2", 1)]);
    fix4(&mut scenario, "h1", 0, "10.0.0.1/8");
    let error = plan(&scenario).unwrap_err();
    assert!(error.to_string().starts_with("no room in 10.0.0.0/9 for another network of 4"));
}

#[test]
fn a_family_can_be_left_out() {
    let mut scenario = network(&[("h1", "r1", 1)]);
    for name in ["h1", "r1"] {
        node(&mut scenario, name).interfaces[0].ipv6 = Addresses::None;
    }
    node(&mut scenario, "r1").loopback.ipv6 = LoopbackAddress::None;
    let plan = plan(&scenario).unwrap();
    assert_eq!(shown(&plan, "h1", 0), ["10.0.0.1/30"]);
    assert_eq!(
        plan.node("r1").unwrap().primary,
        ["10.255.0.1".parse::<std::net::IpAddr>().unwrap()]
    );
}

#[test]
fn a_fixed_loopback_wins_and_is_not_given_out_again() {
    let mut scenario = network(&[("r1", "r2", 1)]);
    node(&mut scenario, "r2").loopback.ipv4 = LoopbackAddress::Fixed("10.255.0.1".parse().unwrap());
    let plan = plan(&scenario).unwrap();
    assert_eq!(loopback(plan.node("r1").unwrap())[0], "10.255.0.2/32");
    assert_eq!(loopback(plan.node("r2").unwrap())[0], "10.255.0.1/32");
}

#[test]
fn thousands_of_nodes_fit() {
    let names: Vec<String> = (0..4000).map(|n| format!("h{n}")).collect();
    let links: Vec<_> = names.iter().map(|name| (name.as_str(), "r1", 0)).collect();
    let plan = plan(&network(&links)).unwrap();
    assert_eq!(plan.nodes.len(), 4001);
    let networks: HashSet<IpPrefix> = plan
        .nodes
        .iter()
        .flat_map(|node| &node.interfaces[0].addresses)
        .map(|prefix| Cidr::from(*prefix).network().prefix())
        .collect();
    assert_eq!(networks.len(), 2 * 4000);
    let is_near = |prefix: &IpPrefix| match prefix {
        IpPrefix::V4(prefix) => prefix.address < Ipv4Addr::new(10, 0, 62, 128),
        IpPrefix::V6(prefix) => prefix.address.segments()[..3] == [0xfd00, 0, 0],
    };
    assert!(networks.iter().all(is_near), "numbers have gaps");
}

#[test]
fn macs_are_given_or_derived_locally_administered_and_distinct() {
    let mut scenario = network(&[("h1", "r1", 1), ("r1", "h2", 1)]);
    let before = plan(&scenario).unwrap();
    let derived = before.node("h2").unwrap().interfaces[0].mac;
    assert_eq!(derived.0[0], 2);
    // Another interface now has the address that was derived for h2.
    node(&mut scenario, "h1").interfaces[0].mac = Some(derived);
    let after = plan(&scenario).unwrap();
    assert_eq!(after.node("h1").unwrap().interfaces[0].mac, derived);
    let macs = |plan: &Plan| -> Vec<MacAddress> {
        plan.nodes.iter().flat_map(|node| &node.interfaces).map(|i| i.mac).collect()
    };
    assert_eq!(macs(&after).iter().collect::<HashSet<_>>().len(), 4);
    scenario.name = "other".into();
    assert!(macs(&plan(&scenario).unwrap())[1..].iter().all(|mac| !macs(&before).contains(mac)));
}

#[test]
fn the_hosts_file_gives_each_name_one_address_per_family() {
    let plan = plan(&network(&[("h1", "r1", 1), ("r1", "h2", 1)])).unwrap();
    assert_eq!(
        plan.hosts_file,
        "127.0.0.1 localhost\n::1 localhost ip6-localhost\n\
         10.0.0.1 h1\nfd00:0:0:1::1 h1\n10.255.0.1 r1\nfd00:ffff::1 r1\n\
         10.0.0.6 h2\nfd00:0:0:2::2 h2\n\
         10.0.0.2 eth1.r1\nfd00:0:0:1::2 eth1.r1\n\
         10.0.0.5 eth2.r1\nfd00:0:0:2::1 eth2.r1\n"
    );
}

#[test]
fn sysctls_follow_the_kind_and_the_node_has_the_last_word() {
    let mut scenario = network(&[("h1", "r1", 1)]);
    node(&mut scenario, "h1").sysctls.insert("net.ipv4.ip_forward".into(), "1".into());
    let plan = plan(&scenario).unwrap();
    let value = |name, key: &str| plan.node(name).unwrap().sysctls[key].clone();
    assert_eq!(value("r1", "net.ipv6.conf.all.forwarding"), "1");
    assert_eq!(value("h1", "net.ipv6.conf.all.forwarding"), "0");
    assert_eq!(value("h1", "net.ipv4.ip_forward"), "1");
    assert_eq!(value("h1", "net.ipv6.conf.default.accept_dad"), "0");
}
