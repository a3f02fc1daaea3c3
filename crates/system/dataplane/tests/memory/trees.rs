//! Switches that run a spanning tree and form loops, with devices in memory.

use crate::common::*;
use netloom_dataplane::{Dataplane, DataplaneError, End, LinkWiring};
use netloom_fabric::{LinkId, SegmentEnd, SegmentId, SwitchPort, TreePort, TreeSettings};
use netloom_link::PortVlans;
use netloom_ports::memory::MemoryPeer;
use netloom_spanning_tree::{BridgeId, PortState, PortView, Priority, Role, is_bpdu};

/// Returns the port of a switch whose address contains its number, with VLANs or without.
fn port(switch: u32, vlans: Option<&str>) -> End {
    let address = [2, 0, 0, 0, 0, switch as u8];
    let bridge = Some(BridgeId::new(Priority::default(), address).into());
    let vlans = vlans.map(|text| serde_json::from_str::<PortVlans>(text).unwrap());
    let switch = SegmentId(switch);
    End::Segment(SwitchPort { switch, vlans, bridge, tree: TreeSettings::default() }.into())
}

/// Connects `switches` switches in a ring, with a device at each: links 0, 1, … join a switch to
/// the next one, and the links after them lead to the devices.
fn ring(switches: u32, vlans: Option<[&str; 2]>, config: &str) -> (Dataplane, Vec<MemoryPeer>) {
    let [trunk, access] = vlans.map_or([None; 2], |ports| ports.map(Some));
    let around = (0..switches).map(|switch| {
        let ends = [port(switch, trunk), port((switch + 1) % switches, trunk)];
        link(&format!("r{switch}"), ends, config)
    });
    let mut links: Vec<LinkWiring> = around.collect();
    let mut peers = Vec::new();
    for switch in 0..switches {
        let (end, peer) = device();
        peers.push(peer);
        links.push(link(&format!("h{switch}"), [end, port(switch, access)], "{}"));
    }
    (Dataplane::start(wiring(links), options()).unwrap(), peers)
}

/// A port of a tree, with its end of a link.
#[derive(Debug)]
struct PortStatus {
    link: LinkId,
    end: usize,
    port: PortView,
    root: (BridgeId, u32),
    discarded: u64,
}

fn ports(dataplane: &Dataplane) -> Vec<PortStatus> {
    let status = |end: SegmentEnd| {
        let TreePort { port, root, discarded, .. } = end.status.tree?;
        Some(PortStatus { link: end.link, end: end.end, port, root, discarded })
    };
    dataplane.segment_ends().unwrap().into_iter().filter_map(status).collect()
}

/// Whether all switches agree on the root, and the ring is open at one port.
fn settled(dataplane: &Dataplane) -> bool {
    let ports = ports(dataplane);
    let waiting = ports.iter().filter(|port| {
        let rests = matches!(port.port.role, Role::Alternate | Role::Backup | Role::Disabled);
        !rests && port.port.state != PortState::Forwarding && !leads_to_waiting(&ports, port)
    });
    ports.iter().all(|port| port.root.0 == ports[0].root.0) && waiting.count() == 0
}

/// Whether the neighbour of a designated port blocks the link. The port then need not forward yet.
fn leads_to_waiting(ports: &[PortStatus], port: &PortStatus) -> bool {
    let other = ports.iter().find(|other| other.link == port.link && other.end != port.end);
    other.is_some_and(|other| matches!(other.port.role, Role::Alternate | Role::Backup))
}

/// Returns all frames received, except BPDUs, until none has arrived for a while.
fn received(peer: &MemoryPeer) -> Vec<Vec<u8>> {
    let quiet = std::time::Duration::from_millis(200);
    let all = std::iter::from_fn(|| peer.receive(quiet));
    all.filter(|frame| !is_bpdu(frame)).collect()
}

