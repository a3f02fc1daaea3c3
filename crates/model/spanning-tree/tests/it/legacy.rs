//! Networks with bridges that use only version 0.

use crate::common::legacy::Legacy;
use crate::common::network::{Network, Node};
use crate::common::plan::add_port;
use crate::common::{at, cost, id, ms};
use netloom_spanning_tree::{
    Bpdu, Bridge, Config, Flags, MessageRole, PortPriority, Role, Times, Vector,
};

fn rapid(priority: u16, number: u8) -> Node {
    Node::Rapid(Box::new(Bridge::new(id(priority, number))))
}

fn legacy(priority: u16, number: u8) -> Node {
    Node::Legacy(Legacy::new(priority, [2, 0, 0, 0, 0, number]))
}

/// Returns bridges in a line, each with two ports: port 0 to the previous bridge, port 1 to the
/// next one.
fn line(nodes: Vec<Node>) -> Network {
    let count = nodes.len();
    let mut network = Network::new(nodes);
    for node in 0..count {
        add_port(&mut network, node, 0, 20_000);
        add_port(&mut network, node, 1, 20_000);
    }
    for node in 1..count {
        network.link([(node - 1, 1), (node, 0)], ms(2));
    }
    network
}

#[test]
fn a_port_speaks_version_0_to_a_legacy_bridge() {
    let mut network = line(vec![rapid(0, 1), legacy(32_768, 2)]);
    network.run_until(at(60_000));
    let port = network.rapid(0).port(1).unwrap();
    assert!(port.legacy && port.role == Role::Designated);
    let leaf = network.legacy(1);
    assert!(leaf.unread <= 3, "rapid BPDUs only until it is heard, not {}", leaf.unread);
    assert!(leaf.heard_configs >= 25, "a hello each two seconds, not {}", leaf.heard_configs);
    assert!(leaf.forwards(0) && network.rapid(0).forwards(1));
    assert!(!network.rapid(0).port(0).unwrap().legacy, "other ports stay with version 2");
}

#[test]
fn a_port_to_a_legacy_bridge_listens_and_learns_for_15_s_each() {
    let mut network = line(vec![rapid(0, 1), legacy(32_768, 2)]);
    network.run_until(at(10_000));
    network.set_link(0, false);
    network.set_link(0, true);
    // The first BPDU of the legacy bridge counts 3 s after the link came up. Until then the port
    // uses the timers of RSTP.
    let mut forwards_at = None;
    for second in 11..=60 {
        network.run_until(at(second * 1000));
        forwards_at = forwards_at.or(network.rapid(0).forwards(1).then_some(second));
    }
    assert_eq!(forwards_at, Some(10 + 20 + 15), "max age discarding, forward delay learning");
}

#[test]
fn a_notification_of_a_legacy_bridge_is_acknowledged_and_passed_on() {
    let mut network = line(vec![rapid(4096, 1), rapid(0, 2), legacy(32_768, 3), legacy(40_960, 4)]);
    network.run_until(at(100_000));
    assert!(network.legacy(2).heard_acknowledgements >= 1);
    let sent = network.sent[&(2, 0)].len();
    network.run_until(at(110_000));
    assert_eq!(network.sent[&(2, 0)].len(), sent, "the root has heard it");

    let (acknowledged, changes) =
        (network.legacy(2).heard_acknowledgements, network.legacy(2).heard_changes);
    let flushes = network.flushes.len();
    network.set_link(2, false);
    network.set_link(2, true);
    network.run_until(at(160_000));
    assert!(network.legacy(2).heard_acknowledgements > acknowledged);
    assert!(network.legacy(2).heard_changes > changes, "the flag goes down the tree");
    let after = &network.flushes[flushes..];
    assert!(after.iter().any(|(_, end)| *end == (1, 0)), "the root forgets the other side");
    assert!(after.iter().any(|(_, end)| end.0 == 0) || network.rapid(0).root().2 == Some(1));
}

#[test]
fn a_change_is_notified_to_a_legacy_root_until_it_acknowledges() {
    let mut network = line(vec![legacy(0, 1), rapid(32_768, 2), rapid(32_768, 3)]);
    network.run_until(at(100_000));
    let root_port = network.rapid(1).port(0).unwrap();
    assert!(root_port.legacy && root_port.role == Role::Root);
    let heard = network.legacy(0).heard_notifications;
    let sent = network.sent[&(1, 0)].len();
    network.run_until(at(140_000));
    assert_eq!(network.sent[&(1, 0)].len(), sent, "nothing to notify");

    network.set_link(1, false);
    network.set_link(1, true);
    network.run_until(at(180_000));
    let new = network.legacy(0).heard_notifications - heard;
    assert!((1..=3).contains(&new), "{new} notifications of one change");
}

#[test]
fn a_mixed_ring_has_no_loop_and_uses_the_other_way_when_one_fails() {
    for legacy_at in 0..4 {
        let node = |n: u16| {
            let number = n as u8;
            if n == legacy_at { legacy(4096 * n, number) } else { rapid(4096 * n, number) }
        };
        let mut network = line((0..4).map(node).collect());
        network.link([(3, 1), (0, 0)], ms(2));
        network.run_until(at(80_000));
        assert_eq!(network.active().len(), 3, "a tree: {}", network.describe());
        let used = network.active()[1];
        network.set_link(used, false);
        network.run_until(at(180_000));
        assert_eq!(network.active().len(), 3, "the other way: {}", network.describe());
        network.set_link(used, true);
        network.run_until(at(260_000));
        assert_eq!(network.active().len(), 3, "a tree again: {}", network.describe());
        assert!(network.loops.is_empty(), "loops with {legacy_at}: {:?}", network.loops);
    }
}

#[test]
fn a_port_speaks_version_2_again_when_it_hears_it() {
    let mut bridge = Bridge::new(id(32_768, 1));
    bridge.add_port(at(0), 0, cost(20_000), PortPriority::default(), false).unwrap();
    let other = id(0, 9);
    let vector = Vector { root: other, cost: 0, bridge: other, port: 0x8001 };
    let times = Times { message_age: 0, max_age: 5120, hello: 512, forward_delay: 3840 };
    let said = Config { flags: Flags::default(), role: MessageRole::Designated, vector, times };
    let (old, new) = (Bpdu::Config(said).encode([2; 6]), Bpdu::Rst(said).encode([2; 6]));
    let mut hears = |millis, frame| {
        bridge.receive(at(millis), 0, frame);
        bridge.port(0).unwrap().legacy
    };
    assert!(!hears(2_900, &old), "in the first 3 s the version stays");
    assert!(hears(3_100, &old));
    assert!(hears(6_000, &new), "3 s after a change the version stays");
    assert!(!hears(6_200, &new));
}
