//! `queue: {full: wait}` between real nodes: frames wait in the node that sends them, in its own
//! queueing discipline, and the pipe drops none.

mod common;

use common::{Lab, eventually};

/// The pipe from the node `a`.
fn pipe(lab: &Lab) -> serde_json::Value {
    lab.inspect()["links"][0]["forward"]["statistics"].clone()
}

/// Sends 600 datagrams of 1000 bytes as fast as the kernel takes them.
const FLOOD: &str = "python3 -c 'import socket; s = socket.socket(socket.AF_INET, \
                     socket.SOCK_DGRAM); [s.sendto(bytes(1000), (\"10.0.0.2\", 9)) for _ in \
                     range(600)]'";

#[test]
fn frames_wait_in_the_node_and_none_is_dropped() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
         - { name: ab, endpoints: [a, b], rate: 2Mbit/s,\n        \
         queue: { limit: 5packets, full: wait } }\n",
    );
    // Who is asked for its address has only so much wait for the answer.
    lab.sh("a", "ping -c 1 10.0.0.2");
    let waiting = lab.sh("a", &format!("{FLOOD}; tc -s qdisc show dev eth1"));
    assert!(waiting.contains("tbf") && waiting.contains("parent 1:1"), "{waiting}");
    // How often the bucket has held a frame back; what waits now depends on how late this is.
    let held: u64 =
        waiting.split("overlimits ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(held > 100, "{waiting}");
    eventually("all frames through", || pipe(&lab)["delivered"]["frames"].as_u64().unwrap() >= 600);
    let counted = pipe(&lab);
    assert_eq!(counted["dropped"]["queue_full"]["frames"], 0, "{counted}");
    assert!(counted["queue"]["maximum"]["frames"].as_u64().unwrap() <= 5, "{counted}");

    // A rate that changes is followed; a node's own discipline under the bucket stays.
    lab.sh("a", "tc qdisc replace dev eth1 parent 1:1 handle 7: pfifo limit 700");
    lab.ok(&["set", "ab", "rate=8Mbit/s"]);
    let now = lab.sh("a", "tc qdisc show dev eth1");
    assert!(now.contains("rate 8Mbit") && now.contains("pfifo 7:"), "{now}");
    lab.sh("a", FLOOD);
    eventually("all frames through", || {
        pipe(&lab)["delivered"]["frames"].as_u64().unwrap() >= 1200
    });
    assert_eq!(pipe(&lab)["dropped"]["queue_full"]["frames"], 0);

    // What cannot wait is refused, and changes nothing.
    let (_, problem) = lab.fails(&["set", "ab", "queue.discipline=codel"]);
    assert!(problem.contains("cannot have anybody wait"), "{problem}");
    lab.ok(&["set", "ab", "queue.full=drop"]);
    let now = lab.sh("a", "tc qdisc show dev eth1");
    assert!(!now.contains("tbf"), "{now}");
    lab.sh("a", FLOOD);
    eventually("frames that are dropped", || {
        pipe(&lab)["dropped"]["queue_full"]["frames"].as_u64().unwrap() > 0
    });
}

#[test]
fn apply_has_new_links_wait() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: , c: }\n  links:\n    \
         - { name: ab, endpoints: [a, b], rate: 2Mbit/s }\n",
    );
    let changed = "topology:\n  nodes: { a: , b: , c: }\n  links:\n    \
         - { name: ab, endpoints: [a, b], rate: 2Mbit/s, queue: { full: wait } }\n    \
         - { name: cb, endpoints: [c, b], rate: 3Mbit/s, forward: { queue: { full: wait } } }\n";
    common::rewrite(&lab, changed);
    lab.ok(&["apply"]);
    for (node, interface, paced) in
        [("a", "eth1", true), ("b", "eth1", true), ("c", "eth1", true), ("b", "eth2", false)]
    {
        let now = lab.sh(node, &format!("tc qdisc show dev {interface}"));
        assert_eq!(now.contains("tbf"), paced, "{node}:{interface}: {now}");
    }
}
