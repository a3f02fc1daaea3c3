//! Links are like cables, in emulated and in simulated runs: interfaces take packets up to their
//! MTU, what a node does to its end reaches the other one, cuts lose what is sent meanwhile, and
//! frames arrive with the checksums of a wire.

mod common;

use std::fs;

use common::Lab;
use serde_json::Value;

/// Runs a lab in both kinds of runs, and looks at the summary of each.
fn in_both_arms(scenario: &str, look: impl Fn(&str, &Value)) {
    for (arm, arguments) in [("emulated", &["run"][..]), ("simulated", &["run", "--simulate"])] {
        let lab = Lab::new(scenario);
        lab.ok(&[arguments, &["-o", "results"]].concat());
        let summary = fs::read_to_string(lab.path("results/summary.json")).unwrap();
        look(arm, &serde_json::from_str(&summary).unwrap());
    }
}

/// The frames of a pipe that `of` counts, like `/dropped/receiver_mtu`.
fn frames(summary: &Value, link: &str, way: &str, of: &str) -> u64 {
    let links = summary["links"].as_array().unwrap();
    let link = links.iter().find(|one| one["name"] == link).unwrap();
    let count = link.pointer(&format!("/{way}/statistics{of}/frames"));
    count.and_then(Value::as_u64).unwrap_or_else(|| panic!("{of} of {link}"))
}

#[test]
fn interfaces_take_no_packets_beyond_their_mtu() {
    let scenario = "topology:\n  \
        nodes:\n    a:\n    b: { mtu: 1300 }\n    c: { mtu: 1300 }\n    s: { kind: switch }\n  \
        links:\n    - { name: direct, endpoints: [\"a:eth1\", \"b:eth1\"] }\n    \
          - { name: up, endpoints: [\"a:eth2\", \"s:p1\"] }\n    \
          - { name: behind, endpoints: [\"s:p2\", \"c:eth1\"] }\n\
        traffic:\n  \
          - { name: one, from: a, to: b, udp: {}, size: 1514B,\n      \
              cbr: { rate: 1200kbit/s }, for: 1s }\n  \
          - { name: two, from: a, to: c, udp: {}, size: 1514B,\n      \
              cbr: { rate: 1200kbit/s }, for: 1s }\n  \
          - { name: short, from: a, to: c, udp: {}, size: 1000B,\n      \
              cbr: { rate: 800kbit/s }, for: 1s }\n";
    in_both_arms(scenario, |arm, summary| {
        // A hundred datagrams each, and none on a machine that stops for a part of the second.
        for (link, of, most) in [("direct", 20..=101, 30), ("behind", 20..=101, 140)] {
            let lost = frames(summary, link, "forward", "/dropped/receiver_mtu");
            assert!(of.contains(&lost), "{arm}, {link}: {lost}");
            let arrived = frames(summary, link, "forward", "/delivered");
            assert!(arrived < most, "{arm}, {link}: {arrived}");
        }
        assert_eq!(frames(summary, "up", "forward", "/dropped/receiver_mtu"), 0, "{arm}");
        assert!(frames(summary, "behind", "forward", "/delivered") >= 20, "{arm}");
    });
}

/// A cut of two seconds in seven loses two sevenths of the datagrams.
#[test]
fn a_cut_loses_what_is_sent_meanwhile() {
    for state in ["link: ar, state: down", "node: r, state: failed"] {
        let scenario = format!(
            "topology:\n  neighbours: known\n  defaults: {{ node: {{ ipv6: none }} }}\n  \
               nodes: {{ a: , b: , r: {{ kind: router }} }}\n  links:\n    \
               - {{ name: ar, endpoints: [a, r], delay: 1ms }}\n    \
               - {{ name: rb, endpoints: [r, b], delay: 1ms }}\n\
             timeline:\n  - {{ at: 3s, {state}, for: 2s }}\n\
             traffic:\n  - {{ name: u, from: a, to: b, udp: {{}}, cbr: {{ rate: 160kbit/s }}, \
               size: 200B, for: 7s }}\n"
        );
        in_both_arms(&scenario, |arm, summary| {
            let arrived = frames(summary, "rb", "forward", "/delivered");
            // 500 in virtual time; half a second more or less where the machine is late.
            let about = if arm == "simulated" { 499..=501 } else { 450..=550 };
            assert!(about.contains(&arrived), "{arm}, {state}: {arrived}");
        });
    }
}

/// Waits until an interface has a carrier or none: milliseconds, on a machine with time to spare.
fn becomes(lab: &Lab, node: &str, interface: &str, carrier: &str) {
    let line = format!(
        "for n in $(seq 200); do [ \"$(cat /sys/class/net/{interface}/carrier)\" = {carrier} ] && \
         exit 0; sleep 0.05; done; exit 1"
    );
    let (code, words) = lab.try_sh(node, &line);
    assert_eq!(code, 0, "{interface} of {node} does not become {carrier}: {words}");
}

