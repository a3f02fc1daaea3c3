//! Differentiated services: the network of Zheng 2003, section 5.1, in which all routers support
//! it, or some do not; and its queueing model.

use netloom_link::Stream;
use netloom_sim::{FlowSpec, FlowTotals};
use netloom_units::{Duration, Time};

use crate::common::{Sketch, at, counted, datagrams, whole};

/// Payload of datagrams in frames of 1000 bytes, without framing.
const PAYLOAD: u32 = 1000 - 42;

/// The queue of a router with differentiated services: expedited forwarding comes first; each class
/// holds 40 packets.
const DS: &str = r#"{"discipline":{"prio":{"classes":[
    {"match":{"dscp":"ef"},"limit":"40packets"},{"limit":"40packets"}]}},"limit":"100packets"}"#;
/// The queue of a router without differentiated services.
const RED: &str = r#"{"discipline":{"red":{"min":"20packets","max":"40packets","max_p":"2%",
    "gentle":false,"ecn":false}},"limit":"100packets"}"#;

/// Time during which senders send, in seconds.
const SENT: u64 = 20;

/// Runs the network: sources `s1` and `s2`, edge routers at both ends of a row of `inner` routers
/// with the queue `inner_queue`, and a sink for each source. Preferred and other traffic have
/// `rate` Mbit/s each.
fn network(rate: f64, inner: usize, inner_queue: &str) -> [FlowTotals; 2] {
    let mut sketch = Sketch::new(1);
    let sources = ["s1", "s2"].map(|name| sketch.node(name, false));
    let edge = sketch.node("r1", true);
    let line = |rate: &str, delay: &str, queue: &str| {
        format!(r#"{{"rate":"{rate}","framing":"none","delay":"{delay}","queue":{queue}}}"#)
    };
    let access = |condition: &str| {
        let line = line("8Mbit/s", "2ms", r#"{"limit":"100packets"}"#);
        line.replacen('{', &format!(r#"{{"condition":{condition},"#), 1)
    };
    // The edge marks traffic within its profile as preferred.
    let marked = r#"[{"meter":{"rate":"5Mbit/s","burst":"5kB"},"conform":{"dscp":"ef"},
        "exceed":"drop"}]"#;
    sketch.link([sources[0], edge], &access(marked));
    sketch.link([sources[1], edge], &access(r#""none""#));
    let mut last = edge;
    let mut way = 2;
    // The lines between the outer ones number one more than the inner routers.
    for number in 0..inner + 3 {
        let next = sketch.node(&format!("r{}", number + 2), true);
        let outer = number == 0 || number == inner + 2;
        let properties = match outer {
            true => line("10Mbit/s", "1ms", DS),
            false => line("8Mbit/s", "1ms", inner_queue),
        };
        sketch.link([last, next], &properties);
        sketch.default_route(last, way);
        (last, way) = (next, 1);
    }
    let sinks = ["k1", "k2"].map(|name| {
        let sink = sketch.node(name, false);
        let link = sketch.link([last, sink], &access(r#""none""#));
        format!("10.0.{}.2", link.0)
    });
    for source in sources {
        sketch.default_route(source, 0);
    }
    let gap = 8000.0 / rate * 1e3;
    // The sources are out of phase.
    let sent = |phase: f64| {
        let times = (0..).map(|number| ((f64::from(number) + phase) * gap) as u64);
        let times = times.take_while(|at| *at < SENT * 1_000_000_000);
        times.map(|at| (at, PAYLOAD)).collect()
    };
    let flows = [(0, 0.0), (1, 0.37)];
    let flows = flows.map(|(index, phase)| datagrams(sources[index], &sinks[index], sent(phase)));
    let mut cell = whole(sketch.network, flows.into());
    cell.advance(at(SENT * 1000 + 2000)).expect("no loop");
    [0, 1].map(|flow| counted(&cell, flow))
}

/// Returns the mean delay in ms and the share of packets that were lost.
fn figures(counts: &FlowTotals) -> (f64, f64) {
    let received = counts.received.frames as f64;
    let delay = counts.delay.sum_ns() as f64 / received / 1e6;
    (delay, 1.0 - received / counts.sent.frames as f64)
}

/// Returns the service performance index of a class: the relative increase of its delay in the
/// other network over the network where all routers support differentiated services, weighted by
/// the class's share of the traffic.
fn index(other: f64, all: f64) -> f64 {
    0.5 * (other - all) / all
}

#[test]
fn at_a_light_load_both_classes_are_alike_in_either_network() {
    for queue in [DS, RED] {
        let [preferred, other] = network(3.0, 1, queue).each_ref().map(figures);
        assert!((preferred.0 - other.0).abs() < 2.0, "{preferred:?} {other:?}");
        for (delay, lost) in [preferred, other] {
            assert!((12.0..17.0).contains(&delay) && lost == 0.0, "{delay} ms, {lost}");
        }
    }
}

#[test]
fn a_router_without_differentiated_services_takes_the_preference_away() {
    let all = network(4.8, 1, DS).each_ref().map(figures);
    let [(preferred, none), (other, lost)] = all;
    assert!(preferred < 20.0 && none == 0.0, "{all:?}");
    assert!((100.0..140.0).contains(&other) && (0.31..0.36).contains(&lost), "{all:?}");

    let without = network(4.8, 1, RED).each_ref().map(figures);
    for (delay, lost) in without {
        assert!((45.0..75.0).contains(&delay) && (0.14..0.20).contains(&lost), "{without:?}");
    }
    let indices = [0, 1].map(|class| index(without[class].0, all[class].0));
    assert!(indices[0] > 1.0 && (-0.4..-0.1).contains(&indices[1]), "{indices:?}");
    assert!(indices[0] + indices[1] > 0.0, "{indices:?}: the network is the worse for it");
}

/// Figure 5.12: one router without differentiated services does nearly all the harm that several
/// do.
#[test]
fn further_routers_without_it_change_little() {
    let indices = [1, 2, 3, 4].map(|inner| {
        let [all, without] = [DS, RED].map(|queue| network(4.8, inner, queue));
        [0, 1].map(|class| index(figures(&without[class]).0, figures(&all[class]).0))
    });
    for of_row in &indices[1..] {
        for class in [0, 1] {
            let ratio = of_row[class] / indices[0][class];
            assert!((0.6..1.4).contains(&ratio), "{indices:?}");
        }
    }
}

/// An exponentially distributed service time with a mean of 1/300 s, whatever the frame: extra time
/// on the line, given by points of the distribution function.
fn exponential_service() -> String {
    const STEPS: u32 = 1000;
    const LONGEST: f64 = 14.0;
    let points = (0..=STEPS).map(|step| {
        let time = LONGEST * f64::from(step) / f64::from(STEPS);
        // A probability of a millionth remains beyond the last point.
        let share = if step == STEPS { 1.0 } else { 1.0 - (-time).exp() };
        let (percent, nanos) = (share * 100.0, (time / 300.0 * 1e9).round());
        format!(r#"{{"probability":"{percent:.9}%","time":"{nanos}ns"}}"#)
    });
    format!("[{}]", points.collect::<Vec<_>>().join(","))
}

/// Returns the counts of two classes of Poisson traffic, 100 a second each. They pass a line with
/// priorities and then one without, whose service times are `second`.
fn tandem(run: u64, seconds: u64, second: &str) -> [FlowTotals; 2] {
    let line = |service: &str, queue: &str| {
        format!(
            r#"{{"rate":"10Gbit/s","framing":"none","mac_overhead":{service},"queue":{queue}}}"#
        )
    };
    let prio = r#"{"discipline":{"prio":{"classes":[{"match":{"dscp":"ef"},"limit":"20packets"},
        {"limit":"20packets"}]}},"limit":"40packets"}"#;
    let lines = [line(&exponential_service(), prio), line(second, r#"{"limit":"20packets"}"#)];
    let (mut sketch, from, _) = Sketch::chain(run, &lines.each_ref().map(String::as_str));
    sketch.network.seed = run;
    let flows = [46 << 2, 0].map(|traffic_class| {
        let mut stream = Stream::new(run, &format!("class {traffic_class}"));
        let mut now = 0.0;
        let times = std::iter::repeat_with(|| {
            now += -(1.0 - stream.uniform()).ln() / 100.0 * 1e9;
            now as u64
        });
        let sent = times.take_while(|at| *at < seconds * 1_000_000_000).map(|at| (at, 60));
        let spec = datagrams(from, "10.0.1.2", sent.collect());
        FlowSpec { traffic_class, ..spec }
    });
    let mut cell = whole(sketch.network, flows.into());
    cell.advance(Time::ZERO + Duration::from_secs(seconds + 5)).expect("no loop");
    [0, 1].map(|flow| counted(&cell, flow))
}

/// Mean delay of all packets, in ms.
fn mean_of_all(counts: &[FlowTotals; 2]) -> f64 {
    let packets: u64 = counts.iter().map(|flow| flow.received.frames).sum();
    counts.iter().map(|flow| flow.delay.sum_ns()).sum::<u128>() as f64 / packets as f64 / 1e6
}

/// Returns the times in the model: the time of each class in the first queue, and the mean time of
/// all packets in the second one, which the model assumes for both classes.
fn times_in_both(run: u64) -> [f64; 2] {
    const SECONDS: u64 = 50;
    // The first line draws the same times in both runs.
    let first = tandem(run, SECONDS, "[]");
    let both = tandem(run, SECONDS, &exponential_service());
    let second = mean_of_all(&both) - mean_of_all(&first);
    first.each_ref().map(|class| figures(class).0 + second)
}

/// The queueing model of section 5.1: λ 100 for each class, µ 300, K 20, non-preemptive. Its Markov
/// chain, with the class in service as part of the state, has mean times of 16.64 and 23.30 ms.
#[test]
fn two_classes_wait_as_in_the_queueing_model() {
    const RUNS: u64 = 20;
    let runs: Vec<[f64; 2]> = (0..RUNS).map(times_in_both).collect();
    for (class, expected) in [(0, 16.64), (1, 23.30)] {
        let means: Vec<f64> = runs.iter().map(|run| run[class]).collect();
        let n = RUNS as f64;
        let mean = means.iter().sum::<f64>() / n;
        let variance = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (n - 1.0);
        // Student's t at 0.995 for 19 degrees of freedom.
        let half = 2.861 * (variance / n).sqrt();
        assert!((mean - expected).abs() <= half, "{mean} ± {half}, expected {expected}");
        assert!(half < 0.8, "{half}: too few to tell preemption, of 14.98 and 24.96 ms, apart");
    }
}
