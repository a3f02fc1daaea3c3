//! The state of active queue management, as results show it over time: compared with the formulas
//! of the papers and RFCs, worked out here for arrivals that leave no doubt about the queue. Frames
//! of 1000 bytes take 1 ms, and frame n of a burst at 0 leaves the queue after n ms.

use netloom_link::{AqmState, FrameInfo, Pipe};
use netloom_units::Time;

use crate::common::packet::{Arrival, Packet, queue_pipe, run_until};
use crate::common::{ms, ns};

/// Returns a burst of ECN-capable frames of one flow.
fn burst(at: Time, flow: u16, count: usize) -> Vec<Arrival> {
    vec![Arrival::new(at, flow, 1000).ecn(); count]
}

/// Offers `arrivals`, all at 0, and returns the state in the middle of each of `millis`
/// milliseconds.
fn states(queue: &str, arrivals: Vec<Arrival>, millis: u64) -> Vec<AqmState> {
    let mut pipe = queue_pipe(queue);
    run_until(&mut pipe, arrivals, Some(Time::ZERO));
    let state = |milli| {
        let at = ns(milli * 1_000_000 + 500_000);
        while pipe.poll(at).is_some() {}
        while pipe.poll_dropped().is_some() {}
        pipe.statistics(at).aqm.expect("the discipline has a state")
    };
    (0..millis).map(state).collect()
}

fn assert_close(got: Option<f64>, expected: f64, what: &str) {
    let got = got.expect(what);
    assert!((got - expected).abs() < 1e-12, "{what}: {got}, not {expected}");
}

/// RFC 8033, section 4.2: at each multiple of 15 ms, p += α·(delay − target) + β·(delay − old),
/// divided by what the size of p asks for; without delay p falls to 98 %. The delay is that of the
/// frame that left last before the step.
#[test]
fn the_probability_of_pie_is_that_of_its_steps() {
    const FRAMES: u64 = 400;
    let states = states(
        r#"{"discipline":"pie","limit":"1000packets"}"#,
        burst(Time::ZERO, 0, FRAMES as usize),
        600,
    );
    let (mut p, mut old, mut between) = (0.0f64, 0.0, 0);
    for (milli, state) in (0..).zip(states) {
        if milli > 0 && milli % 15 == 0 {
            // Frame n of the burst leaves at n ms, and the queue is found empty at 400 ms.
            let delay = if milli <= FRAMES { (milli - 1) as f64 / 1e3 } else { 0.0 };
            let scale = match p {
                p if p < 1e-6 => 2048.0,
                p if p < 1e-5 => 512.0,
                p if p < 1e-4 => 128.0,
                p if p < 1e-3 => 32.0,
                p if p < 1e-2 => 8.0,
                p if p < 0.1 => 2.0,
                _ => 1.0,
            };
            let step = (0.125 * (delay - 0.015) + 1.25 * (delay - old)) / scale;
            p += if p >= 0.1 { step.min(0.02) } else { step };
            if delay == 0.0 && old == 0.0 {
                p *= 0.98;
            }
            (p, old) = (p.clamp(0.0, 1.0), delay);
        }
        between += u32::from(p > 0.0 && p < 1.0);
        assert_close(state.probability, p, &format!("p at {milli} ms"));
        assert_eq!((state.coupled, state.average, state.count), (None, None, None));
    }
    assert!(between > 300, "more than the bounds are compared: {between} ms");
}

