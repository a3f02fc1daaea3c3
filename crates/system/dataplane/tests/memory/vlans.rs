//! Switches with VLANs, and interfaces with sub-interfaces, with devices in memory.

use crate::common::*;
use netloom_dataplane::{Dataplane, DataplaneError, End, LinkWiring, Options};
use netloom_fabric::{LinkId, SegmentId};
use netloom_link::{Count, Vid};
use netloom_ports::memory::{self, MemoryPeer};

fn port(switch: u32, text: &str) -> End {
    End::vlan_port(SegmentId(switch), serde_json::from_str(text).expect("a port"))
}

const ACCESS_10: &str = r#"{"access": 10}"#;
const ACCESS_20: &str = r#"{"access": 20}"#;
const TRUNK: &str = r#"{"trunk": {"allowed": [10, 20]}}"#;
const NATIVE_20: &str = r#"{"trunk": {"allowed": [10], "native": 20}}"#;

fn start(links: Vec<LinkWiring>) -> Dataplane {
    Dataplane::start(wiring(links), options()).unwrap()
}

/// Connects a device to each of these ports of one switch, over links with the same configuration.
fn lan(ports: &[&str], config: &str) -> (Dataplane, Vec<MemoryPeer>) {
    let mut peers = Vec::new();
    let links = ports.iter().enumerate().map(|(index, text)| {
        let (end, peer) = device();
        peers.push(peer);
        link(&format!("l{index}"), [end, port(0, text)], config)
    });
    let links = links.collect();
    (start(links), peers)
}

/// Adds a tag of priority 0 to a frame.
fn tagged(vlan: u16, bytes: &[u8]) -> Vec<u8> {
    [&bytes[..12], &[0x81, 0], &vlan.to_be_bytes(), &bytes[12..]].concat()
}

fn receive(peer: &MemoryPeer) -> Vec<u8> {
    peer.receive(PATIENCE).expect("a frame")
}

/// Returns the frames that the port at the second end of a link has dropped: foreign and untagged
/// ones.
fn refused(dataplane: &Dataplane, link: u32) -> [Count; 2] {
    let ends = dataplane.segment_ends().unwrap();
    let end = ends.into_iter().find(|end| (end.link, end.end) == (LinkId(link), 1)).unwrap();
    let (_, dropped) = end.status.vlan.unwrap();
    [dropped.foreign, dropped.untagged]
}

#[test]
fn a_broadcast_reaches_its_vlan_with_the_tags_each_port_says() {
    let (dataplane, hosts) = lan(&[ACCESS_10, ACCESS_10, ACCESS_20, TRUNK, NATIVE_20], "{}");
    assert!(hosts[0].send(&broadcast(0)));
    assert_eq!(receive(&hosts[1]), broadcast(0));
    assert_eq!(receive(&hosts[3]), tagged(10, &broadcast(0)));
    assert_eq!(receive(&hosts[4]), tagged(10, &broadcast(0)));
    assert!(hosts[3].send(&tagged(20, &broadcast(3))));
    assert_eq!(receive(&hosts[2]), broadcast(3), "the first that reaches VLAN 20");
    assert_eq!(receive(&hosts[4]), broadcast(3));
    // For a unicast frame, the tag is removed and added in place.
    assert!(hosts[1].send(&frame(0, 1, 60)));
    assert_eq!(receive(&hosts[0]), frame(0, 1, 60));
    assert!(hosts[2].send(&frame(3, 2, 60)));
    assert_eq!(receive(&hosts[3]), tagged(20, &frame(3, 2, 60)));
    let offered = |link| statistics(&dataplane, reverse(link)).offered.frames;
    assert_eq!([0, 1, 2, 3, 4].map(offered), [1, 1, 1, 2, 2]);
}

#[test]
fn frames_that_a_port_refuses_are_counted_there() {
    let (dataplane, hosts) = lan(&[ACCESS_10, ACCESS_10, TRUNK], "{}");
    assert!(hosts[0].send(&tagged(20, &broadcast(0))));
    assert!(hosts[2].send(&broadcast(2)));
    assert!(hosts[2].send(&tagged(4095, &broadcast(2))));
    assert!(hosts[2].send(&tagged(10, &frame(1, 2, 100))));
    assert_eq!(receive(&hosts[1]), frame(1, 2, 100), "nothing else before");
    // The other access port also receives the complete frame.
    assert_eq!(receive(&hosts[0]), frame(1, 2, 100));
    let (none, tagged) = (Count::default(), Count { frames: 1, bytes: 64 });
    assert_eq!(refused(&dataplane, 0), [tagged, none]);
    assert_eq!(refused(&dataplane, 1), [none, none]);
    assert_eq!(refused(&dataplane, 2), [tagged, Count { frames: 1, bytes: 60 }]);
    assert_eq!(dataplane.timing().unwrap().unmodelled.total(), 0, "the model's, not the engine's");
}