#[test]
fn what_a_node_does_to_its_end_reaches_the_other_one() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: , c: , s: { kind: switch } }\n  links:\n    \
           - { name: ab, endpoints: [\"a:eth1\", \"b:eth1\"] }\n    \
           - { endpoints: [\"a:eth2\", s] }\n    - { endpoints: [\"c:eth1\", s] }\n    \
           - { name: bc, endpoints: [\"b:eth2\", \"c:eth2\"] }\n",
    );
    becomes(&lab, "b", "eth1", "1");
    lab.sh("a", "ip link set eth1 down");
    becomes(&lab, "b", "eth1", "0");
    // Ports of a switch are always up.
    lab.sh("a", "ip link set eth2 down; sleep 0.2");
    becomes(&lab, "c", "eth1", "1");
    lab.sh("a", "ip link set eth2 up");
    lab.sh("a", "ip link set eth1 name uplink; ip link set uplink up");
    becomes(&lab, "b", "eth1", "1");
    // A link that is cut stays cut, whatever its ends do.
    lab.ok(&["set", "ab", "state=down"]);
    becomes(&lab, "b", "eth1", "0");
    lab.sh("a", "ip link set uplink down; ip link set uplink up; sleep 0.2");
    becomes(&lab, "b", "eth1", "0");
    lab.ok(&["set", "ab", "state=up"]);
    becomes(&lab, "b", "eth1", "1");
    // Moved to another namespace, it is down until it is up there.
    lab.sh("a", "unshare -n sleep 1000 > /dev/null 2>&1 & sleep 0.5; echo $! > /run/inner");
    lab.sh("a", "ip link set uplink netns $(pidof sleep)");
    becomes(&lab, "b", "eth1", "0");
    lab.sh("a", "nsenter -t $(pidof sleep) -n ip link set uplink up");
    becomes(&lab, "b", "eth1", "1");
    // A port of a bridge in a node is no less up, nor when it leaves the bridge.
    lab.sh("b", "ip link add br0 type bridge && ip link set eth2 master br0");
    becomes(&lab, "c", "eth2", "1");
    lab.sh("b", "ip link set eth2 nomaster; sleep 0.2");
    becomes(&lab, "c", "eth2", "1");
    lab.sh("b", "ip link set eth2 down");
    becomes(&lab, "c", "eth2", "0");
    lab.sh("b", "ip link set eth2 up");
    becomes(&lab, "c", "eth2", "1");
    lab.sh("b", "ip link delete eth2");
    becomes(&lab, "c", "eth2", "0");
}

#[test]
fn links_that_apply_brings_follow_their_ends_too() {
    let with = |links: &str| {
        format!(
            "topology:\n  nodes: {{ a: , b: , c: }}\n  links:\n    \
               - {{ endpoints: [\"a:eth1\", \"b:eth1\"] }}\n{links}"
        )
    };
    let lab = Lab::deployed(&with("    - { endpoints: [\"b:eth2\", \"c:eth2\"] }\n"));
    lab.sh("a", "ip link set eth1 down");
    becomes(&lab, "b", "eth1", "0");
    let more = with("    - { endpoints: [\"a:eth2\", \"c:eth1\"] }\n");
    fs::write(lab.path("netloom.yaml"), format!("name: {}\n{more}", lab.name)).unwrap();
    lab.ok(&["apply"]);
    becomes(&lab, "b", "eth1", "0");
    lab.sh("a", "ip link set eth1 up; ip link set eth2 down");
    becomes(&lab, "b", "eth1", "1");
    becomes(&lab, "c", "eth1", "0");
}

#[test]
fn an_mtu_that_a_node_sets_counts() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
           - { endpoints: [\"a:eth1\", \"b:eth1\"], mtu: 1500 }\n",
    );
    let ping =
        |bytes: u32| lab.try_sh("a", &format!("ping -4 -n -c 3 -i 0.2 -W 1 -M do -s {bytes} b")).0;
    lab.sh("a", "ip link set eth1 mtu 9000");
    assert_eq!((ping(1400), ping(4000)), (0, 1));
    lab.sh("b", "ip link set eth1 mtu 9000; sleep 0.2");
    // The reply has to fit, too.
    assert_eq!(ping(4000), 0);
    lab.sh("b", "ip link set eth1 mtu 1400; sleep 0.2");
    assert_eq!((ping(1300), ping(1500)), (0, 1));
}

/// Counts UDP and TCP packets with right and wrong checksums, and frames beyond the MTU, as a raw
/// socket of the receiver gets them.
const READER: &str = r#"
import socket, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x800))
s.bind(("eth1", 0x800)); s.settimeout(0.5)
open("/run/reads", "w").close()
def total(b):
    b += b"\0" * (len(b) & 1)
    t = sum(int.from_bytes(b[i:i+2], "big") for i in range(0, len(b), 2))
    while t > 65535: t = (t & 65535) + (t >> 16)
    return t
