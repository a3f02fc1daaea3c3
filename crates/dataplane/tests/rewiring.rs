//! Links of a running data plane come and go.

mod common;

use std::collections::BTreeMap;

use common::*;
use netloom_dataplane::{
    Dataplane, DataplaneError, End, Limits, LinkWiring, Options, Rewired, Unwired, Watch, Wiring,
};
use netloom_link::PortVlans;
use netloom_ports::memory::MemoryPeer;
use netloom_units::Duration;

fn start(links: Vec<LinkWiring>, switches: usize, workers: usize) -> Dataplane {
    let options = Options { workers: Some(workers), ..options() };
    Dataplane::start(Wiring { links, switches }, options).unwrap()
}

fn taken(dataplane: &mut Dataplane, link: usize) -> (Unwired, [End; 2]) {
    dataplane.take_out(&[(link, format!("l{link}"))]).unwrap().remove(0)
}

fn put_in(dataplane: &mut Dataplane, links: Vec<Rewired>) {
    assert!(dataplane.put_in(links, None).unwrap().is_none());
}

#[test]
fn what_stays_keeps_its_frames_and_counts_under_another_number() {
    let ((a, left), (b, right)) = (device(), device());
    let ((c, other), (d, _other)) = (device(), device());
    let delay = r#"{"delay":"300ms"}"#;
    let mut dataplane = start(vec![link("gone", [c, d], delay), link("l", [a, b], delay)], 0, 1);
    assert!(left.send(&frame(2, 1, 60)) && other.send(&frame(2, 1, 60)));
    eventually("both frames are under way", || {
        [0, 1].iter().all(|l| statistics(&dataplane, forward(*l)).offered.frames == 1)
    });
    let gone = taken(&mut dataplane, 0);
    assert_eq!(dataplane.pipes().unwrap().len(), 2, "of one link");
    let ((e, _new), (f, new)) = (device(), device());
    let links = vec![Rewired::Kept(1), Rewired::New(Box::new(link("n", [e, f], "{}")))];
    put_in(&mut dataplane, links);
    assert_eq!(statistics(&dataplane, forward(0)).offered.frames, 1);
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
    assert!(new.send(&frame(1, 2, 70)));
    eventually("it is counted by its number", || {
        statistics(&dataplane, reverse(1)).offered.frames == 1
    });
    // The frames of a link that is gone were lost with it, and none of them is left for another.
    put_in(&mut dataplane, vec![Rewired::Kept(0), Rewired::Back(gone.0, gone.1), Rewired::Kept(1)]);
    let back = statistics(&dataplane, forward(1));
    assert_eq!((back.offered.frames, back.delivered.frames, back.dropped.down.frames), (1, 0, 1));
    assert!(other.send(&frame(2, 1, 80)));
    assert_eq!(_other.receive(PATIENCE), Some(frame(2, 1, 80)));
    assert_eq!(dataplane.stop().len(), 6);
}