#[test]
fn refused_super_frames_count_as_wire_frames() {
    let (dataplane, hosts) = lan(&[TRUNK, ACCESS_10], "{}");
    let (header, bytes) = super_frame(3000);
    assert!(hosts[0].send_with(&header, &bytes));
    eventually("the count", || refused(&dataplane, 0)[1].frames == 3);
    // Three times the headers.
    assert_eq!(refused(&dataplane, 0)[1].bytes, 3 * 54 + 3000);
}

#[test]
fn a_super_frame_stays_whole_through_tagging_and_untagging() {
    let ((a, left), (b, right)) = (device(), device());
    let links = vec![
        link("a", [a, port(0, ACCESS_10)], "{}"),
        link("trunk", [port(0, TRUNK), port(1, TRUNK)], "{}"),
        link("b", [port(1, ACCESS_10), b], "{}"),
    ];
    let dataplane = start(links);
    for payload in [3000, 60_000] {
        let (header, bytes) = super_frame(payload);
        assert!(left.send_with(&header, &bytes));
        assert_eq!(right.receive_with(PATIENCE), Some((header, bytes)));
    }
    let trunk = statistics(&dataplane, forward(1)).delivered;
    assert_eq!(trunk, Count { frames: 63, bytes: 63_000 + 63 * 58 }, "each has a tag");
}

#[test]
fn a_router_on_a_stick_is_in_every_vlan_with_one_address() {
    let (dataplane, hosts, router) = stick();
    let untagged = &router[0];
    for (host, vlan) in [(0, 1), (1, 2)] {
        assert!(hosts[host].send(&broadcast(host as u8)));
        assert_eq!(receive(&router[vlan]), broadcast(host as u8), "without its tag");
        // The router has the same address, 9, in both VLANs.
        assert!(router[vlan].send(&frame(host as u8, 9, 60)));
        assert_eq!(receive(&hosts[host]), frame(host as u8, 9, 60));
    }
    assert!(hosts[0].send(&frame(9, 0, 61)));
    assert_eq!(receive(&router[1]), frame(9, 0, 61), "and only here");
    assert!(hosts[1].send(&frame(9, 1, 62)));
    assert_eq!(receive(&router[2]), frame(9, 1, 62));
    assert!(untagged.send(&broadcast(9)));
    eventually("the refusal", || refused(&dataplane, 2)[1].frames == 1);
    assert_eq!(untagged.receive(NOTHING), None);
}

#[test]
fn a_malformed_frame_stays_malformed_with_a_tag() {
    let (dataplane, hosts, router) = stick();
    assert!(router[1].send(&[0xff; 13]));
    assert!(router[1].send(&broadcast(9)));
    assert_eq!(receive(&hosts[0]), broadcast(9), "nothing else before");
    assert_eq!(dataplane.timing().unwrap().unmodelled.malformed, 1);
}

/// Two hosts in VLANs 10 and 20, and a router with an interface and two sub-interfaces at a trunk.
fn stick() -> (Dataplane, [MemoryPeer; 2], [MemoryPeer; 3]) {
    let ((a, ten), (b, twenty)) = (device(), device());
    let [eth, eth10, eth20] = std::array::from_fn(|_| memory::pair(64).unwrap());
    let vlan = |number| Vid::new(number).unwrap();
    let stick = End::Trunk {
        untagged: Box::new(eth.0),
        vlans: vec![(vlan(10), Box::new(eth10.0)), (vlan(20), Box::new(eth20.0))],
    };
    let links = vec![
        link("a", [a, port(0, ACCESS_10)], "{}"),
        link("b", [b, port(0, ACCESS_20)], "{}"),
        link("stick", [stick, port(0, TRUNK)], "{}"),
    ];
    (start(links), [ten, twenty], [eth.1, eth10.1, eth20.1])
}