good = wrong = long = 0
until = time.time() + 30
while time.time() < until and good + wrong < int(sys.argv[1]):
    try: d, a = s.recvfrom(70000)
    except TimeoutError: continue
    if a[2] == 4 or d[23] not in (6, 17): continue
    n = int.from_bytes(d[16:18], "big"); u = d[34:14+n]
    right = total(d[26:34] + bytes([0, d[23]]) + len(u).to_bytes(2, "big") + u) == 65535
    good += right; wrong += not right; long += len(d) > 1514
print(good, wrong, long)
"#;

/// Sends with `sender` from `a` to `b`, and returns what the reader in `b` counts up to `packets`.
fn read_raw(lab: &Lab, packets: u32, sender: &str) -> Vec<u32> {
    fs::write(lab.path("reader.py"), READER).unwrap();
    let reader = lab
        .command(&["exec", &format!("b@{}", lab.name), "--", "python3", "reader.py"])
        .arg(packets.to_string())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    lab.sh("b", "for n in $(seq 200); do [ -e /run/reads ] && exit; sleep 0.05; done");
    lab.sh("a", sender);
    let output = reader.wait_with_output().unwrap();
    let counts = String::from_utf8(output.stdout).unwrap();
    counts.split_whitespace().map(|count| count.parse().unwrap()).collect()
}

#[test]
fn frames_arrive_with_the_checksums_of_a_wire() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , s: { kind: switch }, b: }\n  \
           links: [{ endpoints: [\"a:eth1\", s] }, { endpoints: [\"b:eth1\", s] }]\n",
    );
    let datagrams = "python3 -c 'import socket\ns = socket.socket(socket.AF_INET, \
        socket.SOCK_DGRAM)\nfor n in range(5): s.sendto(b\"hello\" * (n + 1), (\"b\", 9999))'";
    assert_eq!(read_raw(&lab, 5, datagrams), [5, 0, 0]);
}

#[test]
fn without_offloads_each_frame_is_as_on_a_wire() {
    let lab = Lab::deployed(
        "topology:\n  nodes:\n    a:\n    \
           b: { interfaces: { eth1: { offloads: false } } }\n  \
           links: [{ endpoints: [\"a:eth1\", \"b:eth1\"] }]\n",
    );
    let stream = "python3 -c 'import socket, time\ns = socket.socket()\n\
        s.connect((\"b\", 9999))\ns.sendall(bytes(400000))\ntime.sleep(1)'";
    lab.sh(
        "b",
        "python3 -c 'import socket\nl = socket.create_server((\"\", 9999))\n\
         open(\"/run/l\", \"w\")\n\
         c = l.accept()[0]\nwhile c.recv(65536): pass' > /dev/null 2>&1 & \
         for n in $(seq 200); do [ -e /run/l ] && exit; sleep 0.05; done",
    );
    let counts = read_raw(&lab, 100, stream);
    assert!(counts[0] >= 100 && counts[1..] == [0, 0], "{counts:?}");
    // What it sends is cut before it leaves.
    let sent = lab.sh("b", "ethtool -k eth1 2>/dev/null | grep -c 'segmentation-offload: on' || :");
    assert!(matches!(sent.trim(), "0" | ""), "{sent}");
}

#[test]
fn what_a_run_starts_is_looked_for_before_anything_is_made() {
    let lab = Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n\
         processes: [{ name: p, node: a, command: [no-such-program] }]\n",
    );
    let (code, words) = lab.fails(&["run", "-o", "results"]);
    assert_eq!(code, 1, "{words}");
    assert!(words.contains("`no-such-program` (process p)"), "{words}");
    assert!(words.contains("nothing was made") && !lab.path("results").exists(), "{words}");
}

/// Datagrams that wait in a node for the address of a neighbour that never answers are no loss of a
/// link: a warning says where they went.
#[test]
fn datagrams_that_die_unresolved_are_named() {
    let lab = Lab::new(
        "topology:\n  defaults: { node: { ipv6: none } }\n  nodes: { a: , b: }\n  links:\n    \
           - { endpoints: [a, b], forward: { loss: 100% } }\n\
         traffic:\n  - { name: u, from: a, to: b, udp: {}, cbr: { rate: 80kbit/s }, size: 100B, \
           for: 2s }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let summary = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let warnings = summary["warnings"].as_array().unwrap();
    let is_named = |one: &Value| {
        let words = one.as_str().unwrap_or_default();
        words.contains("datagrams of `a` to b died unresolved (`u`)")
    };
    assert!(warnings.iter().any(is_named), "{warnings:?}");
}
