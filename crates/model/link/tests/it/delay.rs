//! Variation of the delay, and its effect on the order.

use crate::common::statistics::{assert_geometric, assert_law, assert_mean};
use crate::common::{change, config, drain, ms, ns, pipe};
use netloom_link::{Data, DataFormat, DistributionTable, FrameInfo, Offsets, Pipe, Stream};
use netloom_units::{Duration, Time};

const DELAY_NS: i64 = 100_000_000;

/// The standard normal distribution function.
fn phi(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// iproute2's Pareto distribution function: exponent 3, mean 0, scaled by 4/3, cut at 4.
fn pareto(x: f64) -> f64 {
    match x {
        x if x <= -2.0 / 3.0 => 0.0,
        x if x >= 4.0 => 1.0,
        x => 1.0 - (0.75 * x + 1.5).powi(-3),
    }
}

/// Distribution function whose quantile is a quarter of the normal plus three quarters of the
/// Pareto quantile, inverted by bisection.
fn paretonormal(x: f64) -> f64 {
    let quantile = |z: f64| {
        let pareto = ((1.0 - phi(z)).powf(-1.0 / 3.0) - 1.5) * 4.0 / 3.0;
        0.25 * z.clamp(-4.0, 4.0) + 0.75 * pareto.min(4.0)
    };
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if quantile(middle) <= x { low = middle } else { high = middle }
    }
    phi(low)
}

/// The distribution function of values that are equally likely.
fn each(values: &[i64]) -> impl Fn(f64) -> f64 {
    |x| values.iter().filter(|value| **value as f64 <= x).count() as f64 / values.len() as f64
}

