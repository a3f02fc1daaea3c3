//! CoDel (RFC 8289).

use netloom_link::DropReason;
use netloom_units::{Duration, Time};

use crate::common::packet::{Arrival, Lost, Outcome, every, queue_pipe, run};
use crate::common::{change, ms, ns};

const CODEL: &str = r#"{"discipline":"codel","limit":"100000packets"}"#;
const INTERVAL: f64 = 100e6;

/// Returns a standing queue: `standing` frames of 1 ms at once, then one every ms.
fn standing(standing: u64, count: u64) -> Vec<Arrival> {
    let burst = (0..standing).map(|_| Arrival::new(ns(0), 0, 1000));
    burst.chain(every(Duration::from_millis(1), ms(1), count, 0, 1000)).collect()
}

/// Returns twice the line's rate from `start` on.
fn overload(start: Time, count: u64) -> impl Iterator<Item = Arrival> {
    every(Duration::from_micros(500), start, count, 0, 1000)
}

fn aqm(outcome: &Outcome) -> Vec<Lost> {
    outcome.lost_to(DropReason::Aqm)
}

/// Section 3.2: as long as the waiting time is below the target, nothing is dropped.
#[test]
fn nothing_is_dropped_below_the_target() {
    let outcome = run(&mut queue_pipe(CODEL), standing(5, 5000));
    let longest = outcome.delivered.iter().map(|d| d.wait()).max().unwrap();
    assert_eq!(longest, Duration::from_millis(4));
    assert!(outcome.lost.is_empty());
}

/// Sections 3.2, 5.4: a drop follows when the waiting time has stayed above the target for an
/// interval.
#[test]
fn the_first_drop_comes_an_interval_after_the_target_was_passed() {
    let outcome = run(&mut queue_pipe(CODEL), standing(7, 300));
    // The sixth frame waits 5 ms. The seventh is the first to wait 6 ms; it leaves the queue at 5
    // ms.
    assert_eq!(aqm(&outcome)[0].at, ms(105));
}

/// Section 3.2: an excursion above the target that ends before the interval does is no congestion.
#[test]
fn bursts_shorter_than_the_interval_are_not_dropped() {
    let bursts = (0..50).flat_map(|k| (0..90).map(move |_| Arrival::new(ms(100 * k), 0, 1000)));
    assert!(run(&mut queue_pipe(CODEL), bursts).lost.is_empty());
}

/// Section 5.5: in the dropping state the next drop is due interval / √count after the last one was
/// due. It happens when the first frame from then on is dequeued; one is dequeued every ms.
#[test]
fn drop_times_follow_the_control_law() {
    let outcome = run(&mut queue_pipe(CODEL), overload(ns(0), 4000));
    let drops: Vec<_> = aqm(&outcome).into_iter().filter(|lost| lost.at < ms(2000)).collect();
    assert!(drops.len() > 80, "{}", drops.len());
    let mut due = drops[0].at.as_nanos() as f64;
    for (count, drop) in (1..).zip(&drops) {
        let late = drop.at.as_nanos() as f64 - due;
        assert!((-1e3..1e6).contains(&late), "drop {count} is {late} ns late");
        due += INTERVAL / f64::from(count).sqrt();
    }
}

/// Section 5.5: CoDel drops the frame that it dequeues, and the frame behind it goes on the line at
/// that moment (or is dropped at that moment, too).
#[test]
fn the_frame_that_is_dequeued_is_dropped_never_the_one_behind() {
    let outcome = run(&mut queue_pipe(CODEL), overload(ns(0), 2000));
    let mut left: Vec<(u64, Time, bool)> =
        outcome.delivered.iter().map(|d| (d.packet.number, d.started, true)).collect();
    left.extend(aqm(&outcome).iter().map(|lost| (lost.packet.number, lost.at, false)));
    left.sort_unstable();
    assert_eq!(left.len(), 2000);
    for pair in left.windows(2) {
        let [(number, at, sent), (next, next_at, _)] = *pair else { unreachable!() };
        assert_eq!(next, number + 1);
        let expected = if sent { at + Duration::from_millis(1) } else { at };
        assert_eq!(next_at, expected, "frame {next}, behind one that was sent: {sent}");
    }
}

/// Section 5.6: nothing is dropped while at most one full-size frame waits behind.
#[test]
fn one_frame_may_wait_however_long() {
    // A frame takes 40 ms, so the standing frames wait far above the target.
    let slow = r#"{"rate":"200kbit/s","framing":"none","queue":{"discipline":"codel"}}"#;
    let drops = |standing| {
        let burst = (0..standing).map(|_| Arrival::new(ns(0), 0, 1000));
        let rest = every(Duration::from_millis(40), ms(20), 200, 0, 1000);
        aqm(&run(&mut crate::common::packet::packet_pipe(slow), burst.chain(rest))).len()
    };
    assert_eq!(drops(2), 0);
    assert!(drops(4) > 0);
}

/// Runs two overloads with a gap between them. Returns the time between the first two drops of the
/// second one, in ns, and the number of drops in the first one.
fn second_overload(gap: u64) -> (f64, f64) {
    let second = ms(4000 + gap);
    let arrivals = overload(ns(0), 4000).chain(overload(second, 1000));
    let drops = aqm(&run(&mut queue_pipe(CODEL), arrivals));
    let (first, again): (Vec<_>, Vec<_>) = drops.into_iter().partition(|lost| lost.at < second);
    let step = again[1].at.since(again[0].at).as_nanos();
    (step as f64, first.len() as f64)
}

/// Section 5.5: a return to the dropping state within 16 intervals resumes the drop rate that was
/// appropriate before. A later return starts from the beginning.
#[test]
fn the_drop_rate_is_resumed_soon_after_and_forgotten_later() {
    let (step, drops) = second_overload(500);
    let resumed = INTERVAL / (drops - 1.0).sqrt();
    assert!((step - resumed).abs() <= 1e6, "{step} ns, not {resumed}");
    let (step, _) = second_overload(5000);
    assert!((step - INTERVAL).abs() <= 1e6, "{step} ns");
}

/// The control law continues if only parameters change.
#[test]
fn new_parameters_keep_the_state() {
    let mut pipe = queue_pipe(CODEL);
    let mut drops = 0;
    for arrival in overload(ns(0), 2000) {
        if arrival.at == ms(900) {
            let table = r#"{"queue":{"discipline":{"codel":{"target":"6ms"}}}}"#;
            pipe.change(arrival.at, &change(table));
        }
        let packet = crate::common::packet::Packet { number: 0, flow: 0, header: None };
        pipe.offer(arrival.at, netloom_link::FrameInfo::single(1000), packet).unwrap();
        while pipe.poll(arrival.at).is_some() {}
        while let Some(dropped) = pipe.poll_dropped() {
            // A CoDel that started anew at 900 ms would drop nothing before 1000 ms.
            drops += u32::from(dropped.at > ms(900) && dropped.at < ms(1000));
        }
    }
    assert!(drops >= 2, "{drops}");
}
