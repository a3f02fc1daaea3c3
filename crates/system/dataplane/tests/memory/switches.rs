//! Links joined by learning switches.

use crate::common::*;
use netloom_dataplane::{Dataplane, End};
use netloom_fabric::{LinkId, SegmentId};
use netloom_ports::memory::MemoryPeer;

/// Connects `hosts` devices to one switch.
fn lan(hosts: usize) -> (Dataplane, Vec<MemoryPeer>) {
    let mut peers = Vec::new();
    let links = (0..hosts).map(|index| {
        let (end, peer) = device();
        peers.push(peer);
        link(&format!("l{index}"), [end, End::switch(SegmentId(0))], "{}")
    });
    let wiring = wiring(links);
    (Dataplane::start(wiring, options()).unwrap(), peers)
}

#[test]
fn unknown_destinations_are_flooded_and_known_ones_are_not() {
    let (dataplane, hosts) = lan(3);
    assert!(hosts[0].send(&frame(1, 0, 60)));
    assert_eq!(hosts[1].receive(PATIENCE), Some(frame(1, 0, 60)));
    assert_eq!(hosts[2].receive(PATIENCE), Some(frame(1, 0, 60)), "flooded");
    assert!(hosts[1].send(&frame(0, 1, 61)));
    assert_eq!(hosts[0].receive(PATIENCE), Some(frame(0, 1, 61)));
    assert!(hosts[0].send(&frame(1, 0, 62)));
    assert_eq!(hosts[1].receive(PATIENCE), Some(frame(1, 0, 62)));
    assert!(hosts[2].send(&broadcast(2)));
    assert_eq!(hosts[0].receive(PATIENCE), Some(broadcast(2)));
    assert_eq!(hosts[1].receive(PATIENCE), Some(broadcast(2)));
    assert_eq!(statistics(&dataplane, reverse(2)).offered.frames, 1, "the first flood only");
}

#[test]
fn a_cut_port_is_forgotten() {
    let (dataplane, hosts) = lan(3);
    assert!(hosts[1].send(&broadcast(1)));
    assert!(hosts[0].receive(PATIENCE).is_some() && hosts[2].receive(PATIENCE).is_some());
    let down = change(r#"{"state":"down"}"#);
    dataplane.change(&[(forward(1), down.clone()), (reverse(1), down)]).unwrap();
    assert!(!hosts[1].carrier());
    assert!(hosts[0].send(&frame(1, 0, 60)));
    assert_eq!(hosts[2].receive(PATIENCE), Some(frame(1, 0, 60)), "flooded again");
}

#[test]
fn switches_can_be_chained_and_their_delays_add_up() {
    let ((a, left), (b, right)) = (device(), device());
    let wiring = wiring(vec![
        link("a", [a, End::switch(SegmentId(0))], r#"{"delay":"1ms"}"#),
        link("trunk", [End::switch(SegmentId(0)), End::switch(SegmentId(1))], r#"{"delay":"2ms"}"#),
        link("b", [End::switch(SegmentId(1)), b], r#"{"delay":"3ms"}"#),
    ]);
    let dataplane = Dataplane::start(wiring, options()).unwrap();
    let mut trunk = dataplane.capture(LinkId(1), 0).unwrap();
    let mut last = dataplane.capture(LinkId(2), 0).unwrap();
    assert!(left.send(&frame(2, 1, 60)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
    // At each switch, a frame continues at the time of the model, not when the engine polled it.
    let (entered, left) = (trunk.recv_timeout(PATIENCE).unwrap(), last.recv_timeout(PATIENCE));
    assert_eq!(left.unwrap().time.since(entered.time).as_nanos(), 2_000_000);
}

/// Two switches with two links between them: a broadcast circulates forever, and multiplies.
#[test]
fn a_forwarding_loop_does_not_take_the_data_plane_down() {
    let ((a, left), (b, right)) = (device(), device());
    let trunk = |name| {
        link(name, [End::switch(SegmentId(0)), End::switch(SegmentId(1))], r#"{"delay":"10us"}"#)
    };
    let wiring = wiring(vec![
        link("a", [a, End::switch(SegmentId(0))], "{}"),
        trunk("one"),
        trunk("two"),
        trunk("three"),
        link("b", [End::switch(SegmentId(1)), b], "{}"),
    ]);
    let options = netloom_dataplane::Options { frame_memory: Some(1 << 22), ..options() };
    let dataplane = Dataplane::start(wiring, options).unwrap();
    assert!(left.send(&broadcast(1)));
    eventually("the storm", || dataplane.timing().unwrap().unmodelled.no_memory > 0);
    assert!(right.receive(PATIENCE).is_some());
    let down = change(r#"{"state":"down"}"#);
    let cut = [1, 2].into_iter().flat_map(|link| [forward(link), reverse(link)]);
    let cut: Vec<_> = cut.map(|id| (id, down.clone())).collect();
    dataplane.change(&cut).unwrap();
    eventually("calm", || {
        let pipes = dataplane.pipes().unwrap();
        pipes.iter().all(|pipe| pipe.statistics.in_flight.frames == 0)
    });
}
