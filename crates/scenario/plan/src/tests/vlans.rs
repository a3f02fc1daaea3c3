//! VLANs: segments, addresses and routes where switches separate hosts.

use netloom_scenario::{Scenario, load};

use super::forward::{Forwarder, addresses};
use crate::{Plan, plan};

/// Returns two switches joined by a trunk, two hosts in each of two VLANs, and a router on a stick.
fn stick() -> Scenario {
    let text = r#"
name: stick
topology:
  nodes:
    a1: {}
    a2: {}
    b1: {}
    b2: {}
    r: {kind: router, interfaces: {eth1.10: {}, eth1.20: {}}}
    s:
      kind: switch
      interfaces:
        a: {vlan: {access: 10}}
        b: {vlan: {access: 20}}
        r: {vlan: {trunk: {allowed: [10, 20]}}}
        t: {vlan: {trunk: {allowed: all}}}
    t:
      kind: switch
      interfaces:
        a: {vlan: {access: 10}}
        b: {vlan: {access: 20}}
        s: {vlan: {trunk: {allowed: all}}}
  links:
    - endpoints: ["a1:eth1", "s:a"]
    - endpoints: ["a2:eth1", "t:a"]
    - endpoints: ["b1:eth1", "s:b"]
    - endpoints: ["b2:eth1", "t:b"]
    - {endpoints: ["s:t", "t:s"], delay: 5ms}
    - endpoints: ["r:eth1", "s:r"]
"#;
    let loaded = load(text).unwrap_or_else(|findings| panic!("{}", findings.render("stick", text)));
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    loaded.scenario
}

/// Returns the IPv4 addresses of an interface.
fn ipv4(plan: &Plan, node: &str, interface: &str) -> Vec<String> {
    let node = plan.node(node).unwrap();
    let interface = node.interfaces.iter().find(|found| found.name == interface).unwrap();
    let texts = interface.addresses.iter().map(ToString::to_string);
    texts.filter(|text| !text.contains(':')).collect()
}

#[test]
fn each_vlan_is_a_segment() {
    let plan = plan(&stick()).unwrap();
    assert_eq!(ipv4(&plan, "a1", "eth1"), ["10.0.0.1/29"]);
    assert_eq!(ipv4(&plan, "a2", "eth1"), ["10.0.0.2/29"]);
    assert_eq!(ipv4(&plan, "r", "eth1.10"), ["10.0.0.3/29"]);
    assert_eq!(ipv4(&plan, "b1", "eth1"), ["10.0.0.9/29"]);
    assert_eq!(ipv4(&plan, "b2", "eth1"), ["10.0.0.10/29"]);
    assert_eq!(ipv4(&plan, "r", "eth1.20"), ["10.0.0.11/29"]);
    assert!(ipv4(&plan, "r", "eth1").is_empty(), "it carries tagged frames only");
}

#[test]
fn a_sub_interface_has_the_ethernet_address_of_its_interface() {
    let plan = plan(&stick()).unwrap();
    let macs: Vec<_> = plan.node("r").unwrap().interfaces.iter().map(|i| i.mac).collect();
    assert_eq!((macs.len(), macs[0], macs[0]), (3, macs[1], macs[2]));
}

#[test]
fn vlans_reach_each_other_through_the_router_only() {
    let scenario = stick();
    let plan = plan(&scenario).unwrap();
    let forwarder = Forwarder::new(&plan);
    for destination in ["b1", "b2"] {
        for address in addresses(plan.node(destination).unwrap()) {
            assert_eq!(forwarder.path("a1", address), Ok(vec!["a1", "r", destination]));
        }
    }
    for address in addresses(plan.node("a2").unwrap()) {
        assert_eq!(forwarder.path("a1", address), Ok(vec!["a1", "a2"]), "on one segment");
    }
}