#[test]
fn a_cut_link_takes_the_carrier_from_all_its_interfaces_and_is_forgotten() {
    let (dataplane, hosts, router) = stick();
    assert!(router[1].send(&broadcast(9)));
    assert_eq!(receive(&hosts[0]), broadcast(9));
    let set = |text| {
        let change = change(text);
        dataplane.change(&[(forward(2), change.clone()), (reverse(2), change)]).unwrap();
    };
    set(r#"{"state":"down"}"#);
    assert!(router.iter().all(|interface| !interface.carrier()));
    set(r#"{"state":"up"}"#);
    assert!(router.iter().all(MemoryPeer::carrier));
}

#[test]
fn captures_and_pipes_see_tags_as_they_are_on_the_link() {
    let (dataplane, hosts, router) = stick();
    let mut capture = dataplane.capture(LinkId(2), 0).unwrap();
    assert!(hosts[0].send(&broadcast(0)));
    assert_eq!(receive(&router[1]), broadcast(0));
    assert!(router[2].send(&broadcast(9)));
    let captured = [(); 2].map(|()| capture.recv_timeout(PATIENCE).unwrap().bytes);
    assert_eq!(captured, [tagged(10, &broadcast(0)), tagged(20, &broadcast(9))]);
    assert_eq!(statistics(&dataplane, reverse(2)).delivered.bytes, 64);
}

#[test]
fn a_tag_does_not_count_against_the_mtu_of_a_pipe() {
    let (dataplane, hosts) = lan(&[TRUNK, ACCESS_10], r#"{"pipe_mtu":"100B"}"#);
    let longest = frame(1, 0, 114);
    assert!(hosts[0].send(&tagged(10, &longest)));
    assert_eq!(receive(&hosts[1]), longest);
    assert!(hosts[0].send(&tagged(10, &frame(1, 0, 115))));
    eventually("the drop", || statistics(&dataplane, forward(0)).dropped.mtu.frames == 1);
    // Of two tags, one belongs to the packet.
    assert!(hosts[0].send(&tagged(10, &tagged(30, &frame(1, 0, 111)))));
    eventually("the drop", || statistics(&dataplane, forward(0)).dropped.mtu.frames == 2);
}

/// Bit errors behind one port appear only there: receivers of a flood share its memory until one of
/// them changes it. Both with and without tags to change.
#[test]
fn bit_errors_behind_one_port_show_at_no_other() {
    for ports in [[ACCESS_10; 4], [ACCESS_10, TRUNK, TRUNK, ACCESS_10]] {
        let mut links = Vec::new();
        let mut peers = Vec::new();
        for (index, text) in ports.into_iter().enumerate() {
            let (end, peer) = device();
            // About 25 of a frame's bits are flipped: practically no frame is spared.
            let noise = [r#"{"ber":"0.01","bit_errors":"flip"}"#, "{}"];
            let mut wired = link(&format!("l{index}"), [end, port(0, text)], "{}");
            wired.pipes[1] = config(noise[usize::from(index % 2 == 0)]);
            links.push(wired);
            peers.push(peer);
        }
        let _dataplane = start(links);
        let mut clean = broadcast(0);
        clean.resize(300, 7);
        let expected = |port: usize| match ports[port] {
            TRUNK => tagged(10, &clean),
            _ => clean.clone(),
        };
        let mut hit = [0; 4];
        for _ in 0..50 {
            assert!(peers[0].send(&clean));
            for (index, peer) in peers.iter().enumerate().skip(1) {
                let frame = receive(peer);
                assert_eq!(frame.len(), expected(index).len());
                hit[index] += u32::from(frame != expected(index));
            }
        }
        // 1 - 0.99^2400 of the frames are affected: all 50, except with a probability of 2e-9.
        assert_eq!(hit, [0, 50, 0, 50], "{ports:?}");
    }
}

/// A frame whose tag type has bit errors seems untagged to the next switch, and gets another tag
/// there.
#[test]
fn tags_that_bit_errors_destroy_do_no_harm() {
    let ((a, left), (b, right)) = (device(), device());
    let native = r#"{"trunk": {"allowed": "all", "native": 20}}"#;
    let mut noisy = link("noisy", [port(0, TRUNK), port(1, native)], "{}");
    noisy.pipes[0] = config(r#"{"ber":"0.02","bit_errors":"flip"}"#);
    let links = vec![
        link("a", [a, port(0, ACCESS_10)], "{}"),
        noisy,
        link("b", [port(1, r#"{"trunk": {"allowed": "all"}}"#), b], "{}"),
    ];
    let dataplane = start(links);
    let sent = 2000;
    for _ in 0..sent / 100 {
        for _ in 0..100 {
            assert!(left.send(&broadcast(0)));
        }
        while right.receive(NOTHING).is_some() {}
    }
    let sum = |at: [u64; 3]| at.iter().sum::<u64>();
    let onward = statistics(&dataplane, forward(2)).offered.frames;
    let [foreign, untagged] = refused(&dataplane, 1).map(|count| count.frames);
    // A frame may have its source address where its destination should be.
    assert!(sum([onward, foreign, untagged]) <= sent, "{onward} {foreign} {untagged}");
    assert!(onward > sent / 2, "{onward}");
    let grown = statistics(&dataplane, forward(2)).offered.bytes - 64 * onward;
    // The type survives with probability 0.98^16 = 0.72. Otherwise there are two tags.
    assert!(grown > 0, "no tag was ever destroyed");
}

#[test]
fn a_switch_knows_vlans_at_all_ports_or_at_none() {
    let links = vec![
        link("a", [device().0, port(0, ACCESS_10)], "{}"),
        link("b", [device().0, End::switch(SegmentId(0))], "{}"),
    ];
    let result = Dataplane::start(wiring(links), Options::default());
    let is_mixed = matches!(
        &result, Err(DataplaneError::MixedSwitch { link, switch: SegmentId(0) }) if link == "b");
    assert!(is_mixed, "{result:?}");
}
