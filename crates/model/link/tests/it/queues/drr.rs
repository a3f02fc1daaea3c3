//! Deficit round robin (Shreedhar & Varghese 1995).

use netloom_link::Stream;
use netloom_units::Duration;

use crate::common::packet::{Arrival, Outcome, every, queue_pipe, run_until};
use crate::common::{ms, ns};

/// Three classes by DSCP, with weights 1, 2 and 5.
const DRR: &str = r#"{"discipline":{"drr":{"quantum":"1500B","classes":[
    {"match":{"dscp":1}}, {"match":{"dscp":2},"weight":2}, {"weight":5}]}},
    "limit":"100000packets"}"#;
const WEIGHTS: [u64; 3] = [1, 2, 5];

/// Returns frames of 64 to 1500 bytes that keep a class always backlogged.
fn backlogged(dscp: u8, seed: u64) -> impl Iterator<Item = Arrival> {
    let mut stream = Stream::new(seed, "sizes");
    every(Duration::from_micros(200), ns(0), 10_000, dscp.into(), 0).map(move |arrival| {
        let bytes = 64 + (stream.uniform() * 1437.0) as u32;
        Arrival { bytes, ..arrival }.dscp(dscp)
    })
}

fn outcome() -> Outcome {
    let arrivals = (1..=3).flat_map(|dscp| backlogged(dscp, dscp.into()));
    run_until(&mut queue_pipe(DRR), arrivals, Some(ms(2000)))
}

/// Theorem 2 (lemma 2): between any two moments at which two classes are backlogged, the amounts
/// that they sent, divided by their weights, differ by at most 2·Max + Q.
#[test]
fn the_fairness_bound_holds_over_every_interval() {
    let outcome = outcome();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        let (mut sent, mut least, mut most) = ([0.0; 3], 0.0_f64, 0.0_f64);
        for delivered in &outcome.delivered {
            let class = usize::from(delivered.packet.flow) - 1;
            sent[class] += delivered.bytes as f64 / WEIGHTS[class] as f64;
            let ahead = sent[a] - sent[b];
            (least, most) = (least.min(ahead), most.max(ahead));
        }
        let bound = 2.0 * 1500.0 + 1500.0;
        assert!(most - least <= bound, "classes {a}, {b}: {}", most - least);
    }
}

/// Section 3: in the long run, classes share the line by their weights.
#[test]
fn weights_divide_the_line() {
    let outcome = outcome();
    let total: u64 = outcome.delivered.iter().map(|d| d.bytes).sum();
    for (flow, weight) in (1..).zip(WEIGHTS) {
        let due = total as f64 * weight as f64 / 8.0;
        let sent = outcome.bytes_of(flow) as f64;
        assert!((sent - due).abs() <= weight as f64 * 4500.0, "class {flow}: {sent}, not {due}");
    }
}

/// Section 3: a class keeps the part of its quantum that it cannot use because its next frame is
/// too long. With a quantum of 500 bytes, a frame of 1000 is sent every other round, and one of 500
/// every round.
#[test]
fn a_deficit_is_kept_for_the_next_round() {
    let queue = r#"{"discipline":{"drr":{"quantum":"500B","classes":[
        {"match":{"dscp":1}}, {"match":{"dscp":2}}]}},"limit":"1000packets"}"#;
    let burst =
        |dscp: u8, bytes| (0..6).map(move |_| Arrival::new(ns(1), dscp.into(), bytes).dscp(dscp));
    let first = Arrival::new(ns(0), 9, 100);
    let arrivals = std::iter::once(first).chain(burst(1, 1000)).chain(burst(2, 500));
    let outcome = run_until(&mut queue_pipe(queue), arrivals, Some(ms(100)));
    let flows: Vec<_> = outcome.delivered.iter().skip(1).map(|d| d.packet.flow).collect();
    assert_eq!(flows, [2, 1, 2, 2, 1, 2, 2, 1, 2, 1, 1, 1]);
}

/// A full queue makes room at the tail of the class that is longest for its weight.
#[test]
fn a_full_queue_drops_from_the_longest_class() {
    let queue = r#"{"discipline":{"drr":{"classes":[
        {"match":{"dscp":1}}, {"match":{"dscp":2},"weight":4}]}},"limit":"100packets"}"#;
    let flood = |dscp: u8, count: u64| {
        (0..count).map(move |index| Arrival::new(ns(10 * index), dscp.into(), 1000).dscp(dscp))
    };
    let outcome =
        run_until(&mut queue_pipe(queue), flood(1, 500).chain(flood(2, 500)), Some(ms(1000)));
    // Each class has its weight's share of the 100 places, 20 and 80 (and one frame was on the
    // line).
    let [light, heavy] = [1, 2].map(|flow| outcome.of(flow).count());
    assert_eq!(light + heavy, 101);
    assert!((20..=21).contains(&light), "{light} {heavy}");
    // A class alone may fill the queue.
    let outcome = run_until(&mut queue_pipe(queue), flood(1, 500), Some(ms(1000)));
    assert_eq!(outcome.of(1).count(), 101);
}

/// The longest class is the one that is longest now, not the one that was longest before.
#[test]
fn a_class_that_was_long_and_has_been_served_keeps_its_frames() {
    let queue = r#"{"discipline":{"drr":{"classes":[
        {"match":{"dscp":1}}, {"match":{"dscp":2}}, {}]}},"limit":"60packets"}"#;
    let burst = |dscp: u8, at, count: u64| {
        (0..count).map(move |_| Arrival::new(at, dscp.into(), 1000).dscp(dscp))
    };
    // After 45 ms, five frames of class 1 are left, and one is on the line.
    let late = ns(45_500_000);
    let arrivals = burst(1, ns(0), 51).chain(burst(2, late, 45)).chain(burst(3, late, 20));
    let outcome = run_until(&mut queue_pipe(queue), arrivals, Some(ms(200)));
    let lost: Vec<_> = outcome.lost.iter().map(|lost| lost.packet.flow).collect();
    assert_eq!(lost, [2; 10]);
}

/// Without classes, flows share the line equally.
#[test]
fn flows_share_equally_without_classes() {
    let queue = r#"{"discipline":{"drr":{"flows":1024}},"limit":"100000packets"}"#;
    let flow = |flow, bytes| every(Duration::from_micros(200), ns(0), 5000, flow, bytes);
    let arrivals = flow(1, 1500).chain(flow(2, 700)).chain(flow(3, 1000));
    let outcome = run_until(&mut queue_pipe(queue), arrivals, Some(ms(1000)));
    let bytes = [1, 2, 3].map(|flow| outcome.bytes_of(flow));
    let spread = bytes.iter().max().unwrap() - bytes.iter().min().unwrap();
    assert!(spread <= 2 * 1500 + 1514, "{bytes:?}");
}
