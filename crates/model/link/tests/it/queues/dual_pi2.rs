//! DualPI2 (RFC 9332, appendix A). The controller, the coupling and the choices are tested where
//! they are computed; this file tests the two queues.

use netloom_link::{DropReason, Ecn};
use netloom_units::Duration;

use crate::common::packet::{Arrival, Outcome, every, queue_pipe, run};
use crate::common::{change, ms, ns};

const DUAL: &str = r#"{"discipline":"dualpi2","limit":"1000packets"}"#;
/// No controller, so nothing but the step marks.
const STILL: &str = r#"{"discipline":{"dualpi2":{"alpha":0,"beta":0}},"limit":"1000packets"}"#;

fn with(arrival: Arrival, ecn: Ecn) -> Arrival {
    arrival.with(|header| header.ecn = ecn)
}

/// The flows of the frames, in the order in which they left.
fn order(outcome: &Outcome) -> Vec<u16> {
    outcome.delivered.iter().map(|one| one.packet.flow).collect()
}

/// Section 2.3: ECT(1) and CE wait in the low-latency queue, which goes first; ECT(0), packets that
/// are not ECN-capable and what is not IP wait in the classic one.
#[test]
fn the_ecn_field_chooses_the_queue() {
    let fields = [Ecn::NotCapable, Ecn::Capable0, Ecn::Capable1, Ecn::Congestion];
    // Flow 9 is on the line, and flow 4 is not IP.
    let first = Arrival::new(ns(0), 9, 1000);
    let rest = (0..).zip(fields).map(|(flow, ecn)| with(Arrival::new(ns(1), flow, 1000), ecn));
    let other = Arrival { header: None, ..Arrival::new(ns(1), 4, 1000) };
    let outcome = run(&mut queue_pipe(STILL), [first].into_iter().chain(rest).chain([other]));
    assert_eq!(order(&outcome), [9, 2, 3, 0, 1, 4]);
}

/// Appendix A.1, laqm with a step: what has waited for more than a millisecond in the low-latency
/// queue is marked, unless nothing waits behind it. Frames of 1000 bytes take a millisecond.
#[test]
fn the_step_marks_what_waited_for_more_than_a_millisecond() {
    let burst = (0..6).map(|_| with(Arrival::new(ns(0), 1, 1000), Ecn::Capable1));
    let outcome = run(&mut queue_pipe(STILL), burst);
    let marked = outcome.delivered.iter().filter(|one| one.packet.is_marked());
    // Frame `n` waits for `n` ms, and the last one has nothing behind it.
    assert_eq!(marked.map(|one| one.packet.number).collect::<Vec<_>>(), [2, 3, 4]);
    assert!(outcome.lost.is_empty());
}

/// While both queues wait, the classic one has a sixteenth of the line, or its share.
#[test]
fn the_classic_queue_is_not_starved() {
    for (queue, share) in [
        (STILL, 1.0 / 16.0),
        (
            r#"{"discipline":{"dualpi2":{"alpha":0,"beta":0,"classic_share":"25%"}},
                "limit":"1000packets"}"#,
            0.25,
        ),
    ] {
        let low = (0..480).map(|_| with(Arrival::new(ns(0), 1, 1000), Ecn::Capable1));
        let classic = (0..480).map(|_| Arrival::new(ns(0), 0, 1000));
        let outcome = run(&mut queue_pipe(queue), low.chain(classic));
        let order = order(&outcome);
        let of_classic = order[..320].iter().filter(|flow| **flow == 0).count() as f64 / 320.0;
        assert!((of_classic - share).abs() < 0.01, "{share}: {of_classic}");
    }
}

