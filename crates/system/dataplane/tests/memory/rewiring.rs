//! Links are added to and removed from a running data plane.

use std::collections::BTreeMap;

use crate::common::*;
use netloom_dataplane::{
    Dataplane, DataplaneError, End, Incoming, Limits, LinkWiring, Options, Unwired, Watch,
};
use netloom_fabric::{LinkId, SegmentId};
use netloom_link::PortVlans;
use netloom_ports::memory::MemoryPeer;
use netloom_units::Duration;

fn start(links: Vec<LinkWiring>, workers: usize) -> Dataplane {
    let options = Options { workers: Some(workers), ..options() };
    Dataplane::start(wiring(links), options).unwrap()
}

fn taken(dataplane: &mut Dataplane, link: u32) -> (Unwired, [End; 2]) {
    dataplane.take_out(&[(LinkId(link), format!("l{link}"))]).unwrap().remove(0)
}

/// Creates a new link with this identity.
fn new(id: u32, link: LinkWiring) -> Incoming {
    Incoming::New(Box::new(LinkWiring { id: LinkId(id), ..link }))
}

fn put_in(dataplane: &mut Dataplane, links: Vec<Incoming>) {
    assert!(dataplane.put_in(links, None).unwrap().is_none());
}

#[test]
fn remaining_links_keep_their_frames_counts_and_identities() {
    let ((a, left), (b, right)) = (device(), device());
    let ((c, other), (d, _other)) = (device(), device());
    let delay = r#"{"delay":"300ms"}"#;
    let mut dataplane = start(vec![link("gone", [c, d], delay), link("l", [a, b], delay)], 1);
    assert!(left.send(&frame(2, 1, 60)) && other.send(&frame(2, 1, 60)));
    eventually("both frames are under way", || {
        [0, 1].iter().all(|l| statistics(&dataplane, forward(*l)).offered.frames == 1)
    });
    let gone = taken(&mut dataplane, 0);
    assert_eq!(dataplane.pipes().unwrap().len(), 2, "those of one link");
    let ((e, _new), (f, far)) = (device(), device());
    put_in(&mut dataplane, vec![new(2, link("n", [e, f], "{}"))]);
    assert_eq!(statistics(&dataplane, forward(1)).offered.frames, 1);
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
    assert!(far.send(&frame(1, 2, 70)));
    eventually("it is counted where it was", || {
        statistics(&dataplane, reverse(2)).offered.frames == 1
    });
    // The frames of a removed link were lost with it, and none of them remains for another link.
    put_in(&mut dataplane, vec![Incoming::Back(gone.0, gone.1)]);
    let back = statistics(&dataplane, forward(0));
    assert_eq!((back.offered.frames, back.delivered.frames, back.dropped.down.frames), (1, 0, 1));
    assert!(other.send(&frame(2, 1, 80)));
    assert_eq!(_other.receive(PATIENCE), Some(frame(2, 1, 80)));
    assert_eq!(dataplane.stop().len(), 6);
}

