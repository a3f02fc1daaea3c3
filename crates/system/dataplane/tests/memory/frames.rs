//! Frames through a data plane with devices in memory: they arrive complete, in order, not too
//! early, and are counted.

use std::time::{Duration, Instant};

use crate::common::*;
use netloom_dataplane::{Dataplane, DataplaneError, Options, Wiring};
use netloom_fabric::LinkId;

#[test]
fn frames_pass_both_ways_in_order() {
    let (dataplane, left, right) = one_link("{}");
    for length in [14, 60, 1514, 2034, 2035, 9014, 60_000] {
        assert!(left.send(&frame(2, 1, length)) && right.send(&frame(1, 2, length)));
        assert_eq!(right.receive(PATIENCE).unwrap(), frame(2, 1, length));
        assert_eq!(left.receive(PATIENCE).unwrap(), frame(1, 2, length));
    }
    let sent: Vec<_> = (0..200).map(|n| frame(2, 1, 60 + n)).collect();
    assert!(sent.iter().all(|frame| left.send(frame)));
    for frame in sent {
        assert_eq!(right.receive(PATIENCE).unwrap(), frame);
    }
    let statistics = statistics(&dataplane, forward(0));
    assert_eq!(statistics.offered.frames, 207);
    assert_eq!(statistics.delivered, statistics.offered);
}

#[test]
fn a_delay_is_waited_for() {
    let (dataplane, left, right) = one_link(r#"{"delay":"20ms"}"#);
    let start = Instant::now();
    assert!(left.send(&frame(2, 1, 60)));
    right.receive(PATIENCE).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(20));
    let timing = dataplane.timing().unwrap();
    assert_eq!((timing.lateness.count, timing.unmodelled.total()), (1, 0));
    let delay = statistics(&dataplane, forward(0)).delay.unwrap();
    assert_eq!((delay.min_ns, delay.max_ns), (20_000_000, 20_000_000));
}