/// Returns the jitter of `count` frames in ns. They are sent so far apart that the order does not
/// matter.
fn jitter(text: &str, count: u64, seed: u64) -> Vec<i64> {
    let text = format!(r#"{{"delay":"100ms","jitter":{text}}}"#);
    let mut pipe = Pipe::new(config(&text), Stream::new(seed, "jitter"), Time::ZERO);
    let one = |number: u64| {
        let at = ms(1000 * number);
        pipe.offer(at, FrameInfo::single(100), number).unwrap();
        let release = drain(&mut pipe)[0].1;
        release.since(at).as_nanos() as i64 - DELAY_NS
    };
    (0..count).map(one).collect()
}

#[test]
fn each_distribution_follows_its_law() {
    let in_ms = |law: fn(f64) -> f64| move |ns: f64| law(ns / 1e6 / 5.0);
    let uniform = |x: f64| ((x + 1.0) / 2.0).clamp(0.0, 1.0);
    assert_law(&jitter(r#"{"uniform":"5ms"}"#, 20_000, 1), in_ms(uniform), "uniform");
    assert_law(&jitter(r#""5ms""#, 20_000, 2), in_ms(uniform), "uniform, as a text");
    assert_law(&jitter(r#"{"normal":"5ms"}"#, 20_000, 3), in_ms(phi), "normal");
    assert_law(&jitter(r#"{"pareto":"5ms"}"#, 20_000, 4), in_ms(pareto), "pareto");
    let mixed = jitter(r#"{"paretonormal":"5ms"}"#, 20_000, 5);
    assert_law(&mixed, in_ms(paretonormal), "paretonormal");
}

#[test]
fn samples_are_drawn_as_they_are() {
    let samples = r#"["-9ms","2ms","2ms","0s","31.5ms","1us","7ms","7.000001ms"]"#;
    let values = [-9_000_000, 0, 1000, 2_000_000, 2_000_000, 7_000_000, 7_000_001, 31_500_000];
    for correlation in ["0%", "30%"] {
        let text = format!(r#"{{"empirical":{samples},"correlation":"{correlation}"}}"#);
        let drawn = jitter(&text, 40_000, 6);
        // Only every tenth value is used, because neighbours depend on each other.
        let apart: Vec<i64> = drawn.iter().copied().step_by(10).collect();
        assert_law(&apart, each(&values), "empirical");
    }
}

/// netem's arithmetic: `deviation · value / 8192`, with halves rounded away from zero.
#[test]
fn a_tc_table_is_looked_up_and_scaled() {
    let mut table = Data::<DistributionTable>::File("odd.dist".into());
    table.load("# four values\n-8192 -1\n 4096 16384 # twice\n").unwrap();
    let text = r#"{"table":[-8192,-1,4096,16384],"deviation":"1.234567ms"}"#;
    let drawn = jitter(text, 20_000, 7);
    let values = [-1_234_567, -151, 617_284, 2_469_134];
    assert!(drawn.iter().all(|value| values.contains(value)));
    assert_law(&drawn, each(&values), "table");
    assert_eq!(table.values().unwrap().values(), [-8192, -1, 4096, 16384]);
}

#[test]
fn a_pattern_is_followed_in_order() {
    let drawn = jitter(r#"{"pattern":["1ms","-2ms","0.5us"]}"#, 7, 1);
    let expected = [1_000_000, -2_000_000, 500];
    assert_eq!(drawn, (0..7).map(|k| expected[k % 3]).collect::<Vec<_>>());
}

#[test]
fn a_list_of_delays_is_read_from_a_file() {
    let offsets = Offsets::parse("# round trips\n1ms\n\n-20us # faster\n").unwrap();
    let nanos: Vec<i64> = offsets.as_slice().iter().map(|offset| offset.as_nanos()).collect();
    assert_eq!(nanos, [1_000_000, -20_000]);
    let error = |text: &str| Offsets::parse(text).unwrap_err().to_string();
    assert!(error("1ms\n5").starts_with("line 2"), "{}", error("1ms\n5"));
    assert!(error("").contains("at least one"));
    assert!(error(&"9".repeat(1 << 20)).len() < 200);
    let error = DistributionTable::parse("1 2\n3 40000").unwrap_err().to_string();
    assert!(error.starts_with("line 2: `40000`"), "{error}");
    let error = DistributionTable::parse(&"1 ".repeat(20_000)).unwrap_err().to_string();
    assert!(error.contains("16384"), "{error}");
}

/// Returns the products of neighbours, whose mean is the covariance, because mean and deviation are
/// known.
fn products(values: &[i64], lag: usize, deviation: f64) -> Vec<f64> {
    let scaled: Vec<f64> = values.iter().map(|value| *value as f64 / deviation).collect();
    scaled.iter().zip(&scaled[lag..]).map(|(a, b)| a * b).collect()
}

#[test]
fn correlation_is_that_of_a_first_order_autoregression() {
    let drawn = jitter(r#"{"normal":"5ms","correlation":"80%"}"#, 200_000, 1);
    for (lag, expected) in [(0, 1.0), (1, 0.8), (2, 0.64), (5, 0.327_68)] {
        assert_mean(&products(&drawn, lag, 5e6), expected, 0.04, &format!("normal, lag {lag}"));
    }
    // The Pearson correlation of a uniform law under a Gaussian copula is (6/π)·asin(ρ/2).
    let drawn = jitter(r#"{"uniform":"5ms","correlation":"80%"}"#, 200_000, 2);
    let expected = 6.0 / std::f64::consts::PI * (0.4f64).asin();
    assert_mean(&products(&drawn, 1, 5e6 / 3f64.sqrt()), expected, 0.03, "uniform");
}

/// Correlation does not change the law. Every 40th value is used, because 0.8⁴⁰ is negligible.
#[test]
fn correlated_values_keep_their_law() {
    let apart = |text: &str, seed| -> Vec<i64> {
        jitter(text, 400_000, seed).into_iter().step_by(40).collect()
    };
    let normal = apart(r#"{"normal":"5ms","correlation":"80%"}"#, 3);
    assert_law(&normal, |ns| phi(ns / 5e6), "normal");
    let uniform = apart(r#"{"uniform":"5ms","correlation":"80%"}"#, 4);
    assert_law(&uniform, |ns| ((ns / 5e6 + 1.0) / 2.0).clamp(0.0, 1.0), "uniform");
    let skewed = apart(r#"{"pareto":"5ms","correlation":"80%"}"#, 5);
    assert_law(&skewed, |ns| pareto(ns / 5e6), "pareto");
}

#[test]
fn full_correlation_repeats_the_first_value() {
    let drawn = jitter(r#"{"normal":"5ms","correlation":"100%"}"#, 50, 1);
    assert!(drawn[0] != 0 && drawn.iter().all(|value| *value == drawn[0]));
}

/// Returns the releases of frames that are sent every `every` µs.
fn releases(text: &str, every: u64, count: u64) -> Vec<(u64, Time)> {
    let mut pipe = pipe(text);
    for number in 0..count {
        pipe.offer(ns(1000 * every * number), FrameInfo::single(100), number).unwrap();
    }
    drain(&mut pipe)
}

const JITTERS: [&str; 6] = [
    r#"{"uniform":"9ms"}"#,
    r#"{"normal":"4ms","correlation":"50%"}"#,
    r#"{"pareto":"5ms"}"#,
    r#"{"paretonormal":"5ms"}"#,
    r#"{"pattern":["8ms","-8ms","0s"]}"#,
    r#"{"table":[-8192,-1,4096,16384],"deviation":"3ms"}"#,
];

#[test]
fn no_jitter_reorders_by_itself() {
    for jitter in JITTERS {
        let out = releases(&format!(r#"{{"delay":"10ms","jitter":{jitter}}}"#), 1, 5000);
        assert_eq!(out.len(), 5000);
        assert!(out.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1), "{jitter}");
    }
}

/// With `reorder`, each frame arrives when its own delay is over. Without it, the frame waits for
/// those in front.
#[test]
fn jitter_reorders_only_if_configured() {
    for jitter in JITTERS {
        let with = |more: &str| format!(r#"{{"delay":"10ms","jitter":{jitter}{more}}}"#);
        let kept = releases(&with(""), 100, 5000);
        let mut free = releases(&with(r#","reorder":{"probability":"0%"}"#), 100, 5000);
        assert!(free.windows(2).all(|w| w[0].1 <= w[1].1), "released in order of time");
        assert!(free.windows(2).any(|w| w[0].0 > w[1].0), "{jitter}: some overtake");
        free.sort_unstable();
        let mut latest = Time::ZERO;
        for (free, kept) in free.into_iter().zip(kept) {
            latest = latest.max(free.1);
            assert_eq!((free.0, latest), kept);
        }
    }
}

#[test]
fn a_delay_never_goes_below_zero() {
    let out = releases(r#"{"delay":"1ms","jitter":{"pattern":["-3ms","0s"]}}"#, 10_000, 4);
    assert_eq!(out, [(0, ms(0)), (1, ms(11)), (2, ms(20)), (3, ms(31))]);
}

#[test]
fn frames_out_of_turn_go_at_once_behind_each_gap() {
    let out = releases(r#"{"delay":"3.5ms","reorder":{"probability":"100%","gap":4}}"#, 1000, 9);
    let delayed = |number| (number, ns(3_500_000 + number * 1_000_000));
    let expected = [
        (3, ms(3)),
        delayed(0),
        delayed(1),
        delayed(2),
        (7, ms(7)),
        delayed(4),
        delayed(5),
        delayed(6),
        delayed(8),
    ];
    assert_eq!(out, expected);
}

/// netem's rule: after `gap - 1` frames in turn, each frame is a candidate until one is chosen.
#[test]
fn candidates_come_until_one_is_chosen() {
    let text = r#"{"delay":"10ms","reorder":{"probability":"25%","gap":5}}"#;
    let at_once =
        |(number, release): (u64, Time)| (release == ns(number * 1_000_000)).then_some(number);
    let mut chosen: Vec<u64> =
        releases(text, 1000, 100_000).into_iter().filter_map(at_once).collect();
    chosen.sort_unstable();
    let gaps: Vec<u64> = chosen.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| *gap >= 5));
    let behind: Vec<u64> = gaps.iter().map(|gap| gap - 4).collect();
    assert_geometric(&behind, 0.25, "candidates until one is chosen");
}

#[test]
fn frames_out_of_turn_may_come_late_instead() {
    let reorder = r#""reorder":{"probability":"100%","gap":3,"extra_delay":"1.5ms"}"#;
    let out = releases(&format!(r#"{{"delay":"1ms",{reorder}}}"#), 1000, 5);
    assert_eq!(out, [(0, ms(1)), (1, ms(2)), (3, ms(4)), (2, ns(4_500_000)), (4, ms(5))]);
}

#[test]
fn equal_releases_keep_the_order_of_arrival() {
    let out = releases(
        r#"{"jitter":{"pattern":["3ms","2ms","1ms"]},"reorder":{"probability":"0%"}}"#,
        1000,
        6,
    );
    assert_eq!(out.iter().map(|out| out.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
}

/// The pipe is called only at its deadlines, and nothing is ever due before a deadline.
#[test]
fn deadlines_are_never_late() {
    for jitter in JITTERS {
        for reorder in [
            r#""none""#,
            r#"{"probability":"0%"}"#,
            r#"{"probability":"30%","gap":2}"#,
            r#"{"probability":"30%","extra_delay":"2ms"}"#,
        ] {
            let text = format!(
                r#"{{"rate":"10Mbit/s","delay":"10ms","loss":"5%",
                    "jitter":{jitter},"reorder":{reorder}}}"#
            );
            let mut pipe = pipe(&text);
            for number in 0..60 {
                pipe.offer(ns(number * 300_000), FrameInfo::single(1000), number).unwrap();
                while let Some(deadline) = pipe.next_deadline().filter(|at| *at < ms(number + 1)) {
                    while let Some(delivery) = pipe.poll(deadline) {
                        assert!(delivery.release >= deadline, "{text}");
                    }
                }
            }
            while let Some(deadline) = pipe.next_deadline() {
                while let Some(delivery) = pipe.poll(deadline) {
                    assert_eq!(delivery.release, deadline, "{text}");
                }
            }
        }
    }
}

#[test]
fn order_comes_back_when_reordering_is_taken_away() {
    let mut pipe = pipe(r#"{"delay":"10ms","reorder":{"probability":"100%","gap":3}}"#);
    for number in 0..3 {
        pipe.offer(ms(number), FrameInfo::single(100), number).unwrap();
    }
    pipe.change(ms(3), &change(r#"{"reorder":"none","delay":"1ms"}"#));
    pipe.offer(ms(4), FrameInfo::single(100), 3).unwrap();
    assert_eq!(drain(&mut pipe), [(2, ms(2)), (0, ms(10)), (1, ms(11)), (3, ms(11))]);
}

#[test]
fn a_jitter_that_no_change_touches_keeps_its_state() {
    for jitter in JITTERS {
        let text = format!(r#"{{"delay":"10ms","jitter":{jitter}}}"#);
        let (mut alone, mut changed) = (pipe(&text), pipe(&text));
        for number in 0..100 {
            alone.offer(ms(50 * number), FrameInfo::single(100), number).unwrap();
            changed.offer(ms(50 * number), FrameInfo::single(100), number).unwrap();
            changed.change(ms(50 * number), &change(&text));
            changed.change(ms(50 * number), &change(r#"{"loss":"0%","duplicate":"0%"}"#));
        }
        assert_eq!(drain(&mut alone), drain(&mut changed), "{jitter}");
    }
}

#[test]
fn enormous_values_stay_within_time() {
    let text =
        r#"{"delay":"2000000h","jitter":{"normal":"2000000h"},"reorder":{"probability":"0%"}}"#;
    let out = releases(text, 1, 1000);
    assert!(out.iter().all(|(_, at)| at.since(Time::ZERO) <= Duration::from_nanos(u64::MAX)));
    assert_eq!(out.len(), 1000);
}

/// Returns the release of a frame of 1000 bytes that is offered at 0.
fn released(text: &str) -> Time {
    let mut pipe = pipe(text);
    pipe.offer(ns(0), FrameInfo::single(1000), 0).unwrap();
    let deadline = pipe.next_deadline().unwrap();
    let release = drain(&mut pipe)[0].1;
    assert_eq!(deadline, release, "the deadline was reported before");
    release
}

#[test]
fn compensation_is_taken_off_a_delay_that_is_longer() {
    assert_eq!(released(r#"{"delay":"10ms","compensate":"25us"}"#), ns(9_975_000));
    assert_eq!(released(r#"{"delay":"25us","compensate":"25us"}"#), ns(25_000));
    assert_eq!(released(r#"{"delay":"20us","compensate":"25us"}"#), ns(20_000));
    assert_eq!(released(r#"{"delay":"10ms","compensate":"none"}"#), ms(10));
    // A calibrated compensation that is not measured yet has no effect.
    assert_eq!(released(r#"{"delay":"10ms","compensate":"calibrated"}"#), ms(10));
    let of_a_schedule = r#"{"delay":{"schedule":[{"at":"0s","delay":"1ms"}]},"compensate":"25us"}"#;
    assert_eq!(released(of_a_schedule), ns(975_000));
    // Compensation does not shorten the time on the line: 1 ms at 8 Mbit/s.
    let on_a_line = r#"{"rate":"8Mbit/s","framing":"none","delay":"30us","compensate":"25us"}"#;
    assert_eq!(released(on_a_line), ns(1_005_000));
}

#[test]
fn compensation_that_changes_overtakes_nobody() {
    let mut pipe = pipe(r#"{"delay":"10ms"}"#);
    pipe.offer(ns(0), FrameInfo::single(100), 0).unwrap();
    pipe.change(ns(1), &change(r#"{"compensate":"5ms"}"#));
    pipe.offer(ns(2), FrameInfo::single(100), 1).unwrap();
    assert_eq!(drain(&mut pipe), [(0, ms(10)), (1, ms(10))]);
}
