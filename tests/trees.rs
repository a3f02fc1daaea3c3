//! Switches with a spanning tree on a deployed network: loops carry frames once, and another way is
//! found.

mod common;

use common::Lab;
use serde_json::Value;

/// Three switches in a ring, the way from the first to the third slow; and a host at the first and
/// the third.
const RING: &str = r#"
topology:
  kinds: { switch: { spanning_tree: true } }
  nodes:
    s1: { kind: switch }
    s2: { kind: switch }
    s3: { kind: switch }
    a:
    b:
  links:
    - { endpoints: [s1, s2] }
    - { endpoints: [s2, s3] }
    - { endpoints: [s3, s1], rate: 100Mbit/s }
    - { endpoints: [a, s1] }
    - { endpoints: [b, s3] }
"#;

/// Returns the state of a port in the spanning tree.
fn port(lab: &Lab, switch: &str, name: &str) -> Value {
    let view = lab.inspect();
    let nodes = view["nodes"].as_array().unwrap();
    let switch = nodes.iter().find(|node| node["name"] == switch).unwrap();
    let ports = switch["interfaces"].as_array().unwrap();
    ports.iter().find(|port| port["name"] == name).unwrap()["spanning_tree"].clone()
}

#[test]
fn a_ring_finds_another_way_when_a_link_is_cut() {
    let lab = Lab::deployed(RING);
    // Ports to hosts forward at once; those in the ring as soon as the switches agree.
    common::eventually("a way", || lab.try_sh("a", "ping -n -c 1 -W 1 b").0 == 0);
    common::eventually("the slow link to be left out", || {
        port(&lab, "s3", "eth2")["role"] == "alternate"
    });
    assert_eq!(port(&lab, "s3", "eth2")["state"], "discarding");
    assert_eq!(port(&lab, "s1", "eth2")["cost"], 200_000);
    let root = "32768.02:00:00:00:00:00";
    assert_eq!(
        (&port(&lab, "s1", "eth1")["root"], &port(&lab, "s3", "eth1")["root"]),
        (&root.into(), &root.into())
    );
    // Nobody hears a frame twice.
    let (code, output) = lab.try_sh("a", "ping -4 -n -c 20 -i 0.05 b");
    assert!(code == 0 && !output.contains("DUP"), "{output}");
    let table = lab.ok(&["inspect"]);
    assert!(table.contains("alternate") && table.contains("is it"), "{table}");

    lab.ok(&["set", "s1--s2", "state=down"]);
    common::eventually("the way round", || port(&lab, "s3", "eth2")["state"] == "forwarding");
    assert_eq!(port(&lab, "s1", "eth1")["role"], "disabled");
    let (code, output) = lab.try_sh("a", "ping -4 -n -c 20 -i 0.05 b");
    assert!(code == 0 && !output.contains("DUP"), "{output}");
    lab.ok(&["set", "s1--s2", "state=up"]);
    common::eventually("the first way again", || port(&lab, "s3", "eth2")["state"] == "discarding");
    let (code, output) = lab.try_sh("a", "ping -4 -n -c 20 -i 0.05 b");
    assert!(code == 0 && !output.contains("DUP"), "{output}");
}

/// Two switches, and a node with a bridge of the kernel's: one of the three links is left out.
const WITH_KERNEL: &str = r#"
topology:
  nodes:
    s1: { kind: switch, spanning_tree: { priority: 4096 } }
    s2: { kind: switch, spanning_tree: true }
    br:
      routing: none
      ipv4: none
      ipv6: none
      startup:
        - ip link add br0 type bridge stp_state 1 forward_delay 400
        - for port in /sys/class/net/eth*; do ip link set ${port##*/} master br0; done
        - ip link set br0 up
    a: { routing: none, interfaces: { eth1: { ipv4: 10.9.0.1/24 } } }
    b: { routing: none, interfaces: { eth1: { ipv4: 10.9.0.2/24 } } }
  links:
    - { endpoints: [s1, s2] }
    - { endpoints: [s2, br] }
    - { endpoints: [br, s1] }
    - { endpoints: [a, s2] }
    - { endpoints: [b, br] }
"#;

#[test]
fn a_bridge_of_the_kernel_is_one_of_the_tree() {
    let lab = Lab::deployed(WITH_KERNEL);
    // Ports of the first version listen and learn first, for the root's forward delay each: half a
    // minute.
    let reached = (0..60).any(|_| lab.try_sh("a", "ping -n -c 1 -W 1 10.9.0.2").0 == 0);
    assert!(reached, "{}", lab.ok(&["inspect"]));
    let root = lab.sh("br", "cat /sys/class/net/br0/bridge/root_id");
    assert_eq!(root.trim(), "1000.020000000000", "the switch of the lowest priority");
    assert_eq!(port(&lab, "s1", "eth2")["legacy"], true);
    let (code, output) = lab.try_sh("a", "ping -n -c 20 -i 0.05 10.9.0.2");
    assert!(code == 0 && !output.contains("DUP"), "{output}");
}

/// Two switches with two links between them, and a third with a slow way to the first and a fast
/// one to the second.
const WORTH: &str = r#"
topology:
  kinds: { switch: { spanning_tree: true } }
  nodes:
    s1: { kind: switch, interfaces: { eth2: { spanning_tree: { priority: 16 } } } }
    s2: { kind: switch }
    s3: { kind: switch, interfaces: { eth1: { spanning_tree: { cost: 3 } } } }
  links:
    - { endpoints: ["s1:eth1", "s2:eth1"] }
    - { endpoints: ["s1:eth2", "s2:eth2"] }
    - { endpoints: ["s3:eth1", "s1:eth3"], rate: 100Mbit/s }
    - { endpoints: ["s3:eth2", "s2:eth3"] }
"#;

#[test]
fn ways_are_worth_what_ports_say() {
    let lab = Lab::deployed(WORTH);
    let is = |name: &'static str, role: &'static str| {
        let (switch, port_name) = name.split_once(':').unwrap();
        common::eventually(name, || port(&lab, switch, port_name)["role"] == role);
    };
    // Of two ways of the same cost, that which the neighbour wants more.
    is("s2:eth2", "root");
    is("s2:eth1", "alternate");
    assert_eq!(port(&lab, "s1", "eth2")["priority"], 16);
    assert_eq!(port(&lab, "s1", "eth1")["priority"], 128);
    // 3 is less than 2 and 2.
    is("s3:eth1", "root");
    is("s3:eth2", "alternate");
    assert_eq!(port(&lab, "s3", "eth1")["cost"], 3);
    // What a port says wins over the rate of its link, also when that changes.
    lab.ok(&["set", "s3--s1", "rate=1Mbit/s"]);
    assert_eq!(port(&lab, "s3", "eth1")["cost"], 3);
    assert_eq!(port(&lab, "s1", "eth3")["cost"], 20_000_000);
    lab.ok(&["set", "s3--s1", "rate=100Mbit/s"]);

    let dearer = WORTH.replace("cost: 3", "cost: 5");
    common::rewrite(&lab, &dearer);
    lab.ok(&["apply"]);
    is("s3:eth2", "root");
    is("s3:eth1", "alternate");
    common::rewrite(&lab, &dearer.replace("priority: 16", "priority: 240"));
    lab.ok(&["apply"]);
    is("s2:eth1", "root");
    is("s2:eth2", "alternate");
}