#[test]
fn an_interface_goes_from_one_link_to_another_with_its_carrier() {
    let ((a, left), (b, right)) = (device(), device());
    let mut dataplane = start(vec![link("l", [a, b], r#"{"state":"down"}"#)], 0, 1);
    assert!(!left.carrier() && !right.carrier());
    let (_, [a, _b]) = taken(&mut dataplane, 0);
    let (c, third) = device();
    put_in(&mut dataplane, vec![Rewired::New(Box::new(link("new", [c, a], "{}")))]);
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
        links.push(link(&format!("l{index}"), [end, End::switch(switch)], r#"{"delay":"200ms"}"#));
    }
    let mut dataplane = start(links, 2, 2);
    assert_eq!(dataplane.timing().unwrap().workers.len(), 2);
    assert!(peers[0].send(&frame(1, 0, 60)) && peers[2].send(&frame(3, 2, 61)));
    eventually("both frames are under way", || {
        [0, 2].iter().all(|l| statistics(&dataplane, forward(*l)).offered.frames == 1)
    });
    let trunk = link("trunk", [End::switch(0), End::switch(1)], "{}");
    let links = (0..4).map(Rewired::Kept).chain([Rewired::New(Box::new(trunk))]).collect();
    put_in(&mut dataplane, links);
    // Both are flooded, through both switches, in whatever order; none comes back to who sent it.
    for (peer, mut wanted) in peers.iter().zip([
        vec![frame(3, 2, 61)],
        vec![frame(1, 0, 60), frame(3, 2, 61)],
        vec![frame(1, 0, 60)],
        vec![frame(1, 0, 60), frame(3, 2, 61)],
    ]) {
        let mut heard: Vec<_> = wanted.iter().filter_map(|_| peer.receive(PATIENCE)).collect();
        heard.sort();
        wanted.sort();
        assert_eq!(heard, wanted);
    }
    assert_eq!(statistics(&dataplane, forward(0)).delivered.frames, 1);
    let timing = dataplane.timing().unwrap();
    assert_eq!(timing.unmodelled.total(), 0);
}

#[test]
fn what_cannot_be_put_in_comes_back_and_the_rest_goes_on() {
    let ((a, left), (b, right)) = (device(), device());
    let (c, third) = device();
    let links = vec![link("l", [a, End::switch(0)], "{}"), link("m", [b, End::switch(0)], "{}")];
    let mut dataplane = start(links, 1, 1);
    let gone = taken(&mut dataplane, 1);
    let access = End::vlan_port(0, PortVlans::Access("10".parse().unwrap()));
    let wrong = Rewired::New(Box::new(link("n", [c, access], "{}")));
    let links = vec![Rewired::Kept(0), wrong, Rewired::Back(gone.0, gone.1)];
    let refused = dataplane.put_in(links, None).unwrap_err();
    assert!(matches!(&refused.error, DataplaneError::MixedSwitch { link, .. } if link == "n"));
    let mut links = refused.links;
    assert!(matches!(links[..], [Rewired::Kept(0), Rewired::Back(..), Rewired::Back(..)]));
    links.remove(1);
    put_in(&mut dataplane, links);
    assert!(left.send(&frame(2, 1, 60)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
    assert_eq!(third.receive(NOTHING), None);
    let unread = link("u", [device().0, device().0], r#"{"rate":{"trace":"lte.trace"}}"#);
    let links = vec![Rewired::Kept(0), Rewired::Kept(1), Rewired::New(Box::new(unread))];
    let refused = dataplane.put_in(links, None).unwrap_err();
    assert!(matches!(refused.error, DataplaneError::UnreadFile { link: 2, .. }));
}

#[test]
fn a_monitor_is_told_of_each_frame_once_before_and_after() {
    let patient = Limits {
        tolerance: Duration::from_millis(1_000_000),
        pause: Duration::from_millis(1_000_000),
    };
    let (mut dataplane, left, right) = one_link("{}");
    let mut before = dataplane.watch(patient).unwrap();
    for _ in 0..10 {
        assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    }
    let ((c, new), (d, far)) = (device(), device());
    let links = vec![Rewired::New(Box::new(link("n", [c, d], "{}"))), Rewired::Kept(0)];
    let mut after = dataplane.put_in(links, Some(patient)).unwrap().unwrap();
    for _ in 0..7 {
        assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    }
    assert!(new.send(&frame(2, 1, 60)) && far.receive(PATIENCE).is_some());
    let told = |watch: &mut Watch| -> u64 {
        let common = watch.look(dataplane.now(), true, |seen| panic!("{seen:?}"));
        common.punctual.iter().map(|(_, frames)| frames).sum()
    };
    assert_eq!(told(&mut before), 10);
    // A frame is counted a moment after it was handed over.
    let mut sum = 0;
    eventually("eight are counted", || {
        sum += told(&mut after);
        sum == 8
    });
    let pipes: BTreeMap<_, _> =
        after.work().flat_map(|work| work.pipes).map(|work| (work.pipe, work.frames)).collect();
    assert_eq!(pipes, [(forward(0), 1), (forward(1), 7)].into());
}

/// Hosts and trunks come and go at random; who hears a broadcast is who is joined.
#[test]
fn after_any_changes_frames_go_where_the_links_lead() {
    const SWITCHES: usize = 4;
    let mut state = 7u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut dataplane = start(vec![], SWITCHES, 3);
    // The links in order: a host at a switch, or a trunk from a switch to the next.
    let mut links: Vec<(Option<MemoryPeer>, usize)> = Vec::new();
    for round in 0..120 {
        let (removed, mut plan): (Vec<usize>, Vec<usize>) =
            (0..links.len()).partition(|_| random(4) == 0);
        let names: Vec<_> = removed.iter().map(|link| (*link, format!("r{link}"))).collect();
        drop(dataplane.take_out(&names).unwrap());
        if random(2) == 0 {
            plan.reverse();
        }
        let mut slots: Vec<_> = links.drain(..).map(Some).collect();
        let mut rewired: Vec<_> = plan.iter().map(|link| Rewired::Kept(*link)).collect();
        links.extend(plan.iter().filter_map(|link| slots[*link].take()));
        for _ in 0..random(3) {
            let ((end, peer), switch) = (device(), random(SWITCHES));
            rewired.push(Rewired::New(Box::new(link(
                &format!("h{round}"),
                [end, End::switch(switch)],
                "{}",
            ))));
            links.push((Some(peer), switch));
        }
        let trunk = random(SWITCHES - 1);
        if !links.iter().any(|(peer, at)| peer.is_none() && *at == trunk) {
            let ends = [End::switch(trunk), End::switch(trunk + 1)];
            rewired.push(Rewired::New(Box::new(link(&format!("t{round}"), ends, "{}"))));
            links.push((None, trunk));
        }
        put_in(&mut dataplane, rewired);
        let Some((sender, at)) = links.iter().find_map(|(p, at)| Some((p.as_ref()?, *at))) else {
            continue;
        };
        let joined = |from: usize, to: usize| {
            let trunks = |t: &usize| links.iter().any(|(peer, at)| peer.is_none() && at == t);
            (from.min(to)..from.max(to)).all(|t| trunks(&t))
        };
        let length = 60 + round;
        let mut sent = broadcast(1);
        sent.resize(length, 7);
        assert!(sender.send(&sent));
        for (peer, switch) in links.iter().filter_map(|(p, at)| Some((p.as_ref()?, *at))) {
            if !std::ptr::eq(peer, sender) && joined(at, switch) {
                assert_eq!(peer.receive(PATIENCE), Some(sent.clone()), "round {round}");
            }
        }
        // Whoever else had heard it would show it in the next round, as another frame.
    }
    assert_eq!(dataplane.timing().unwrap().unmodelled.total(), 0);
}