#[test]
fn an_interface_goes_from_one_link_to_another_with_its_carrier() {
    let ((a, left), (b, right)) = (device(), device());
    let mut dataplane = start(vec![link("l", [a, b], r#"{"state":"down"}"#)], 1);
    assert!(!left.carrier() && !right.carrier());
    let (_, [a, _b]) = taken(&mut dataplane, 0);
    let (c, third) = device();
    put_in(&mut dataplane, vec![new(1, link("new", [c, a], "{}"))]);
    assert!(left.carrier(), "it is back");
    assert!(left.send(&frame(3, 1, 60)));
    assert_eq!(third.receive(PATIENCE), Some(frame(3, 1, 60)));
    assert!(!right.send(&frame(1, 2, 60)) || right.receive(NOTHING).is_none());
}

#[test]
fn switches_that_become_joined_come_to_one_worker_with_their_frames() {
    let (mut links, mut peers) = (Vec::new(), Vec::new());
    for (index, switch) in [0, 0, 1, 1].into_iter().enumerate() {
        let (end, peer) = device();
        peers.push(peer);
        links.push(link(
            &format!("l{index}"),
            [end, End::switch(SegmentId(switch))],
            r#"{"delay":"200ms"}"#,
        ));
    }
    let mut dataplane = start(links, 2);
    assert_eq!(dataplane.timing().unwrap().workers.len(), 2);
    assert!(peers[0].send(&frame(1, 0, 60)) && peers[2].send(&frame(3, 2, 61)));
    eventually("both frames are under way", || {
        [0, 2].iter().all(|l| statistics(&dataplane, forward(*l)).offered.frames == 1)
    });
    let trunk = link("trunk", [End::switch(SegmentId(0)), End::switch(SegmentId(1))], "{}");
    put_in(&mut dataplane, vec![new(4, trunk)]);
    // Both are flooded through both switches, in any order. No sender receives its own frame.
    for (peer, mut wanted) in peers.iter().zip([
        vec![frame(3, 2, 61)],
        vec![frame(1, 0, 60), frame(3, 2, 61)],
        vec![frame(1, 0, 60)],
        vec![frame(1, 0, 60), frame(3, 2, 61)],
    ]) {
        let mut frames: Vec<_> = wanted.iter().filter_map(|_| peer.receive(PATIENCE)).collect();
        frames.sort();
        wanted.sort();
        assert_eq!(frames, wanted);
    }
    assert_eq!(statistics(&dataplane, forward(0)).delivered.frames, 1);
    let timing = dataplane.timing().unwrap();
    assert_eq!(timing.unmodelled.total(), 0);
}

#[test]
fn links_that_cannot_be_added_are_returned_and_others_go_on() {
    let ((a, left), (b, right)) = (device(), device());
    let (c, third) = device();
    let links = vec![
        link("l", [a, End::switch(SegmentId(0))], "{}"),
        link("m", [b, End::switch(SegmentId(0))], "{}"),
    ];
    let mut dataplane = start(links, 1);
    let gone = taken(&mut dataplane, 1);
    let access = End::vlan_port(SegmentId(0), PortVlans::Access("10".parse().unwrap()));
    let wrong = new(2, link("n", [c, access], "{}"));
    let links = vec![wrong, Incoming::Back(gone.0, gone.1)];
    let refused = dataplane.put_in(links, None).unwrap_err();
    assert!(matches!(&refused.error, DataplaneError::MixedSwitch { link, .. } if link == "n"));
    let mut links = refused.links;
    assert!(matches!(links[..], [Incoming::Back(..), Incoming::Back(..)]));
    links.remove(0);
    put_in(&mut dataplane, links);
    assert!(left.send(&frame(2, 1, 60)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
    assert_eq!(third.receive(NOTHING), None);
    let unread = link("u", [device().0, device().0], r#"{"rate":{"trace":"lte.trace"}}"#);
    let refused = dataplane.put_in(vec![new(2, unread)], None).unwrap_err();
    assert!(matches!(refused.error, DataplaneError::UnreadFile { link: LinkId(2), .. }));
    let known = new(1, link("k", [device().0, device().0], "{}"));
    let refused = dataplane.put_in(vec![known], None).unwrap_err();
    assert!(matches!(&refused.error, DataplaneError::KnownLink { link, .. } if link == "k"));
}

#[test]
fn each_frame_is_reported_once_before_and_after_a_change() {
    let patient = Limits {
        tolerance: Duration::from_millis(1_000_000),
        needed: Duration::from_millis(1_000_000),
        pause: Duration::from_millis(1_000_000),
    };
    let (mut dataplane, left, right) = one_link("{}");
    let mut before = dataplane.watch(patient).unwrap();
    for _ in 0..10 {
        assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    }
    let ((c, near), (d, far)) = (device(), device());
    let links = vec![new(1, link("n", [c, d], "{}"))];
    let mut after = dataplane.put_in(links, Some(patient)).unwrap().unwrap();
    for _ in 0..7 {
        assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    }
    assert!(near.send(&frame(2, 1, 60)) && far.receive(PATIENCE).is_some());
    let punctual = |watch: &mut Watch| -> u64 {
        let common = watch.look(dataplane.now(), true, |seen| panic!("{seen:?}"));
        common.punctual.iter().map(|(_, frames)| frames).sum()
    };
    assert_eq!(punctual(&mut before), 10);
    // A frame is counted a moment after it was handed over.
    let mut sum = 0;
    eventually("eight are counted", || {
        sum += punctual(&mut after);
        sum == 8
    });
    let pipes: BTreeMap<_, _> =
        after.work().flat_map(|work| work.pipes).map(|work| (work.pipe, work.frames)).collect();
    assert_eq!(pipes, [(forward(0), 7), (forward(1), 1)].into());
}

/// Hosts and trunks are added and removed at random. The hosts that receive a broadcast are those
/// that are connected.
#[test]
fn after_any_changes_frames_go_where_the_links_lead() {
    const SWITCHES: usize = 4;
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut dataplane = start(vec![], 3);
    // Each link connects a host to a switch, or a switch to the next one.
    let mut links: Vec<(u32, Option<MemoryPeer>, usize)> = Vec::new();
    let mut ids = 0..;
    for round in 0..120 {
        let (removed, kept): (Vec<_>, _) = links.into_iter().partition(|_| random(4) == 0);
        links = kept;
        let names: Vec<_> =
            removed.iter().map(|(id, ..)| (LinkId(*id), format!("r{id}"))).collect();
        drop(dataplane.take_out(&names).unwrap());
        let mut incoming = Vec::new();
        for _ in 0..random(3) {
            let ((end, peer), switch, id) = (device(), random(SWITCHES), ids.next().unwrap());
            let ends = [end, End::switch(SegmentId(switch as u32))];
            incoming.push(new(id, link(&format!("h{round}"), ends, "{}")));
            links.push((id, Some(peer), switch));
        }
        let trunk = random(SWITCHES - 1);
        if !links.iter().any(|(_, peer, at)| peer.is_none() && *at == trunk) {
            let id = ids.next().unwrap();
            let ends = [trunk, trunk + 1].map(|switch| End::switch(SegmentId(switch as u32)));
            incoming.push(new(id, link(&format!("t{round}"), ends, "{}")));
            links.push((id, None, trunk));
        }
        put_in(&mut dataplane, incoming);
        let Some((sender, at)) = links.iter().find_map(|(_, p, at)| Some((p.as_ref()?, *at)))
        else {
            continue;
        };
        let joined = |from: usize, to: usize| {
            let trunks = |t: &usize| links.iter().any(|(_, peer, at)| peer.is_none() && at == t);
            (from.min(to)..from.max(to)).all(|t| trunks(&t))
        };
        let length = 60 + round;
        let mut sent = broadcast(1);
        sent.resize(length, 7);
        assert!(sender.send(&sent));
        for (peer, switch) in links.iter().filter_map(|(_, p, at)| Some((p.as_ref()?, *at))) {
            if !std::ptr::eq(peer, sender) && joined(at, switch) {
                assert_eq!(peer.receive(PATIENCE), Some(sent.clone()), "round {round}");
            }
        }
        // If another host had received it, its next frame would be a wrong one in the next round.
    }
    assert_eq!(dataplane.timing().unwrap().unmodelled.total(), 0);
}
