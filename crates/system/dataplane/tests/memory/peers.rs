//! Two data planes, as on two machines, joined by links between them.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use crate::common::*;
use crate::machines::relay::Fault;
use crate::machines::{LONG, M1, M2, Machines, half, tunnels};
use netloom_dataplane::{
    CrossedFrames, Dataplane, DataplaneError, Doors, End, Limits, LinkWiring, Options, PeerId,
    Tunnels, Wiring,
};
use netloom_fabric::LinkId;
use netloom_ports::memory::MemoryPeer;

fn numbered(number: u32, length: usize) -> Vec<u8> {
    let mut bytes = frame(2, 1, length.max(60));
    bytes[14..18].copy_from_slice(&number.to_be_bytes());
    bytes
}

fn number_of(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes[14..18].try_into().unwrap())
}

/// Sends frames, a few at a time so that no queue overflows, and returns those that arrive.
/// Without losses, all of them have arrived before more are sent.
fn exchange(from: &MemoryPeer, to: &MemoryPeer, frames: u32, with_losses: bool) -> Vec<u32> {
    let mut seen = Vec::new();
    for number in 0..frames {
        assert!(from.send(&numbered(number, 1000)));
        if number % 25 < 24 {
            continue;
        }
        let patience = if with_losses { Duration::from_millis(1) } else { PATIENCE };
        while seen.len() <= number as usize
            && let Some(bytes) = to.receive(patience)
        {
            seen.push(number_of(&bytes));
        }
    }
    let rest = std::iter::from_fn(|| to.receive(Duration::from_secs(1)));
    seen.extend(rest.map(|bytes| number_of(&bytes)));
    seen
}

#[test]
fn frames_cross_both_ways_with_their_bytes_and_not_before_their_release() {
    let (machines, left, right) = Machines::joined(LONG, 1400, None);
    for (from, to, there) in [(&left, &right, 1), (&right, &left, 0)] {
        for length in [60, 1342, 1343, 1400, 2034, 9014, 65_535] {
            let bound = || machines.planes[there].peers().unwrap()[0].clock.unwrap().bound;
            let (before, sent) = (bound(), Instant::now());
            assert!(from.send(&frame(2, 1, length)));
            assert_eq!(to.receive(PATIENCE), Some(frame(2, 1, length)), "{length} bytes");
            // Between two probes the bound grows, by 500 ppm at most.
            let bound = Duration::from_nanos(before.max(bound())) + Duration::from_micros(100);
            let least = Duration::from_millis(50).saturating_sub(bound);
            assert!(sent.elapsed() >= least, "it came after {:?}", sent.elapsed());
        }
    }
    machines.end();
    assert_eq!(machines.forward_counts(0), (7, 7, 0));
    let back = CrossedFrames::Received { sent: 7, came: 7, refused: 0, lost: 0 };
    assert_eq!(machines.crossed(0, reverse(0)), back);
    let there = CrossedFrames::Sent { left: 7, full: 0, unconnected: 0 };
    assert_eq!(machines.crossed(0, forward(0)), there);
    // Each machine has the account of the pipe that begins there, and nothing in the other's.
    for (machine, pipe) in [(0, forward(0)), (1, reverse(0))] {
        for status in machines.planes[machine].pipes().unwrap() {
            let expected = if status.id == pipe { 7 } else { 0 };
            assert_eq!(status.statistics.delivered.frames, expected, "{:?}", status.id);
        }
    }
}

#[test]
fn a_super_frame_crosses_as_one() {
    let (_machines, left, right) = Machines::joined(LONG, 1400, None);
    let (header, bytes) = super_frame(30_000);
    assert!(left.send_with(&header, &bytes));
    assert_eq!(right.receive_with(PATIENCE), Some((header, bytes)));
}

