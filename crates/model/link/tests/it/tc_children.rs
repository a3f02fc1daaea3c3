//! The queue disciplines of tc that are equivalent to a pipe's: their commands, and the missing
//! features.
//!
//! `tc` of iproute2 6.1 accepts all options and filters here. For a `min` of 2500 bytes and packets
//! of 500, it refuses a burst of 4. It also reports a burst of 66 as too large, but not one of 65;
//! this message means a weight of 2⁻¹⁰ or less, which agrees with the computation.

use crate::common::config;
use netloom_link::notation::{TcEquivalent, tc_equivalent};
use netloom_link::{Discipline, QueueLimit};
use proptest::prelude::*;

/// Returns the equivalent of a line of 10 Mbit/s with this queue.
fn tc(queue: &str) -> TcEquivalent {
    let line = r#""rate":"10Mbit/s","burst":"10kB","framing":"none""#;
    tc_equivalent(&config(&format!(r#"{{{line},"queue":{queue}}}"#)))
}

/// Returns the commands below the bucket, and the missing features.
fn child(queue: &str) -> (Vec<String>, Vec<String>) {
    let tc = tc(queue);
    let mut commands = tc.commands("eth1");
    assert_eq!(
        commands.remove(0),
        "tc qdisc add dev eth1 root handle 2: tbf rate 10mbit burst 10000b limit 125000b"
    );
    (commands, tc.missing)
}

fn of_one_queue(queue: &str, expected: &str) {
    let (commands, missing) = child(queue);
    assert_eq!(commands, [format!("tc qdisc add dev eth1 parent 2:1 handle 3: {expected}")]);
    assert_eq!(missing, [""; 0], "{queue}");
}

#[test]
fn disciplines_with_one_queue_have_all_their_parameters() {
    for (queue, expected) in [
        (
            r#"{"discipline":"codel","limit":"90packets"}"#,
            "codel limit 90 target 5ms interval 100ms ecn",
        ),
        (
            concat!(
                r#"{"discipline":{"codel":{"target":"1500us","interval":"1s","ecn":false}},"#,
                r#""limit":"9packets"}"#,
            ),
            "codel limit 9 target 1500us interval 1s noecn",
        ),
        (
            r#"{"discipline":{"fq_codel":{"flows":64,"quantum":"3000B"}},"limit":"9packets"}"#,
            "fq_codel limit 9 flows 64 quantum 3000 target 5ms interval 100ms ecn",
        ),
        (
            r#"{"discipline":"pie","limit":"9packets"}"#,
            "pie limit 9 target 15ms tupdate 15ms alpha 2 beta 20 ecn",
        ),
        (
            concat!(
                r#"{"discipline":{"pie":{"alpha":2,"beta":0.0625,"ecn":false,"#,
                r#""ecn_threshold":"1%"}},"limit":"9packets"}"#,
            ),
            "pie limit 9 target 15ms tupdate 15ms alpha 32 beta 1 noecn",
        ),
        (
            concat!(
                r#"{"discipline":{"red":{"min":"2500B","max":"7500B","weight":0.001953125,"#,
                r#""gentle":false}},"limit":"64KiB"}"#,
            ),
            "red limit 64kb min 2500b max 7500b avpkt 500b burst 48 probability 0.1 bandwidth \
             10mbit ecn",
        ),
        (
            concat!(
                r#"{"discipline":{"red":{"min":"2500B","max":"7500B","weight":0.001953125,"#,
                r#""gentle":false,"hard_drop":true,"adaptive":true}},"limit":"64KiB"}"#,
            ),
            "red limit 64kb min 2500b max 7500b avpkt 500b burst 48 probability 0.1 bandwidth \
             10mbit ecn harddrop adaptive",
        ),
        (
            r#"{"discipline":{"fq_codel":{"ce_threshold":"1ms"}},"limit":"9packets"}"#,
            "fq_codel limit 9 flows 1024 quantum 1514 target 5ms interval 100ms ecn ce_threshold \
             1ms",
        ),
        (
            r#"{"discipline":{"fifo":{"drop":"head"}},"limit":"9packets"}"#,
            "pfifo_head_drop limit 9",
        ),
    ] {
        of_one_queue(queue, expected);
    }
}

#[test]
fn features_that_the_child_lacks_are_reported() {
    for (queue, parts) in [
        (r#"{"discipline":"codel"}"#, vec!["holds 1000"]),
        (r#"{"discipline":"fq_codel","limit":"9ms"}"#, vec!["9ms: fq_codel", "10240"]),
        (
            concat!(
                r#"{"discipline":{"pie":{"alpha":0.1,"beta":3,"max_burst":"1ms","#,
                r#""ecn_threshold":"5%","derandomize":false}}}"#,
            ),
            vec!["alpha 0.1", "beta 3", "max_burst 1ms", "ecn_threshold 5%", "de-randomization"],
        ),
        (r#"{"discipline":"red","limit":"9packets"}"#, vec!["gentle", "red counts bytes"]),
        (r#"{"discipline":{"red":{"min":"1GB","max":"2GB"}},"limit":"9GB"}"#, vec!["weight 0.002"]),
        (r#"{"discipline":{"fifo":{"drop":"head"}}}"#, vec!["pfifo_head_drop"]),
        (r#"{"discipline":"drr","limit":"9packets"}"#, vec!["fq_codel hashes"]),
        (r#"{"discipline":"wf2q+","limit":"9packets"}"#, vec!["has none"]),
        (
            r#"{"discipline":{"prio":{"classes":[{"match":{"dscp":1},"limit":"5packets"}]}}}"#,
            vec!["queue of its own", "limits of classes"],
        ),
    ] {
        let missing = tc(queue).missing.join("\n");
        for part in parts {
            assert!(missing.contains(part), "{queue}: {missing:?} does not say {part}");
        }
    }
    let differences = tc(r#"{"discipline":"red","limit":"9kB"}"#).differences.join("\n");
    assert!(differences.contains("0.001953125") && differences.contains("500B"), "{differences}");
}

#[test]
fn classes_have_filters_for_both_versions_of_ip() {
    let queue = r#"{"discipline":{"drr":{"quantum":"1000B","classes":[
        {"match":{"dscp":["ef",10]},"weight":3}, {},
        {"match":{"dscp":1,"source":"10.1.0.0/16","destination":"10.2.0.0/16"}},
        {"match":{"destination":"fd00::/8"},"weight":2}]}},"limit":"9packets"}"#;
    let filter = "tc filter add dev eth1 parent 3: protocol";
    assert_eq!(
        child(queue).0,
        [
            "tc qdisc add dev eth1 parent 2:1 handle 3: drr".to_owned(),
            "tc class add dev eth1 parent 3: classid 3:1 drr quantum 3000".into(),
            "tc class add dev eth1 parent 3: classid 3:2 drr quantum 1000".into(),
            "tc class add dev eth1 parent 3: classid 3:3 drr quantum 1000".into(),
            "tc class add dev eth1 parent 3: classid 3:4 drr quantum 2000".into(),
            format!("{filter} ip prio 1 u32 match ip dsfield 0x28 0xfc flowid 3:1"),
            format!("{filter} ip prio 2 u32 match ip dsfield 0xb8 0xfc flowid 3:1"),
            format!("{filter} ipv6 prio 3 u32 match ip6 priority 0x28 0xfc flowid 3:1"),
            format!("{filter} ipv6 prio 4 u32 match ip6 priority 0xb8 0xfc flowid 3:1"),
            format!(
                "{filter} ip prio 5 u32 match ip dsfield 0x04 0xfc match ip src 10.1.0.0/16 match \
                 ip dst 10.2.0.0/16 flowid 3:3"
            ),
            format!("{filter} ipv6 prio 6 u32 match ip6 dst fd00::/8 flowid 3:4"),
            // Without this filter, tc would drop packets that no other filter matches.
            format!("{filter} all prio 7 u32 match u32 0 0 flowid 3:2"),
        ]
    );
    // The class for the rest is at its written place, or comes last.
    for (classes, bands) in [
        (r#"[{"match":{"dscp":1}},{},{"match":{"dscp":2}}]"#, "bands 3 priomap 1 1 1 1"),
        (r#"[{"match":{"dscp":1}},{"match":{"dscp":2}}]"#, "bands 3 priomap 2 2 2 2"),
        ("[]", "bands 2 priomap 0 0 0 0"),
    ] {
        let (commands, _) =
            child(&format!(r#"{{"discipline":{{"prio":{{"classes":{classes}}}}}}}"#));
        assert!(commands[0].contains(bands), "{commands:?}");
    }
}

/// netem's own rate has no queue below it, so a bucket limits the rate instead.
#[test]
fn a_child_needs_a_bucket() {
    let properties = r#"{"rate":"1Mbit/s","framing":"4B","delay":"5ms",
        "queue":{"discipline":"codel","limit":"9packets"}}"#;
    let tc = tc_equivalent(&config(properties));
    assert_eq!(
        tc.commands("eth0"),
        [
            "tc qdisc add dev eth0 root handle 1: netem delay 5ms",
            "tc qdisc add dev eth0 parent 1:1 handle 2: tbf rate 1mbit burst 1542b limit 12500b \
             overhead 4",
            "tc qdisc add dev eth0 parent 2:1 handle 3: codel limit 9 target 5ms interval 100ms ecn"
        ]
    );
    assert!(tc.missing.join("\n").contains("1542b through at once"), "{:?}", tc.missing);
}

proptest! {
    /// Every discipline other than a plain queue becomes a child or is reported as missing,
    /// whatever its limit.
    #[test]
    fn no_discipline_is_forgotten(index in 0..Discipline::ALL.len(), packets in 1u32..) {
        let (name, _) = Discipline::ALL[index];
        let limit = QueueLimit::Packets(packets);
        let tc = tc(&format!(r#"{{"discipline":"{name}","limit":"{limit}"}}"#));
        let what = format!("discipline {name}");
        let is_missing = tc.missing.iter().any(|missing| missing.contains(&what));
        prop_assert_eq!(name != "fifo", tc.child.is_some() != is_missing);
    }
}
