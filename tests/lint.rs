//! Mistakes in a network that a class is to see: lowered to warnings, such a network comes up, and
//! shows what they do.

mod common;

use common::{Lab, rewrite};

/// A lab that is refused with `[key]`, and comes up with a warning once that is lowered.
fn lowered(key: &str, topology: &str) -> Lab {
    let lab = Lab::new(topology);
    let (code, words) = lab.fails(&["deploy"]);
    assert!(code == 2 && words.contains(&format!("[{key}]")), "{code}: {words}");
    assert!(words.contains(&format!("lint: {{ {key}: warn }}")), "{words}");
    rewrite(&lab, &format!("lint: {{ {key}: warn }}\n{topology}"));
    let output = lab.netloom(&["deploy"]);
    let words = common::text(&output.stderr);
    assert!(output.status.success(), "{words}");
    assert!(words.contains("warning: ") && words.contains(&format!("[{key}]")), "{words}");
    lab
}

#[test]
fn two_nodes_may_have_one_address() {
    let lab = lowered(
        "duplicate_address",
        "topology:\n  defaults: { node: { ipv6: none } }\n  \
         nodes:\n    s: { kind: switch }\n    \
         a: { interfaces: { eth1: { ipv4: 10.1.0.1/24 } } }\n    \
         b: { interfaces: { eth1: { ipv4: 10.1.0.2/24 } } }\n    \
         c: { interfaces: { eth1: { ipv4: 10.1.0.2/24 } } }\n  \
         links: [{ endpoints: [a, s] }, { endpoints: [b, s] }, { endpoints: [c, s] }]\n",
    );
    for node in ["b", "c"] {
        let addresses = lab.sh(node, "ip -4 -o address show eth1");
        assert!(addresses.contains("10.1.0.2/24"), "{addresses}");
    }
    lab.sh("a", "ping -c 1 -W 5 10.1.0.2");
}

#[test]
fn masks_may_be_wrong() {
    let lab = lowered(
        "different_subnets",
        "topology:\n  defaults: { node: { ipv6: none } }\n  \
         nodes:\n    a: { interfaces: { eth1: { ipv4: 10.1.0.1/24 } } }\n    \
         b: { interfaces: { eth1: { ipv4: 10.1.0.200/25 } } }\n  \
         links: [{ endpoints: [a, b] }]\n",
    );
    // It knows no way to the other, which is in a subnet that it does not have.
    let (code, words) = lab.try_sh("b", "ip route get 10.1.0.1");
    assert!(code != 0 || words.contains("via"), "{words}");
}

#[test]
fn a_next_hop_may_be_in_no_subnet() {
    let lab = lowered(
        "next_hop",
        "topology:\n  defaults: { node: { ipv6: none } }\n  \
         nodes:\n    a: { routing: none, interfaces: { eth1: { ipv4: 10.1.0.1/24 } }, routes: \
         [{ to: 0.0.0.0/0, via: 10.9.0.1 }] }\n    \
         b: { interfaces: { eth1: { ipv4: 10.1.0.2/24 } } }\n  \
         links: [{ endpoints: [a, b] }]\n",
    );
    assert!(!lab.sh("a", "ip route").contains("default"));
    // The kernel says the same of this route.
    let (code, words) = lab.try_sh("a", "ip route add default via 10.9.0.1");
    assert!(code != 0 && words.contains("invalid gateway"), "{words}");
}

#[test]
fn interfaces_may_have_addresses_with_another_meaning_or_one_mac() {
    let lab = lowered(
        "subnet_address",
        "topology:\n  defaults: { node: { ipv6: none } }\n  \
         nodes:\n    a: { interfaces: { eth1: { ipv4: 10.1.0.255/24 } } }\n    \
         b: { interfaces: { eth1: { ipv4: 10.1.0.2/24 } } }\n  \
         links: [{ endpoints: [a, b] }]\n",
    );
    assert!(lab.sh("a", "ip -4 -o address show eth1").contains("10.1.0.255/24"));
    let lab = lowered(
        "duplicate_mac",
        "topology:\n  \
         nodes:\n    a: { interfaces: { eth1: { mac: \"02:00:00:00:00:07\" } } }\n    \
         b: { interfaces: { eth1: { mac: \"02:00:00:00:00:07\" } } }\n  \
         links: [{ endpoints: [a, b] }]\n",
    );
    for node in ["a", "b"] {
        assert!(lab.sh(node, "ip link show eth1").contains("02:00:00:00:00:07"));
    }
}

#[test]
fn neighbours_may_never_meet() {
    let lab = lowered(
        "neighbours",
        "topology:\n  kinds: { router: { ipv6: none } }\n  nodes:\n    \
         r1: { kind: router, services: { ospf: { hello: 1, dead: 4 } } }\n    \
         r2: { kind: router, services: { ospf: { hello: 2, dead: 8 } } }\n  \
         links: [{ endpoints: [r1, r2] }]\n",
    );
    let hello = |node: &str| lab.sh(node, "vtysh -c 'show ip ospf interface' | grep -i hello");
    assert!(hello("r1").contains("Hello 1") && hello("r2").contains("Hello 2"));
}

#[test]
fn levels_that_are_unknown_are_refused() {
    let topology = "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n";
    for (lint, why) in [
        ("duplicate_adress: warn", "did you mean `duplicate_address`?"),
        ("duplicate_address: wrn", "did you mean `warn`?"),
    ] {
        let lab = Lab::new(&format!("lint: {{ {lint} }}\n{topology}"));
        let (code, words) = lab.fails(&["validate"]);
        assert!(code == 2 && words.contains(why), "{words}");
    }
}
