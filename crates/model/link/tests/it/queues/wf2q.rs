//! WF²Q+ (Bennett & Zhang 1997).

use netloom_link::Stream;
use netloom_units::Duration;

use crate::common::packet::{Arrival, Delivered, every, queue_pipe, run, run_until};
use crate::common::{ms, ns};

/// Three classes by DSCP, with weights 1, 2 and 5.
const WF2Q: &str = r#"{"discipline":{"wf2q+":{"classes":[
    {"match":{"dscp":1}}, {"match":{"dscp":2},"weight":2}, {"weight":5}]}},
    "limit":"100000packets"}"#;
const WEIGHTS: [f64; 3] = [1.0, 2.0, 5.0];
const LONGEST: f64 = 1500.0;
/// Rate of the line in bytes per ns: 8 Mbit/s.
const RATE: f64 = 1e-3;
/// Tolerance in ns, because times are rounded down to whole nanoseconds.
const ROUNDING: f64 = 2.0;

/// Returns frames of 64 to 1500 bytes in random bursts, at `load` times the line's rate.
fn bursts(dscp: u8, load: f64, seed: u64) -> Vec<Arrival> {
    let mut stream = Stream::new(seed, "bursts");
    let (mut arrivals, mut clock) = (Vec::new(), 0.0);
    while clock < 5e9 {
        for _ in 0..1 + (stream.uniform() * 20.0) as u32 {
            let bytes = 64 + (stream.uniform() * 1437.0) as u32;
            arrivals.push(Arrival::new(ns(clock as u64), dscp.into(), bytes).dscp(dscp));
        }
        clock += stream.uniform() * 2.0 * 10.5 * 782.0 / (RATE * load);
    }
    arrivals
}

/// Theorem 4, delay bound: a frame leaves at most L_max / r after the time at which a separate line
/// with its class's guaranteed rate would have sent it.
#[test]
fn the_delay_bound_holds() {
    let arrivals = [bursts(1, 0.2, 1), bursts(2, 0.6, 2), bursts(3, 0.5, 3)].into_iter().flatten();
    let outcome = run(&mut queue_pipe(WF2Q), arrivals);
    let (mut finish, mut latest) = ([0.0_f64; 3], f64::MIN);
    for delivered in &outcome.delivered {
        let class = usize::from(delivered.packet.flow) - 1;
        let rate = RATE * WEIGHTS[class] / 8.0;
        let arrival = delivered.offered.as_nanos() as f64;
        finish[class] = finish[class].max(arrival) + delivered.bytes as f64 / rate;
        let late = delivered.serialized.as_nanos() as f64 - finish[class];
        latest = latest.max(late);
        assert!(late <= LONGEST / RATE + ROUNDING, "class {class}: {late} ns");
    }
    assert!(outcome.delivered.len() > 5000 && latest > 0.0, "the bound was put to the test");
}

/// Theorem 4, worst-case fairness: from any time until the departure of one of its frames, a class
/// that is backlogged throughout gets at least r_i·t - α_i, with α_i = L_i + (L_max - L_i)·r_i/r.
#[test]
fn the_worst_case_fairness_bound_holds() {
    for watched in 0..3 {
        let backlogged = every(Duration::from_micros(100), ns(0), 30_000, watched + 1, 1000)
            .map(|arrival| arrival.dscp(watched as u8 + 1));
        let others = (0..3).filter(|class| *class != watched).flat_map(|class| {
            bursts(class as u8 + 1, 1.2 * WEIGHTS[usize::from(class)] / 8.0, class.into())
        });
        let outcome = run_until(&mut queue_pipe(WF2Q), backlogged.chain(others), Some(ms(3000)));
        let share = WEIGHTS[usize::from(watched)] / 8.0;
        let bound = 1000.0 + (LONGEST - 1000.0) * share;
        let worst = worst_shortfall(&outcome.delivered, watched + 1, share * RATE);
        assert!(worst <= bound + ROUNDING, "class {watched}: {worst} of {bound} bytes");
        assert!(worst > 100.0, "class {watched}: the bound was put to the test");
    }
}

/// Returns the largest shortfall of `flow` behind `rate` from any time to the departure of a frame,
/// in bytes.
fn worst_shortfall(delivered: &[Delivered], flow: u16, rate: f64) -> f64 {
    let (mut sent, mut most_ahead, mut worst) = (0.0, f64::MIN, 0.0_f64);
    for frame in delivered.iter().filter(|frame| frame.packet.flow == flow) {
        sent += frame.bytes as f64;
        let ahead = sent - rate * frame.serialized.as_nanos() as f64;
        worst = worst.max(most_ahead - ahead);
        most_ahead = most_ahead.max(ahead);
    }
    worst
}

/// The example of figures 1 and 2 (Bennett & Zhang 1996, figure 2): class 1 has half of the line
/// and 11 frames, and ten classes have a twentieth and one frame each. WFQ would send ten frames of
/// class 1 in a row; here the classes take turns.
#[test]
fn no_class_runs_ahead_of_the_fluid_system() {
    let mut classes = vec![r#"{"match":{"dscp":1},"weight":10}"#.to_string()];
    classes.extend((2..=11).map(|dscp| format!(r#"{{"match":{{"dscp":{dscp}}}}}"#)));
    // The class for the rest would have a share of its own, so it is one of the ten.
    classes[10] = "{}".into();
    let queue = format!(
        r#"{{"discipline":{{"wf2q+":{{"classes":[{}]}}}},"limit":"1000packets"}}"#,
        classes.join(",")
    );
    let own = (0..11).map(|_| Arrival::new(ns(0), 1, 1000).dscp(1));
    let others = (2..=11).map(|dscp: u8| Arrival::new(ns(0), dscp.into(), 1000).dscp(dscp));
    let outcome = run(&mut queue_pipe(&queue), own.chain(others));
    let flows: Vec<_> = outcome.delivered.iter().map(|d| d.packet.flow).collect();
    assert_eq!(flows, [1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1, 9, 1, 10, 1, 11, 1]);
}

/// A class that used an idle line alone is not at a disadvantage in the next busy period.
#[test]
fn the_past_is_forgotten_with_an_idle_line() {
    let flood = |dscp: u8, at, count: u64| {
        (0..count).map(move |_| Arrival::new(at, dscp.into(), 1000).dscp(dscp))
    };
    let place_of_class_1 = |before| {
        let second = flood(3, ms(1000), 30).chain(flood(1, ms(1000), 1));
        let outcome = run(&mut queue_pipe(WF2Q), flood(1, ns(0), before).chain(second));
        let sent = outcome.delivered.iter().filter(|d| d.started >= ms(1000));
        sent.map(|d| d.packet.flow).position(|flow| flow == 1)
    };
    // When the first frame of class 3 ends, its second one has not begun in the fluid system.
    assert_eq!(place_of_class_1(0), Some(1));
    assert_eq!(place_of_class_1(100), Some(1));
}