/// RFC 9332, appendix A.1: at each multiple of 15 ms, p' += 0.15·(delay − target) + 3·(delay − old)
/// with the delay of the oldest frame; then p_C = p'² and p_CL = 2·p'.
#[test]
fn the_probabilities_of_dual_pi2_are_those_of_its_steps() {
    let states =
        states(r#"{"discipline":"dualpi2","limit":"1000packets"}"#, burst(Time::ZERO, 0, 100), 200);
    let (mut base, mut old) = (0.0f64, 0.0);
    for (milli, state) in (0..).zip(states) {
        if milli > 0 && milli % 15 == 0 {
            // All frames came at 0, and the last one leaves the queue at 99 ms.
            let delay = if milli < 99 { milli as f64 / 1e3 } else { 0.0 };
            base = (base + 0.15 * (delay - 0.015) + 3.0 * (delay - old)).clamp(0.0, 1.0);
            old = delay;
        }
        assert_close(state.probability, base * base, &format!("p_C at {milli} ms"));
        assert_close(state.coupled, 2.0 * base, &format!("p_CL at {milli} ms"));
        assert_eq!((state.average, state.count), (None, None));
    }
}

/// Number of marks by `milli`, if a queue is above its target from `above` on: the first one comes
/// an interval of 100 ms later, and the one after the n-th 100 ms/√n later, each at the next
/// departure (RFC 8289, section 5.5).
fn marks_by(milli: u64, above: f64) -> u32 {
    let (mut count, mut next) = (0u32, above + 100.0);
    while next <= milli as f64 {
        count += 1;
        next += 100.0 / f64::from(count).sqrt();
    }
    count
}

/// Every frame has waited since 0, so the first that waited 5 ms leaves at 5 ms. The state ends
/// when at most one frame is left: frame 598 leaves at 598 ms with one frame behind it.
#[test]
fn the_count_of_codel_is_the_number_of_marks() {
    let states =
        states(r#"{"discipline":"codel","limit":"1000packets"}"#, burst(Time::ZERO, 0, 600), 620);
    for (milli, state) in (0..).zip(states) {
        let expected = if milli < 598 { marks_by(milli, 5.0) } else { 0 };
        assert_eq!(state.count, Some(expected), "at {milli} ms");
        assert_eq!((state.probability, state.coupled, state.average), (None, None, None));
    }
    assert_eq!(marks_by(597, 5.0), 10);
}

/// The count is that of the flow with the most marks; a flow of two frames has none.
#[test]
fn the_count_of_fq_codel_is_the_largest_of_its_flows() {
    let mut arrivals = burst(Time::ZERO, 1, 300);
    arrivals.extend(burst(Time::ZERO, 2, 2));
    let states = states(r#"{"discipline":"fq_codel","limit":"1000packets"}"#, arrivals, 290);
    for (milli, state) in (0..).zip(states) {
        assert_eq!(state.count, Some(marks_by(milli, 5.0)), "at {milli} ms");
    }
}

/// Floyd & Jacobson 1993, section 4: avg ← (1 − w)·avg + w·q at each arrival, and after an idle
/// time (1 − w)^m·avg, where m is the number of packets that the line could have carried;
/// p_b = max_p·(avg − min)/(max − min).
#[test]
fn the_average_and_the_probability_of_red_follow_its_arrivals() {
    let mut pipe: Pipe<Packet> = queue_pipe(
        r#"{"discipline":{"red":{"min":"2packets","max":"12packets","max_p":"10%",
            "weight":0.25,"mean_packet":"1000B"}},"limit":"1000packets"}"#,
    );
    let mut average = 0.0f64;
    let mut arrive = |at: Time, waiting: u64| {
        while pipe.poll(at).is_some() {}
        let header = Arrival::new(at, 0, 1000).ecn().header;
        let packet = Packet { number: 0, flow: 0, header };
        pipe.offer(at, FrameInfo::single(1000), packet).expect("marked, not dropped");
        average += 0.25 * (waiting as f64 - average);
        let state = pipe.statistics(at).aqm.expect("the discipline has a state");
        assert_close(state.average, average, &format!("average at {at}"));
        let p = if average < 2.0 { 0.0 } else { 0.1 * (average - 2.0) / 10.0 };
        assert_close(state.probability, p, &format!("p_b at {at}"));
        assert_eq!((state.coupled, state.count), (None, None));
        average
    };
    // The first frame goes onto the line at once; each further one finds one more waiting.
    arrive(Time::ZERO, 0);
    for waiting in 0..14 {
        arrive(Time::ZERO, waiting);
    }
    // By 5.5 ms, the frames that were offered second to sixth have left the queue.
    let before = arrive(ns(5_500_000), 9);
    assert!(before > 5.0, "{before}");
    // The 16 frames keep the line busy until 16 ms. Eight more would have fit until 24 ms.
    let idle = before * 0.75f64.powi(8);
    let expected = idle + 0.25 * (0.0 - idle);
    while pipe.poll(ms(24)).is_some() {}
    let header = Arrival::new(ms(24), 0, 1000).ecn().header;
    let packet = Packet { number: 0, flow: 0, header };
    pipe.offer(ms(24), FrameInfo::single(1000), packet).unwrap();
    let state = pipe.statistics(ms(24)).aqm.unwrap();
    assert_close(state.average, expected, "average after the idle time");
}
