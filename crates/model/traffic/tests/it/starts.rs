//! Stationary starts: the first second is like any other.

use netloom_traffic::{Bursts, Sizes};
use netloom_units::Stream;

use crate::common::{bits, model, source};

fn bursts(json: &str, seed: u64) -> Bursts {
    model(json).bursts(&Sizes::default(), None, &Stream::new(seed, "test")).unwrap()
}

/// Returns the number of bursts that are active at `second`.
fn active(json: &str, seed: u64, second: f64) -> usize {
    let now = (second * 1e9) as u64;
    let begun = bursts(json, seed).take_while(|burst| burst.at.as_nanos() <= now);
    begun.filter(|burst| burst.end().as_nanos() > now).count()
}

/// Returns the bits that 40 seeds send in the first `seconds`, as a mean share of their mean rate.
fn carried(json: &str, seconds: f64) -> f64 {
    let mean = model(json).moments(&Sizes::default(), None).unwrap().mean;
    let total: f64 = (0..40).map(|seed| bits(source(json, seed), seconds)).sum();
    total / 40.0 / seconds / mean
}

const PPBP: &str = r#"{"ppbp":{"load":"10Mbit/s","bursts":100,"burst":"1s","hurst":0.8}}"#;
const EMPTY: &str =
    r#"{"ppbp":{"load":"10Mbit/s","bursts":100,"burst":"1s","hurst":0.8,"start":"empty"}}"#;
const CAMPUS: &str = r#"{"on_off":{"sources":50,"on":{"pareto":{"mean":"1s","shape":1.4}},
    "off":{"exponential":"1s"},"rate":"500kbit/s"}}"#;

#[test]
fn the_first_ten_seconds_carry_what_is_written() {
    for json in [PPBP, CAMPUS] {
        let share = carried(json, 10.0);
        assert!((0.9..=1.1).contains(&share), "{json}: {share}");
    }
}

#[test]
fn the_first_second_carries_what_is_written() {
    for json in [PPBP, CAMPUS] {
        let share = carried(json, 1.0);
        assert!((0.9..=1.1).contains(&share), "{json}: {share}");
    }
}

/// The paper's own start, which is empty: the first 10 s carry 73 %.
#[test]
fn an_empty_start_carries_less() {
    let share = carried(EMPTY, 10.0);
    assert!((0.65..=0.82).contains(&share), "{share}");
}

/// Checks `counts` by Pearson's χ² against Poisson(`mean`), in bins of about 10 % each, at 99 %.
fn assert_poisson(counts: &[usize], mean: f64, what: &str) {
    let most = (mean + 20.0 * mean.sqrt()) as usize;
    let mut law = vec![(-mean).exp()];
    (1..=most).for_each(|k| law.push(law[k - 1] * mean / k as f64));
    let (mut expected, mut edges, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for (k, probability) in law.iter().enumerate() {
        sum += probability;
        if sum >= 0.1 || k == most {
            expected.push(sum * counts.len() as f64);
            edges.push(k);
            sum = 0.0;
        }
    }
    let last = edges.len() - 1;
    let mut seen = vec![0.0; edges.len()];
    for count in counts {
        seen[edges.partition_point(|edge| edge < count).min(last)] += 1.0;
    }
    // A value that is too rare for a bin of its own belongs to the bin before.
    if expected[last] < 5.0 {
        expected[last - 1] += expected.pop().unwrap();
        seen[last - 1] += seen.pop().unwrap();
    }
    let terms = seen.iter().zip(&expected).map(|(n, e)| (n - e) * (n - e) / e);
    let (statistic, freedom) = (terms.sum::<f64>(), seen.len() as f64 - 1.0);
    // The approximation of Wilson and Hilferty 1931.
    let spread = 2.0 / (9.0 * freedom);
    let bound = freedom * (1.0 - spread + 2.326 * spread.sqrt()).powi(3);
    assert!(statistic <= bound, "{what}: χ² {statistic:.1} > {bound:.1}: {seen:?}, {expected:?}");
}

#[test]
fn bursts_of_a_ppbp_are_poisson_at_the_start_and_later() {
    let json = r#"{"ppbp":{"load":"10Mbit/s","bursts":20,"burst":"1s","hurst":0.8}}"#;
    for second in [0.0, 1.0, 30.0] {
        let counts: Vec<_> = (0..2000).map(|seed| active(json, seed, second)).collect();
        assert_poisson(&counts, 20.0, &format!("at {second} s"));
    }
}

/// Each of 50 independent senders is on with a probability of 1/2, whatever the tail.
#[test]
fn senders_are_on_with_their_share_at_the_start_and_later() {
    for second in [0.0, 1.0, 30.0] {
        let total: usize = (0..400).map(|seed| active(CAMPUS, seed, second)).sum();
        let (n, share) = (20_000.0f64, total as f64 / 20_000.0);
        assert!((share - 0.5).abs() <= 2.576 * (0.25 / n).sqrt(), "{second} s: {share}");
    }
}

#[test]
fn more_senders_change_no_draw_of_the_others() {
    let two = |sources: u32| {
        format!(
            r#"{{"on_off":{{"sources":{sources},"on":{{"exponential":"1s"}},
               "off":{{"exponential":"1s"}},"rate":"1Mbit/s"}}}}"#
        )
    };
    let of_two: Vec<_> = bursts(&two(2), 1).take(50).collect();
    let of_three: Vec<_> = bursts(&two(3), 1).take(200).collect();
    assert!(of_two.iter().all(|burst| of_three.contains(burst)));
}