fn cut(dataplane: &Dataplane, link: u32, state: &str) {
    let change = change(&format!(r#"{{"state":"{state}"}}"#));
    dataplane.change(&[(forward(link), change.clone()), (reverse(link), change)]).unwrap();
}

/// Checks that a broadcast of each device reaches every other one, once.
fn all_hear_all(peers: &[MemoryPeer]) {
    for (sender, peer) in peers.iter().enumerate() {
        assert!(peer.send(&broadcast(sender as u8)));
    }
    for (receiver, peer) in peers.iter().enumerate() {
        let mut frames = received(peer);
        frames.sort();
        let others = (0..peers.len()).filter(|sender| *sender != receiver);
        let mut expected: Vec<_> = others.map(|sender| broadcast(sender as u8)).collect();
        expected.sort();
        assert_eq!(frames, expected, "at {receiver}");
    }
}

#[test]
fn a_ring_carries_each_frame_once_whatever_link_is_cut() {
    let (dataplane, peers) = ring(4, None, r#"{"delay":"1ms"}"#);
    eventually("a tree", || settled(&dataplane));
    assert_eq!(ports(&dataplane)[0].root.0.address(), [2, 0, 0, 0, 0, 0], "the first is the root");
    all_hear_all(&peers);
    for link in 0..4 {
        cut(&dataplane, link, "down");
        eventually("another tree", || settled(&dataplane));
        all_hear_all(&peers);
        cut(&dataplane, link, "up");
        eventually("the tree again", || settled(&dataplane));
        all_hear_all(&peers);
    }
}

#[test]
fn a_ring_of_links_without_any_delay_carries_each_frame_once() {
    let (dataplane, peers) = ring(3, None, "{}");
    eventually("a tree", || settled(&dataplane));
    all_hear_all(&peers);
    let open: Vec<_> =
        ports(&dataplane).into_iter().filter(|p| p.port.role == Role::Alternate).collect();
    assert_eq!(open.len(), 1, "{open:?}");
    assert!(open[0].discarded > 0, "what came in there is counted");
}

#[test]
fn switches_that_know_vlans_form_one_tree_for_all_of_them() {
    let vlans = [r#"{"trunk": {"allowed": "all"}}"#, r#"{"access": 10}"#];
    let (dataplane, peers) = ring(3, Some(vlans), "{}");
    eventually("a tree", || settled(&dataplane));
    all_hear_all(&peers);
    cut(&dataplane, 0, "down");
    eventually("another tree", || settled(&dataplane));
    all_hear_all(&peers);
}

#[test]
fn addresses_learned_before_a_change_of_the_tree_are_forgotten() {
    let (dataplane, peers) = ring(3, None, "{}");
    eventually("a tree", || settled(&dataplane));
    // They communicate through the root, which is a neighbour of both: link 1 between them is not
    // in the tree.
    assert!(peers[1].send(&frame(2, 1, 60)));
    assert_eq!(received(&peers[2]), [frame(2, 1, 60)]);
    assert!(peers[2].send(&frame(1, 2, 61)));
    assert_eq!(received(&peers[1]), [frame(1, 2, 61)]);
    cut(&dataplane, 0, "down");
    eventually("another tree", || settled(&dataplane));
    // Switch 2, whose own links have not changed, has learned that the first is behind the root.
    // Now it sends first.
    assert!(peers[2].send(&frame(1, 2, 62)));
    assert_eq!(received(&peers[1]), [frame(1, 2, 62)]);
}

#[test]
fn a_slow_link_is_the_one_that_is_left_out() {
    let (dataplane, _peers) = ring(3, None, "{}");
    eventually("a tree", || settled(&dataplane));
    let left_out = |dataplane: &Dataplane| {
        let ports = ports(dataplane);
        ports.iter().find(|port| port.port.role == Role::Alternate).map(|port| port.link.0)
    };
    assert_eq!(left_out(&dataplane), Some(1));
    let slow = change(r#"{"rate":"10Mbit/s"}"#);
    dataplane.change(&[(forward(0), slow.clone()), (reverse(0), slow)]).unwrap();
    eventually("the way round", || left_out(&dataplane) == Some(0));
}

#[test]
fn all_ports_of_a_switch_are_of_one_tree() {
    let (a, b) = (device().0, device().0);
    let links =
        vec![link("a", [a, port(0, None)], "{}"), link("b", [b, End::switch(SegmentId(0))], "{}")];
    let refused = Dataplane::start(wiring(links), options()).unwrap_err();
    assert!(
        matches!(refused, DataplaneError::MixedSwitch { switch: SegmentId(0), .. }),
        "{refused}"
    );
}
