//! Random early detection (Floyd & Jacobson 1993). The average and the probability are tested where
//! they are computed; this file tests their effects.

use netloom_link::DropReason;
use netloom_units::Duration;

use crate::common::packet::{Arrival, Delivered, every, queue_pipe, run};
use crate::common::{ms, ns};

/// A queue that uses only its current length (weight 1), so the test knows the average.
const RED: &str = r#"{"discipline":{"red":{"weight":1.0}},"limit":"100000packets"}"#;

/// Returns the gaps between marks while arrivals find `length` frames waiting.
fn gaps(length: u64, count: u64) -> Vec<u64> {
    // One frame goes on the line at once, and one when the first of the rest arrives.
    let burst = (0..length + 2).map(|_| Arrival::new(ns(0), 0, 1000));
    let rest = every(Duration::from_millis(1), ms(1), count, 0, 1000);
    let outcome = run(&mut queue_pipe(RED), burst.chain(rest).map(Arrival::ecn));
    assert!(outcome.lost.is_empty());
    let marked = outcome.delivered.iter().filter(|d| d.packet.is_marked());
    let numbers: Vec<_> =
        marked.map(|d| d.packet.number).filter(|number| *number > length + 1).collect();
    numbers.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Returns the χ² of `gaps` for the probabilities of gaps of 1, 2, ….
fn chi_square(gaps: &[u64], probabilities: &[f64]) -> f64 {
    let total = gaps.len() as f64;
    let term = |(gap, p): (u64, &f64)| {
        let seen = gaps.iter().filter(|g| **g == gap).count() as f64;
        (seen - total * p).powi(2) / (total * p)
    };
    (1..).zip(probabilities).map(term).sum()
}

/// Section 7, method 2: the number of arrivals from mark to mark is uniform on 1 to 1/p_b, so marks
/// are neither clustered nor far apart.
#[test]
fn marks_are_spaced_uniformly() {
    // The length is half-way between 5 and 15 packets: p_b = 10 % / 2, 1/p_b = 20.
    let gaps = gaps(10, 100_000);
    assert_eq!(gaps.iter().max(), Some(&20));
    // 99 % quantile of χ² with 19 degrees of freedom.
    let chi = chi_square(&gaps, &[0.05; 20]);
    assert!(chi < 36.2, "{chi}");
}

/// The gentle region: at 20 packets, a third of the way from 15 to 30, p_b = 10 % + 90 % / 3.
#[test]
fn above_max_the_probability_rises_gently() {
    let gaps = gaps(20, 100_000);
    // 99 % quantile of χ² with 2 degrees of freedom.
    let chi = chi_square(&gaps, &[0.4, 0.4, 0.2]);
    assert!(chi < 9.21, "{chi}");
    assert_eq!(gaps.iter().max(), Some(&3));
}

#[test]
fn below_min_nothing_is_marked_or_dropped() {
    assert!(gaps(4, 10_000).is_empty());
}

/// Beyond twice `max` everything is dropped that is not ECN-capable, and with `hard_drop` the rest,
/// too.
#[test]
fn the_queue_ends_at_twice_max() {
    const HARD: &str =
        r#"{"discipline":{"red":{"weight":1.0,"hard_drop":true}},"limit":"100000packets"}"#;
    for (queue, ecn) in [(RED, false), (HARD, false), (HARD, true)] {
        let flood = every(Duration::from_micros(50), ns(0), 20_000, 0, 1000)
            .map(|arrival| if ecn { arrival.ecn() } else { arrival });
        let outcome = run(&mut queue_pipe(queue), flood);
        let maximum = outcome.statistics.queue.maximum.frames;
        assert!((20..=30).contains(&maximum), "{maximum}");
        assert!(outcome.statistics.dropped.aqm.frames > 10_000);
        assert_eq!(outcome.statistics.dropped.queue_full.frames, 0);
    }
}

/// Without `hard_drop`, ECN-capable packets are only ever marked, up to the queue's limit: at
/// `max_p: 100%`, beyond twice `max`, and beyond `max` where the curve is not gentle. The first
/// frame goes on the line at once; the curve begins at 5 waiting frames.
#[test]
fn ecn_capable_packets_are_marked_beyond_the_curve() {
    for red in [
        r#""max_p":"100%""#,
        r#""gentle":false"#,
        r#""max_p":"100%","gentle":false"#,
        r#""max":"5packets","gentle":false"#,
        "",
    ] {
        let comma = if red.is_empty() { "" } else { "," };
        let queue = format!(
            r#"{{"discipline":{{"red":{{"weight":1.0{comma}{red}}}}},"limit":"100packets"}}"#
        );
        let burst = (0..201).map(|_| Arrival::new(ns(0), 0, 1000).ecn());
        let outcome = run(&mut queue_pipe(&queue), burst);
        let dropped = outcome.statistics.dropped;
        assert_eq!((dropped.aqm.frames, dropped.queue_full.frames), (0, 100), "{red}");
        let marked = |from: u64| {
            let marked = |one: &&Delivered| one.packet.is_marked() && one.packet.number >= from;
            outcome.delivered.iter().filter(marked).count()
        };
        // From 30 waiting frames on, every arrival is marked, whatever the curve.
        assert_eq!(marked(31), 70, "{red}");
    }
}

/// `min` and `max` may be equal: a step.
#[test]
fn equal_thresholds_are_a_step() {
    let queue = r#"{"discipline":{"red":{"min":"20packets","max":"20packets","weight":1.0,
        "gentle":false}},"limit":"100packets"}"#;
    let burst = (0..61).map(|_| Arrival::new(ns(0), 0, 1000).ecn());
    let outcome = run(&mut queue_pipe(queue), burst);
    let marked: Vec<u64> = (outcome.delivered.iter())
        .filter(|one| one.packet.is_marked())
        .map(|one| one.packet.number)
        .collect();
    assert_eq!(marked, (21..61).collect::<Vec<u64>>());
}