/// A network of two switches, on one machine or with the link between them on two.
#[test]
fn a_switch_on_each_machine_makes_one_network() {
    let ((a, host_a), (b, host_b), (c, host_c)) = (device(), device(), device());
    let switch = |number| End::switch(netloom_fabric::SegmentId(number));
    let trunk = |me, end, here| half(me, "trunk", end, here, true, LONG);
    let at = |id, link: LinkWiring| LinkWiring { id: LinkId(id), ..link };
    let first = vec![
        at(0, link("a", [a, switch(0)], "{}")),
        at(1, link("b", [b, switch(0)], "{}")),
        at(2, trunk(M1, 0, switch(0))),
    ];
    let second = vec![at(2, trunk(M2, 1, switch(1))), at(3, link("c", [c, switch(1)], "{}"))];
    let wirings = [first, second].map(|links| Wiring { links });
    let machines = Machines::start(wirings, 1400, None);
    assert!(host_a.send(&broadcast(1)));
    assert_eq!(host_b.receive(PATIENCE), Some(broadcast(1)));
    assert_eq!(host_c.receive(PATIENCE), Some(broadcast(1)));
    assert!(host_c.send(&frame(1, 3, 60)));
    assert_eq!(host_a.receive(PATIENCE), Some(frame(1, 3, 60)));
    // Both switches know where the other one is.
    assert!(host_a.send(&frame(3, 1, 60)));
    assert_eq!(host_c.receive(PATIENCE), Some(frame(3, 1, 60)));
    assert_eq!(host_b.receive(NOTHING), None);
    machines.end();
    assert_eq!(machines.forward_counts(2), (2, 2, 0));
}