/// The controller holds the classic queue at its target under a load that shrinks with p_C, and the
/// coupled marks follow: p_CL = 2·√p_C.
#[test]
fn the_classic_queue_is_held_and_the_other_one_is_coupled() {
    // A tenth more than the line carries, half of it low-latency.
    let classic = every(Duration::from_micros(1818), ns(0), 20_000, 0, 1000);
    let low = every(Duration::from_micros(1818), ns(909_000), 20_000, 1, 1000);
    let low = low.map(|one| with(one, Ecn::Capable1));
    let mut pipe = queue_pipe(DUAL);
    let outcome = run(&mut pipe, classic.chain(low));
    let late = |flow: u16| outcome.of(flow).filter(move |one| one.offered > ms(10_000));
    let lost = outcome.lost.iter().filter(|lost| lost.at > ms(10_000));
    // 22 % of the classic frames are too many: p_C is as high as that, and no higher.
    let (drops, rest) = (lost.count() as f64, late(0).count() as f64);
    let p_c = drops / (drops + rest);
    assert!((0.16..0.21).contains(&p_c), "{p_c}");
    let marked = late(1).filter(|one| one.packet.is_marked()).count() as f64;
    let p_cl = marked / late(1).count() as f64;
    assert!((p_cl / (2.0 * p_c.sqrt()) - 1.0).abs() < 0.05, "{p_cl} {p_c}");
    let mean = late(0).map(|one| one.wait().as_nanos() as f64).sum::<f64>() / rest;
    assert!((12e6..18e6).contains(&mean), "{mean}");
    assert!(late(1).all(|one| one.wait() <= Duration::from_millis(2)));
    assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::Aqm));
    // At the beginning, the controller overshoots, which is an overload.
    let mut lost = outcome.lost.iter().filter(|lost| lost.at > ms(10_000));
    assert!(lost.all(|lost| lost.packet.flow == 0));
}

/// Appendix A.2: beyond p_CL = 100 %, packets are dropped in both queues, ECN-capable or not.
#[test]
fn an_overload_of_unresponsive_packets_is_dropped() {
    for ecn in [Ecn::Capable1, Ecn::Capable0, Ecn::NotCapable] {
        let flood = every(Duration::from_micros(500), ns(0), 20_000, 0, 1000);
        let outcome = run(&mut queue_pipe(DUAL), flood.map(|one| with(one, ecn)));
        // Half of what comes is too much.
        let aqm = outcome.statistics.dropped.aqm.frames;
        assert!((8_000..10_500).contains(&aqm), "{ecn:?}: {aqm}");
        let late = outcome.delivered.iter().filter(|one| one.offered > ms(5000));
        let longest = late.map(|one| one.wait()).max().unwrap();
        assert!(longest < Duration::from_millis(60), "{ecn:?}: {longest}");
    }
}

/// A frame that is alone is never dropped, so that the line is not left idle.
#[test]
fn the_last_frame_leaves() {
    let queue = r#"{"discipline":{"dualpi2":{"alpha":1000,"beta":1000,"target":"0ns",
        "update":"100us"}},"limit":"1000packets"}"#;
    let pairs = (0..200).flat_map(|pair| [Arrival::new(ms(3 * pair), 0, 1000); 2]);
    let outcome = run(&mut queue_pipe(queue), pairs);
    assert_eq!(outcome.delivered.len(), 400);
}

/// New parameters keep the queues and the controller; another discipline takes the frames over in
/// the order of their arrival.
#[test]
fn changes_drop_nothing() {
    let mut pipe = queue_pipe(DUAL);
    let burst = (0..100).map(|n| {
        let ecn = if n % 2 == 0 { Ecn::Capable1 } else { Ecn::NotCapable };
        with(Arrival::new(ns(0), (n % 2) as u16, 1000), ecn)
    });
    let first = crate::common::packet::run_until(&mut pipe, burst, Some(ms(10)));
    pipe.change(ms(10), &change(r#"{"queue":{"discipline":{"dualpi2":{"step":"5ms"}}}}"#));
    pipe.change(ms(10), &change(r#"{"queue":{"discipline":"fifo"}}"#));
    let rest = run(&mut pipe, []);
    assert_eq!(first.delivered.len() + rest.delivered.len(), 100);
    let numbers: Vec<u64> = rest.delivered.iter().map(|one| one.packet.number).collect();
    assert!(numbers[1..].is_sorted(), "{numbers:?}");
}