/// Section 4: the average persists when the queue is empty, and decays over idle time. The second
/// burst of 60 frames finds the average of the first, unless the line was idle for long.
#[test]
fn the_average_remembers_and_forgets() {
    let queue = r#"{"discipline":{"red":{"weight":0.02,"ecn":false}},"limit":"1000packets"}"#;
    let drops_of_second_burst = |gap: u64| {
        let burst = |at, flow| (0..60).map(move |_| Arrival::new(at, flow, 1000));
        let arrivals = burst(ns(0), 1).chain(burst(ms(60 + gap), 2));
        let outcome = run(&mut queue_pipe(queue), arrivals);
        outcome.lost_to(DropReason::Aqm).iter().filter(|lost| lost.packet.flow == 2).count()
    };
    let first = {
        let burst = (0..60).map(|_| Arrival::new(ns(0), 2, 1000));
        run(&mut queue_pipe(queue), burst).lost.len()
    };
    let (soon, later) = (drops_of_second_burst(1), drops_of_second_burst(10_000));
    assert!(soon > 2 * first.max(later), "first {first}, soon {soon}, later {later}");
}

/// Thresholds in bytes and in time have the same effect as those in packets.
#[test]
fn thresholds_in_bytes_and_time_mean_the_same() {
    let drops = |min, max| {
        let red = format!(r#"{{"weight":0.01,"min":"{min}","max":"{max}"}}"#);
        let queue = format!(r#"{{"discipline":{{"red":{red}}},"limit":"1000packets"}}"#);
        let flood = every(Duration::from_micros(900), ns(0), 5000, 0, 1000);
        let lost = run(&mut queue_pipe(&queue), flood).lost;
        lost.iter().map(|lost| lost.packet.number).collect::<Vec<_>>()
    };
    let packets = drops("5packets", "15packets");
    assert!(packets.len() > 300);
    assert_eq!(packets, drops("5kB", "15kB"));
    assert_eq!(packets, drops("5ms", "15ms"));
}

/// Thresholds by DSCP (RIO): at the same average, some packets are marked and others are not. The
/// marked ones have gaps of their own.
#[test]
fn each_dscp_has_thresholds_of_its_own_and_one_average() {
    let queue = r#"{"discipline":{"red":{"weight":1.0,"min":"40packets","max":"60packets",
        "by_dscp":{"af11":{"min":"20packets","max":"40packets"},
        "af13":{"min":"5packets","max":"15packets","max_p":"20%"}}}},"limit":"1000packets"}"#;
    // Ten frames wait throughout. So p_b = 20 % / 2 for af13, and 0 for all others.
    let dscp = |number: u64| [10, 14, 0][(number % 3) as usize];
    let burst = (0..12).map(|_| Arrival::new(ns(0), 0, 1000));
    let rest = every(Duration::from_millis(1), ms(1), 90_000, 0, 1000);
    let all = burst.chain(rest).enumerate().map(|(n, arrival)| arrival.ecn().dscp(dscp(n as u64)));
    let outcome = run(&mut queue_pipe(queue), all);
    assert!(outcome.lost.is_empty());
    let marked: Vec<u64> = outcome
        .delivered
        .iter()
        .filter(|one| one.packet.is_marked() && one.packet.number > 11)
        .map(|one| one.packet.number)
        .collect();
    assert!(marked.iter().all(|number| dscp(*number) == 14));
    let gaps: Vec<u64> = marked.windows(2).map(|pair| (pair[1] - pair[0]) / 3).collect();
    assert_eq!(gaps.iter().max(), Some(&10));
    // 99 % quantile of χ² with 9 degrees of freedom.
    let chi = chi_square(&gaps, &[0.1; 10]);
    assert!(chi < 21.7, "{chi}");
}

/// RIO: in a flood, packets within their profile pass, and those beyond it are dropped.
#[test]
fn packets_with_higher_thresholds_are_spared() {
    let queue = r#"{"discipline":{"red":{"weight":0.05,"ecn":false,"by_dscp":{
        "af11":{"min":"30packets","max":"60packets","max_p":"2%"},
        "af13":{"min":"5packets","max":"15packets","max_p":"20%"}}}},"limit":"100packets"}"#;
    // 60 % of the line within the profile, 60 % beyond it.
    let step = Duration::from_micros(1667);
    let within = every(step, ns(0), 6000, 1, 1000).map(|one| one.dscp(10));
    let beyond = every(step, ns(800_000), 6000, 3, 1000).map(|one| one.dscp(14));
    let outcome = run(&mut queue_pipe(queue), within.chain(beyond));
    let lost = |flow| outcome.lost.iter().filter(|lost| lost.packet.flow == flow).count();
    assert!(lost(1) < 30, "{} within", lost(1));
    // A third of the packets beyond the profile does not fit.
    assert!((1800..2300).contains(&lost(3)), "{} beyond", lost(3));
}