#[test]
fn a_rate_is_kept() {
    // 50 frames of 1000 + 24 bytes at 8 Mbit/s take 51.2 ms.
    let (_dataplane, left, right) = one_link(r#"{"rate":"8Mbit/s"}"#);
    let start = Instant::now();
    assert!((0..50).all(|_| left.send(&frame(2, 1, 1000))));
    assert!((0..50).all(|_| right.receive(PATIENCE).is_some()));
    assert!(start.elapsed() >= Duration::from_micros(51_200));
}

#[test]
fn a_full_pipe_has_its_device_wait() {
    // Of 100 frames, at most three wait in the pipe; the rest wait in the device.
    let (dataplane, left, right) =
        one_link(r#"{"rate":"8Mbit/s","queue":{"limit":"3packets","full":"wait"}}"#);
    let sent: Vec<_> = (0..100).map(|n| frame(2, 1, 900 + n)).collect();
    assert!(sent.iter().all(|frame| left.send(frame)));
    for frame in sent {
        assert_eq!(right.receive(PATIENCE).unwrap(), frame);
    }
    let counted = statistics(&dataplane, forward(0));
    assert_eq!((counted.delivered.frames, counted.dropped.queue_full.frames), (100, 0));
    assert_eq!(counted.queue.maximum.frames, 3);
    // The other direction continues meanwhile, and so does this one afterwards.
    assert!(right.send(&frame(1, 2, 60)) && left.send(&frame(2, 1, 60)));
    assert!(left.receive(PATIENCE).is_some() && right.receive(PATIENCE).is_some());
}

#[test]
fn losses_are_those_of_the_seed() {
    let survivors = |seed| {
        let ((a, left), (b, right)) = (device(), device());
        let wiring = wiring(vec![link("l", [a, b], r#"{"loss":"50%"}"#)]);
        let dataplane = Dataplane::start(wiring, Options { seed, ..options() }).unwrap();
        assert!((0..100).all(|n| left.send(&frame(2, 1, 60 + n))));
        eventually("all frames", || statistics(&dataplane, forward(0)).offered.frames == 100);
        std::iter::from_fn(|| right.receive(Duration::ZERO)).map(|f| f.len()).collect::<Vec<_>>()
    };
    assert_eq!(survivors(5), survivors(5));
    assert_ne!(survivors(5), survivors(6));
}

#[test]
fn super_frames_stay_whole_where_nothing_is_drawn_or_timed() {
    let (dataplane, left, right) = one_link(r#"{"delay":"1ms"}"#);
    let (header, bytes) = super_frame(40000);
    assert!(left.send_with(&header, &bytes));
    assert_eq!(right.receive_with(PATIENCE).unwrap(), (header, bytes));
    let statistics = statistics(&dataplane, forward(0));
    assert_eq!((statistics.delivered.frames, statistics.delivered.bytes), (40, 40 * 1054));
    assert_eq!(dataplane.timing().unwrap().lateness.count, 40);
}

#[test]
fn super_frames_are_split_to_the_size_that_the_rate_allows() {
    // 50 µs at 1 Gbit/s is 6250 bytes: five frames of 1078.
    for (rate, payloads) in [("1Gbit/s", vec![5000, 5000, 2000]), ("10Mbit/s", vec![1000; 12])] {
        let (dataplane, left, right) = one_link(&format!(r#"{{"rate":"{rate}"}}"#));
        let (header, bytes) = super_frame(12000);
        assert!(left.send_with(&header, &bytes));
        let mut payload = Vec::new();
        for expected in payloads {
            let piece = right.receive(PATIENCE).unwrap();
            assert_eq!(piece.len(), 54 + expected);
            payload.extend_from_slice(&piece[54..]);
        }
        assert_eq!(payload, bytes[54..]);
        assert_eq!(statistics(&dataplane, forward(0)).delivered.frames, 12);
    }
}

#[test]
fn losses_outside_the_model_are_counted_separately() {
    let ((a, left), (b, right)) = (device(), device_of(2));
    let wiring = wiring(vec![link("l", [a, b], "{}")]);
    let dataplane = Dataplane::start(wiring, options()).unwrap();
    let (mut header, bytes) = super_frame(3000);
    assert!((0..3).all(|_| left.send(&frame(2, 1, 60))));
    header.gso_size = 0;
    assert!(left.send_with(&header, &bytes) && left.send(&[1, 2, 3]));
    eventually("two malformed frames", || dataplane.timing().unwrap().unmodelled.malformed == 2);
    assert_eq!(dataplane.timing().unwrap().unmodelled.device_full, 1);
    right.set_down(true);
    assert!(left.send(&frame(2, 1, 60)));
    eventually("a frame to a downed interface", || dataplane.timing().unwrap().interface_down == 1);
    assert_eq!(dataplane.timing().unwrap().unmodelled.total(), 3);
    // Of five frames, one had no room and one reached an interface that was down.
    let counted = statistics(&dataplane, forward(0));
    let frames = [counted.offered, counted.delivered, counted.lost_unmodelled];
    assert_eq!(frames.map(|count| count.frames), [4, 2, 2]);
    assert_eq!(counted.offered, counted.delivered + counted.lost_unmodelled);
}

#[test]
fn memory_for_frames_is_bounded() {
    let ((a, left), (b, right)) = (device(), device());
    let wiring = wiring(vec![link("l", [a, b], r#"{"delay":"1h"}"#)]);
    let options = Options { frame_memory: Some(8 * (2048 + 256)), ..options() };
    let dataplane = Dataplane::start(wiring, options).unwrap();
    assert!((0..20).all(|_| left.send(&frame(2, 1, 60))));
    eventually("twelve lost frames", || dataplane.timing().unwrap().unmodelled.no_memory == 12);
    dataplane.change(&[(forward(0), change(r#"{"state":"down"}"#))]).unwrap();
    dataplane.change(&[(forward(0), change(r#"{"state":"up","delay":"0ns"}"#))]).unwrap();
    assert!(left.send(&frame(2, 1, 60)) && right.receive(PATIENCE).is_some());
}

#[test]
fn stopping_hands_the_devices_back() {
    let (dataplane, left, right) = one_link("{}");
    assert_eq!(dataplane.stop().len(), 2);
    assert!(left.send(&frame(2, 1, 60)));
    assert_eq!(right.receive(NOTHING), None);
}

#[test]
fn a_wiring_that_cannot_be_is_refused() {
    let same = || link("l", [device().0, device().0], "{}");
    let error = Dataplane::start(Wiring { links: vec![same(), same()] }, options()).unwrap_err();
    assert!(matches!(error, DataplaneError::KnownLink { id: LinkId(0), .. }));
    assert_eq!(error.to_string(), "link 0 is there already; link `l` needs another identity");
}

#[test]
fn an_empty_wiring_runs() {
    let dataplane = Dataplane::start(Wiring::default(), options()).unwrap();
    assert!(dataplane.pipes().unwrap().is_empty());
    assert_eq!(dataplane.timing().unwrap().workers.len(), 1);
    assert!(dataplane.stop().is_empty());
}
