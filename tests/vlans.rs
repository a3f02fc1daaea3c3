//! VLANs on a deployed network: who hears whom, by which way, and what `inspect` says of it.

mod common;

use common::Lab;

/// Hosts a and c in VLAN 10 and b in VLAN 20, at two switches, and a router on a stick.
const SCENARIO: &str = r#"
topology:
  nodes:
    a:
    b:
    c:
    r: { kind: router, interfaces: { eth1.10: , eth1.20: { mtu: 1400 } } }
    s:
      kind: switch
      interfaces:
        a: { vlan: { access: 10 } }
        b: { vlan: { access: 20 } }
        r: { vlan: { trunk: { allowed: [10, 20] } } }
        t: { vlan: { trunk: { allowed: all } } }
    t:
      kind: switch
      interfaces:
        s: { vlan: { trunk: { allowed: all } } }
        c: { vlan: { access: 10 } }
  links:
    - endpoints: ["a:eth1", "s:a"]
    - endpoints: ["b:eth1", "s:b"]
    - { name: stick, endpoints: ["r:eth1", "s:r"] }
    - { name: trunk, endpoints: ["s:t", "t:s"] }
    - endpoints: ["c:eth1", "t:c"]
"#;

#[test]
fn vlans_meet_at_the_router_and_nowhere_else() {
    let lab = Lab::deployed(SCENARIO);
    let ping =
        |to: &str, rest: &str| lab.try_sh("a", &format!("ping -n -c 2 -i 0.05 -W 1 {rest} {to}"));
    let reached = |(code, output): (i32, String), hops: u32| {
        assert_eq!(code, 0, "{output}");
        assert!(output.contains(&format!("ttl={}", 64 - hops)), "{output}");
    };
    reached(ping("c", ""), 0);
    reached(ping("c", "-6"), 0);
    reached(ping("b", ""), 1);
    reached(ping("b", "-6"), 1);
    // Not even ARP: b's network, looked for on a's own interface.
    let b = lab.sh("b", "hostname -i").split(' ').next().unwrap().trim().to_string();
    let (code, output) =
        lab.try_sh("a", &format!("ip route add {b}/32 dev eth1 && ping -c 1 -W 1 {b}"));
    assert_ne!(code, 0, "{output}");
    lab.sh("a", &format!("ip route del {b}/32"));
    lab.ok(&["set", "stick", "state=down"]);
    let carriers = lab.sh("r", "cat /sys/class/net/eth1*/carrier");
    assert_eq!(carriers, "0\n0\n0\n", "eth1 and both sub-interfaces");
    reached(ping("c", ""), 0);
    assert_ne!(ping("b", "").0, 0, "the router was the only way");
    lab.ok(&["set", "stick", "state=up"]);
    reached(ping("b", ""), 1);
    assert_eq!(lab.inspect()["timing"]["unmodelled_drops"].as_object().unwrap().len(), 0);
}

#[test]
fn full_size_packets_pass_a_trunk_and_sub_interfaces_have_their_mtu() {
    let lab = Lab::deployed(SCENARIO);
    // 1472 bytes of echo data make a packet of 1500 bytes, with its tag a frame of 1518.
    lab.ok(&["set", "trunk", "pipe_mtu=1500B"]);
    lab.sh("a", "ping -4 -n -c 1 -W 1 -M do -s 1472 c");
    assert_eq!(
        lab.sh("r", "cat /sys/class/net/eth1.10/mtu /sys/class/net/eth1.20/mtu"),
        "1500\n1400\n"
    );
    let macs = lab.sh("r", "cat /sys/class/net/eth1*/address");
    let macs: Vec<&str> = macs.lines().collect();
    assert_eq!((macs.len(), macs[0], macs[0]), (3, macs[1], macs[2]));
    // Too long for VLAN 20: the router says so.
    let (code, output) = lab.try_sh("a", "ping -4 -n -c 1 -W 1 -M do -s 1472 b");
    assert!(code != 0 && output.contains("mtu"), "{output}");
}

#[test]
fn inspect_shows_the_ports_and_what_they_refuse() {
    let lab = Lab::deployed(SCENARIO);
    // Tagged frames of a host at an access port: VLAN 20 is foreign there, VLAN 10 its own.
    let send = "import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); \
                s.bind(('eth1', 0)); \
                [s.send(b'\\xff' * 6 + b'\\x02\\0\\0\\0\\0\\x01\\x81\\0\\0' + bytes([vlan]) \
                + b'\\x88\\xb5' \
                + bytes(46)) for vlan in (10, 20, 20, 30)]";
    lab.sh("a", &format!("python3 -c \"{send}\""));
    let port = |name: &str| {
        let view = lab.inspect();
        let nodes = view["nodes"].as_array().unwrap().clone();
        let switch = nodes.into_iter().find(|node| node["name"] == "s").unwrap();
        let ports = switch["interfaces"].as_array().unwrap().clone();
        ports.into_iter().find(|port| port["name"] == name).unwrap()["vlan"].clone()
    };
    common::eventually("three refused frames", || port("a")["dropped"]["foreign"]["frames"] == 3);
    assert_eq!(port("a")["vlans"], serde_json::json!({ "access": 10 }));
    assert_eq!(port("a")["dropped"]["foreign"]["bytes"], 3 * 64);
    assert_eq!(port("a")["dropped"]["untagged"]["frames"], 0);
    let table = lab.ok(&["inspect"]);
    let row = table.lines().find(|line| line.contains("s:a ") && line.contains("access 10"));
    assert!(row.is_some_and(|row| row.contains('3')), "{table}");
    assert!(table.contains("trunk 10,20"), "{table}");
}
