//! Changes, requests and captures of a running data plane.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use crate::common::*;
use netloom_dataplane::{Capture, Dataplane, DataplaneError, Options, Scheduling};
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{CaptureDirection, CaptureNote, Direction, DropReason, LinkState};
use netloom_ports::memory::MemoryPeer;

/// Creates `count` separate links on `workers` workers.
fn links(count: usize, workers: usize, text: &str) -> (Dataplane, Vec<[MemoryPeer; 2]>) {
    let mut peers = Vec::new();
    let links = (0..count).map(|index| {
        let ((a, left), (b, right)) = (device(), device());
        peers.push([left, right]);
        link(&format!("l{index}"), [a, b], text)
    });
    let wiring = wiring(links);
    let options = Options { workers: Some(workers), ..options() };
    (Dataplane::start(wiring, options).unwrap(), peers)
}

#[test]
fn a_batch_applies_everywhere_at_one_time() {
    let (dataplane, _peers) = links(6, 3, "{}");
    assert_eq!(dataplane.timing().unwrap().workers.len(), 3);
    for round in 1..50 {
        let delay = change(&format!(r#"{{"delay":"{round}ms"}}"#));
        let batch: Vec<_> = (0..6).map(|link| (forward(link), delay.clone())).collect();
        let before = dataplane.now();
        let time = dataplane.change(&batch).unwrap();
        assert!(before <= time && time <= dataplane.now());
    }
    let pipes = dataplane.pipes().unwrap();
    let ids: Vec<_> = pipes.iter().map(|pipe| pipe.id).collect();
    let expected: Vec<_> = (0..6).flat_map(|link| [forward(link), reverse(link)]).collect();
    assert_eq!(ids, expected);
    assert!(pipes.iter().all(|pipe| {
        let millis = if pipe.id.direction == Direction::Forward { 49.0 } else { 0.0 };
        pipe.config.delay.nominal().as_millis_f64() == millis
    }));
}

#[test]
fn a_file_that_was_not_read_is_refused_and_changes_nothing() {
    let ((a, _left), (b, _right)) = (device(), device());
    let unread = link("l", [a, b], r#"{"rate":{"trace":"lte.trace"}}"#);
    let wiring = wiring(vec![unread]);
    let refused = Dataplane::start(wiring, options()).err();
    assert!(matches!(refused, Some(DataplaneError::UnreadFile { property: "rate", .. })));

    let (dataplane, _peers) = links(1, 1, "{}");
    let batch = [
        (forward(0), change(r#"{"delay":"1ms"}"#)),
        (reverse(0), change(r#"{"loss":{"trace":"lost.txt"}}"#)),
    ];
    let refused = dataplane.change(&batch).unwrap_err();
    assert!(matches!(
        &refused,
        DataplaneError::UnreadFile { property: "loss", file, .. } if file == "lost.txt"
    ));
    assert_eq!(dataplane.pipes().unwrap()[0].config.delay.nominal().as_nanos(), 0);
    let read = change(r#"{"rate":{"trace":{"file":"lte.trace","values":[1,2,3]}}}"#);
    dataplane.change(&[(forward(0), read)]).unwrap();
}

#[test]
fn workers_are_reported_one_by_one() {
    let mut peers = Vec::new();
    let links = (0..2).map(|index| {
        let ((a, left), (b, right)) = (device(), device());
        peers.push([left, right]);
        link(&format!("l{index}"), [a, b], r#"{"delay":"1ms"}"#)
    });
    let wiring = wiring(links);
    let options = Options { workers: Some(2), scheduling: Scheduling::Normal, ..options() };
    let dataplane = Dataplane::start(wiring, options).unwrap();
    for frames in [3, 4] {
        let [left, right] = &peers[frames - 3];
        for _ in 0..frames {
            assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
        }
    }
    let timing = dataplane.timing().unwrap();
    let counts: Vec<_> = timing.workers.iter().map(|worker| worker.lateness.count).collect();
    assert_eq!((counts, timing.lateness.count), (vec![3, 4], 7));
    let classes: Vec<_> = timing.workers.iter().map(|worker| worker.scheduling).collect();
    assert_eq!(classes, [Scheduling::Normal; 2]);
}

#[test]
fn batches_from_many_threads_do_not_block_each_other() {
    let (dataplane, _peers) = links(4, 4, "{}");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let dataplane = &dataplane;
            scope.spawn(move || {
                let order = |n: u32| PipeId {
                    link: LinkId((n + thread) % 4),
                    direction: Direction::BOTH[n as usize % 2],
                };
                for _ in 0..50 {
                    let batch: Vec<_> =
                        (0..8).map(|n| (order(n), change(r#"{"delay":"1ms"}"#))).collect();
                    dataplane.change(&batch).unwrap();
                    dataplane.pipes().unwrap();
                }
            });
        }
    });
}

#[test]
fn a_cut_removes_the_carrier_and_drops_frames_in_flight() {
    let (dataplane, left, right) = one_link(r#"{"delay":"1h"}"#);
    assert!(left.send(&frame(2, 1, 60)));
    eventually("a frame in flight", || statistics(&dataplane, forward(0)).in_flight.frames == 1);
    let down = change(r#"{"state":"down"}"#);
    dataplane.change(&[(forward(0), down.clone())]).unwrap();
    assert!(left.carrier() && right.carrier(), "one direction is still up");
    assert_eq!(statistics(&dataplane, forward(0)).dropped.down.frames, 1);
    dataplane.change(&[(reverse(0), down)]).unwrap();
    assert!(!left.carrier() && !right.carrier());
    assert!(left.send(&frame(2, 1, 60)));
    eventually("a second drop", || statistics(&dataplane, forward(0)).dropped.down.frames == 2);
    let up = change(r#"{"state":"up","delay":"1ms"}"#);
    dataplane.change(&[(forward(0), up.clone()), (reverse(0), up)]).unwrap();
    assert!(left.carrier() && right.carrier());
    assert!(left.send(&frame(2, 1, 60)));
    assert_eq!(right.receive(PATIENCE), Some(frame(2, 1, 60)));
}

#[test]
fn a_link_that_starts_down_starts_without_carrier() {
    let (dataplane, left, right) = one_link(r#"{"state":"down"}"#);
    assert!(!left.carrier() && !right.carrier());
    assert_eq!(dataplane.pipes().unwrap()[0].config.state, LinkState::Down);
}

#[test]
fn a_delay_can_be_shortened_under_a_sleeping_worker() {
    let (dataplane, left, right) = one_link(r#"{"delay":"1h"}"#);
    dataplane.change(&[(forward(0), change(r#"{"delay":"1ms"}"#))]).unwrap();
    assert!(left.send(&frame(2, 1, 60)));
    assert!(right.receive(PATIENCE).is_some());
}

#[test]
fn errors_name_pipes_and_ends_that_do_not_exist() {
    let (dataplane, _left, _right) = one_link("{}");
    let nowhere = PipeId { link: LinkId(3), direction: Direction::Reverse };
    let error = dataplane.change(&[(nowhere, change("{}"))]).unwrap_err();
    assert!(matches!(error, DataplaneError::UnknownPipe(id) if id == nowhere));
    assert_eq!(error.to_string(), "there is no link 3 reverse");
    assert!(matches!(
        dataplane.capture(LinkId(0), 2),
        Err(DataplaneError::UnknownEnd { link: LinkId(0), end: 2 })
    ));
    assert!(dataplane.change(&[]).is_ok());
}

#[test]
fn a_capture_shows_both_ways() {
    let (dataplane, left, right) = one_link(r#"{"loss":"100%"}"#);
    dataplane.change(&[(reverse(0), change(r#"{"loss":"0%"}"#))]).unwrap();
    let mut capture = dataplane.capture(LinkId(0), 0).unwrap();
    let mut far = dataplane.capture(LinkId(0), 1).unwrap();
    assert!(left.send(&frame(2, 1, 70)));
    eventually("the loss", || statistics(&dataplane, forward(0)).dropped.loss.frames == 1);
    assert!(right.send(&frame(1, 2, 80)));
    let seen: Vec<_> = (0..2).map(|_| capture.recv_timeout(PATIENCE).unwrap()).collect();
    assert_eq!(seen[0].direction, CaptureDirection::Outbound);
    assert_eq!(seen[0].bytes, frame(2, 1, 70));
    assert_eq!(seen[1].direction, CaptureDirection::Inbound);
    assert_eq!((seen[1].original_length, &seen[1].bytes), (80, &frame(1, 2, 80)));
    assert!(seen[0].time < seen[1].time && seen[1].time <= dataplane.now());
    let only = far.recv_timeout(PATIENCE).unwrap();
    assert_eq!((only.direction, only.bytes.len()), (CaptureDirection::Outbound, 80));
    dataplane.stop();
    assert_eq!(capture.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_capture_shows_drops_and_why() {
    let text = r#"{"rate":"10kbit/s","queue":{"limit":"1packets"}}"#;
    let (dataplane, left, _right) = one_link(text);
    let mut near = dataplane.capture_with_drops(LinkId(0), 0).unwrap();
    let mut far = dataplane.capture_with_drops(LinkId(0), 1).unwrap();
    // One frame is on the line for most of a second, one waits, and one finds no room.
    assert!((0..3).all(|n| left.send(&frame(2, 1, 1000 + n))));
    eventually("all frames", || statistics(&dataplane, forward(0)).offered.frames == 3);
    dataplane.change(&[(forward(0), change(r#"{"state":"down"}"#))]).unwrap();
    let seen = |capture: &mut Capture| {
        let frames = std::iter::from_fn(|| capture.recv_timeout(Duration::ZERO).ok());
        frames.map(|f| (f.direction, f.note, f.bytes.len())).collect::<Vec<_>>()
    };
    let dropped = CaptureNote::Dropped;
    let (out, into) = (CaptureDirection::Outbound, CaptureDirection::Inbound);
    assert_eq!(
        seen(&mut near),
        [
            (out, CaptureNote::None, 1000),
            (out, CaptureNote::None, 1001),
            (out, CaptureNote::None, 1002),
            (out, dropped(DropReason::QueueFull), 1002),
            (out, dropped(DropReason::Down), 1000),
            (out, dropped(DropReason::Down), 1001),
        ]
    );
    assert_eq!(
        seen(&mut far),
        [
            (into, dropped(DropReason::QueueFull), 1002),
            (into, dropped(DropReason::Down), 1000),
            (into, dropped(DropReason::Down), 1001),
        ]
    );
}

#[test]
fn a_slow_reader_learns_how_many_frames_it_missed() {
    let (dataplane, left, right) = one_link("{}");
    let mut capture = dataplane.capture(LinkId(0), 1).unwrap();
    for _ in 0..1100 {
        assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
    }
    let mut seen = 0;
    while capture.recv_timeout(Duration::ZERO).is_ok() {
        seen += 1;
    }
    assert_eq!((seen, capture.missed()), (1024, 76));
    drop(capture);
    assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
}