#[test]
fn a_cut_drops_what_is_on_its_way_on_both_machines() {
    let (machines, left, right) = Machines::joined(r#"{"delay":"60s"}"#, 1400, None);
    let [m1, m2] = &machines.planes;
    assert!(left.send(&frame(2, 1, 60)));
    eventually("it is there", || {
        matches!(machines.crossed(1, forward(0)), CrossedFrames::Received { came: 1, .. })
    });
    for plane in [m1, m2] {
        plane.change(&[(forward(0), change(r#"{"state":"down","in_flight":"drop"}"#))]).unwrap();
        plane.change(&[(forward(0), change(r#"{"state":"up","delay":"1ms"}"#))]).unwrap();
    }
    assert!(left.send(&frame(2, 1, 70)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 70)));
    // By the clock of the machine where the pipe begins, it may arrive a little later.
    eventually("it has arrived", || statistics(m1, forward(0)).delivered.frames == 1);
    assert_eq!(statistics(m1, forward(0)).offered.frames, 2);
}

/// Sends frames for a while, and meanwhile cuts the link at one machine some ms before the other.
/// Returns how many came, when no more do.
fn cut_under_load(machines: &Machines, left: &MemoryPeer, right: &MemoryPeer, first: usize) -> u64 {
    let cut = [r#"{"state":"down","in_flight":"drop"}"#, r#"{"state":"up"}"#].map(change);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..400 {
                // What finds no room is not sent.
                let _ = left.send(&numbered(number, 60));
                std::thread::sleep(Duration::from_micros(100));
            }
        });
        for change in &cut {
            std::thread::sleep(Duration::from_millis(10));
            for machine in [first, 1 - first] {
                machines.planes[machine].change(&[(forward(0), change.clone())]).unwrap();
                std::thread::sleep(Duration::from_millis(3));
            }
        }
    });
    std::iter::from_fn(|| right.receive(Duration::from_millis(500))).count() as u64
}

#[test]
fn what_a_cut_drops_is_the_same_though_machines_make_it_at_different_times() {
    for first in [0, 1] {
        let (machines, left, right) = Machines::joined(r#"{"delay":"20ms"}"#, 1400, None);
        let came = cut_under_load(&machines, &left, &right, first);
        let account = statistics(&machines.planes[0], forward(0));
        assert_eq!(account.delivered.frames, came, "machine {first} was the first: {account:?}");
        assert!(account.offered.frames > came, "nothing was cut: {account:?}");
        machines.end();
        assert_eq!(machines.planes[1].timing().unwrap().unmodelled.total(), 0);
    }
}

#[test]
fn what_waits_for_a_cut_that_the_other_machine_never_makes_is_lost_and_counted() {
    let (machines, left, right) = Machines::joined(LONG, 1400, None);
    for text in [r#"{"state":"down","in_flight":"drop"}"#, r#"{"state":"up"}"#] {
        machines.planes[1].change(&[(forward(0), change(text))]).unwrap();
    }
    for number in 0..5 {
        assert!(left.send(&numbered(number, 60)));
    }
    assert_eq!(right.receive(Duration::from_millis(300)), None);
    machines.end();
    assert_eq!(machines.planes[1].timing().unwrap().unmodelled.tunnel, 5);
}

/// A report of what was sent takes several datagrams here, of which many are lost.
#[test]
fn what_is_lost_last_is_counted_on_each_of_many_links() {
    const LINKS: u32 = 30;
    let (mut wirings, mut peers) = ([vec![], vec![]], vec![]);
    for number in 0..LINKS {
        let ((a, left), (b, right)) = (device(), device());
        let name = format!("l{number}");
        let halves = [half(M1, &name, 0, a, false, LONG), half(M2, &name, 1, b, false, LONG)];
        for (wiring, half) in wirings.iter_mut().zip(halves) {
            wiring.push(LinkWiring { id: LinkId(number), ..half });
        }
        peers.push((left, right));
    }
    let fault = Fault { drop: 0.4, ..Fault::default() };
    let machines = Machines::start(wirings.map(|links| Wiring { links }), 200, Some(fault));
    // The reports that follow a connection are over.
    std::thread::sleep(Duration::from_millis(500));
    for (left, _) in &peers {
        assert!(left.send(&frame(2, 1, 60)));
    }
    eventually("all have left", || {
        (0..LINKS).all(|link| statistics(&machines.planes[0], forward(link)).delivered.frames == 1)
    });
    machines.end();
    for link in 0..LINKS {
        let (delivered, came, lost) = machines.forward_counts(link);
        assert_eq!((delivered, came + lost), (1, 1), "link {link}: {came} came");
    }
}

#[test]
fn lost_datagrams_are_counted_by_pipe_to_the_last_frame() {
    let fault = Fault { drop: 0.02, ..Fault::default() };
    let (machines, left, right) = Machines::joined(LONG, 600, Some(fault));
    let mut watch = machines.planes[1].watch(PATIENT).unwrap();
    let seen = exchange(&left, &right, 2000, true);
    machines.end();
    let (delivered, came, lost) = machines.forward_counts(0);
    assert_eq!((delivered, came), (2000, seen.len() as u64));
    assert_eq!(delivered, came + lost);
    // Each frame needs two datagrams of some 3,400, of which 2 % are dropped.
    assert!(lost > 0, "the relay drops");
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "they are in order");
    let timing = machines.planes[1].timing().unwrap();
    assert_eq!((timing.unmodelled.tunnel, timing.unmodelled.total()), (lost, lost));
    let mut reported = 0;
    let common = watch.look(machines.planes[1].now(), true, |anomaly| match anomaly.what {
        netloom_dataplane::AnomalyKind::Lost { pipe, loss, frames } => {
            assert_eq!((pipe, loss), (forward(0), netloom_dataplane::Loss::Tunnel));
            reported += frames;
        }
        other => panic!("{other:?}"),
    });
    reported += common.lost.iter().map(|(_, frames)| frames).sum::<u64>();
    assert_eq!(reported, lost);
    assert_eq!(machines.planes[0].timing().unwrap().unmodelled.total(), 0);
}

#[test]
fn reordered_datagrams_lose_no_frame_and_change_no_order() {
    let fault = Fault { delay: 0.05, ..Fault::default() };
    let (machines, left, right) = Machines::joined(LONG, 500, Some(fault));
    let seen = exchange(&left, &right, 1000, false);
    let wrong = seen.iter().zip(0..).position(|(seen, sent)| *seen != sent);
    assert_eq!((seen.len(), wrong), (1000, None), "{:?}", wrong.map(|at| seen[at]));
    machines.end();
    assert_eq!(machines.forward_counts(0), (1000, 1000, 0));
}

#[test]
fn frames_of_a_link_without_delay_come_late_and_the_watch_says_so() {
    let (machines, left, right) = Machines::joined(r#"{"delay":"0ms"}"#, 1400, None);
    let nothing = Limits { tolerance: netloom_units::Duration::ZERO, ..PATIENT };
    let mut watch = machines.planes[1].watch(nothing).unwrap();
    for _ in 0..50 {
        assert!(left.send(&frame(2, 1, 60)));
        assert!(right.receive(PATIENCE).is_some());
    }
    machines.end();
    let mut late = 0;
    let common = watch.look(machines.planes[1].now(), true, |anomaly| match anomaly.what {
        netloom_dataplane::AnomalyKind::Late { pipe, frames, by_tunnel, .. } => {
            assert_eq!((pipe, by_tunnel), (forward(0), true));
            late += frames;
        }
        other => panic!("{other:?}"),
    });
    late += common.late.iter().map(|(_, frames)| frames).sum::<u64>();
    assert_eq!(late, 50, "no way takes no time");
    let lateness: Vec<_> = watch.lateness().collect();
    let [of_pipe] = &lateness[..] else { panic!("{lateness:?}") };
    let all = |counts: &netloom_dataplane::FrameCounts| -> u64 {
        counts.by.iter().map(|(_, frames)| frames).sum()
    };
    assert_eq!((of_pipe.pipe, all(&of_pipe.late), all(&of_pipe.at_most)), (forward(0), 50, 50));
}

#[test]
fn frames_that_came_in_time_and_waited_are_not_late_by_the_tunnel() {
    let (machines, left, right) = Machines::joined(r#"{"delay":"1s"}"#, 1400, None);
    // No clock is exact to a nanosecond, so all frames are late.
    let nothing = Limits { tolerance: netloom_units::Duration::ZERO, ..PATIENT };
    let mut watch = machines.planes[1].watch(nothing).unwrap();
    assert!((0..20).all(|_| left.send(&frame(2, 1, 60))));
    assert!((0..20).all(|_| right.receive(PATIENCE).is_some()));
    machines.end();
    watch.look(machines.planes[1].now(), true, |anomaly| match anomaly.what {
        netloom_dataplane::AnomalyKind::Late { by_tunnel, .. } => assert!(!by_tunnel),
        other => panic!("{other:?}"),
    });
}

#[test]
fn a_clock_is_known_within_its_bound_and_origins_do_not_matter() {
    // Both data planes are on one machine, so the clocks do not differ.
    let (machines, ..) = Machines::joined(LONG, 1400, None);
    eventually("a few probes", || machines.planes[0].peers().unwrap()[0].probes > 20);
    for plane in &machines.planes {
        let status = &plane.peers().unwrap()[0];
        let offset = status.clock.unwrap().offset(netloom_ports::monotonic() as i64);
        assert!(offset.contains(0), "{offset:?}");
        assert!(!status.clock_faults.iter().any(|fault| fault.is_step), "{status:?}");
        let round_trip = status.round_trip.unwrap().as_nanos();
        assert!(offset.bound <= round_trip + 1_000_000, "{offset:?} {round_trip}");
        assert!(status.heard.is_some());
    }
}

#[test]
fn a_machine_that_vanishes_blocks_nobody() {
    let ((a, left), (b, _right), (c, near), (d, far)) = (device(), device(), device(), device());
    let at = |id, link: LinkWiring| LinkWiring { id: LinkId(id), ..link };
    let text = r#"{"delay":"1ms"}"#;
    let first = vec![at(0, half(M1, "l", 0, a, false, text)), at(1, link("here", [c, d], text))];
    let second = vec![at(0, half(M2, "l", 1, b, false, text))];
    let machines = Machines::start([first, second].map(|links| Wiring { links }), 1400, None);
    let [here, there] = machines.planes;
    drop(there);
    for number in 0..2000 {
        while !left.send(&numbered(number, 1400)) {
            std::thread::yield_now();
        }
    }
    assert!(near.send(&frame(2, 1, 60)));
    assert_eq!(far.receive(PATIENCE), Some(frame(2, 1, 60)));
    eventually("all have left", || {
        matches!(here.peers().unwrap()[0].pipes[0].counts, CrossedFrames::Sent { left: 2000, .. })
    });
    eventually("lost probes", || here.peers().unwrap()[0].lost_probes > 0);
    assert_eq!(here.end_tunnels(Duration::from_millis(200)).unwrap(), [M2]);
    assert_eq!(here.stop().len(), 3);
}

#[test]
fn what_comes_from_strangers_is_refused_and_counted() {
    let (machines, left, right) = Machines::joined(LONG, 1400, None);
    let (_, door) = machines.planes[1].tunnel_doors().unwrap().links[0];
    let socket = std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    for length in [0, 1, 24, 200, 1400, 60_000] {
        socket.send_to(&vec![1; length], door).unwrap();
    }
    eventually("they are counted", || machines.planes[1].foreign_datagrams().unwrap() >= 5);
    assert!(left.send(&frame(2, 1, 60)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
    machines.end();
    assert_eq!(machines.forward_counts(0), (1, 1, 0));
}

#[test]
fn frames_before_the_machines_are_connected_are_lost_and_counted() {
    let ((a, left), (b, right)) = (device(), device());
    let halves = [half(M1, "l", 0, a, false, LONG), half(M2, "l", 1, b, false, LONG)];
    let mut planes = [M1, M2].into_iter().zip(halves).map(|(me, half)| {
        let tunnels = Some(tunnels(me, 1400));
        Dataplane::start(wiring([half]), Options { tunnels, ..options() }).unwrap()
    });
    let planes = [planes.next().unwrap(), planes.next().unwrap()];
    assert!(left.send(&frame(2, 1, 60)));
    let unconnected = |machine: usize| {
        let status = planes[machine].peers().unwrap().remove(0);
        status.pipes.into_iter().find(|crossed| crossed.pipe == forward(0)).unwrap().counts
    };
    let sent = CrossedFrames::Sent { left: 1, full: 0, unconnected: 1 };
    eventually("it has left", || unconnected(0) == sent);
    let doors = planes.each_ref().map(|plane| plane.tunnel_doors().unwrap().clone());
    planes[0].connect_peer(M2, &doors[1]).unwrap();
    planes[1].connect_peer(M1, &doors[0]).unwrap();
    eventually("clocks", || planes[1].peer_clock(M1).is_some());
    assert!(left.send(&frame(2, 1, 70)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 70)));
    let machines = Machines::of(planes);
    machines.end();
    assert_eq!(machines.forward_counts(0), (2, 1, 1));
    // Once is enough.
    let again = machines.planes[0].connect_peer(M2, &doors[1]);
    assert!(matches!(again, Err(DataplaneError::ConnectedAlready(M2))), "{again:?}");
}

#[test]
fn wiring_that_cannot_cross_is_refused_with_the_reason() {
    let start = |link: LinkWiring, tunnels: Option<Tunnels>| {
        let started = Dataplane::start(wiring([link]), Options { tunnels, ..options() });
        started.map(drop).unwrap_err().to_string()
    };
    let good = || half(M1, "l", 0, device().0, false, LONG);
    let known = || Some(tunnels(M1, 1400));
    let away = End::Away { is_segment: false };
    let other = End::Away { is_segment: true };
    let cases = [
        (start(good(), None), "the data plane has no tunnels"),
        (start(LinkWiring { peer: None, ..good() }, known()), "does not name the machine"),
        (start(LinkWiring { peer: Some(PeerId(7)), ..good() }, known()), "none of the tunnels'"),
        (start(LinkWiring { ends: [away, other], ..good() }, known()), "neither of its ends"),
        (
            start(LinkWiring { ends: [device().0, device().0], ..good() }, known()),
            "both of its ends are here",
        ),
        (start(good(), Some(tunnels(M1, 20))), "datagrams of 20 bytes"),
    ];
    for (error, reason) in cases {
        assert!(error.contains(reason), "{error:?} instead of {reason:?}");
    }
}

#[test]
fn links_to_other_machines_stay_and_unknown_ones_are_named() {
    let (mut machines, ..) = Machines::joined(LONG, 1400, None);
    let plane = &mut machines.planes[0];
    let taken = plane.take_out(&[(LinkId(0), "l".into())]);
    assert!(matches!(taken, Err(DataplaneError::Pinned { link: LinkId(0) })));
    let new = LinkWiring { id: LinkId(5), ..half(M1, "new", 0, device().0, false, LONG) };
    let put = plane.put_in(vec![netloom_dataplane::Incoming::New(Box::new(new))], None);
    let refused = put.unwrap_err().error;
    assert!(matches!(refused, DataplaneError::Pinned { link: LinkId(5) }), "{refused}");
    let doors = plane.tunnel_doors().unwrap().clone();
    let unknown = plane.connect_peer(PeerId(9), &doors);
    assert!(matches!(unknown, Err(DataplaneError::UnknownPeer(PeerId(9)))));
    let closed = plane.connect_peer(M2, &Doors { links: vec![], ..doors });
    assert!(matches!(closed, Err(DataplaneError::NoDoor { peer: M2, link: LinkId(0) })));
    assert!(plane.peer_clock(PeerId(9)).is_none());
}
