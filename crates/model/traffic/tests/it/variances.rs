//! The growth with time of the variance of traffic, compared with formulas.

use netloom_traffic::{Model, Moments, Series, Sizes, VariancePoint};
use netloom_units::Duration;
use netloom_units::Stream;

use crate::common::{model, source};

fn moments(model: &Model) -> Moments {
    model.moments(&Sizes::default(), None).unwrap()
}

/// Returns the exact number of bits that the bursts of `model` send in each of `count` bins.
fn work(model: &Model, seed: u64, bin: f64, count: usize) -> Vec<f64> {
    let stream = Stream::new(seed, "variance");
    let fluid = model.fluid(&Sizes::default(), None, &stream).unwrap();
    let mut work = vec![0.0; count];
    let (mut from, mut rate) = (0.0, 0.0);
    for step in fluid {
        let to = (step.at.as_nanos() as f64 / 1e9 / bin).min(count as f64);
        while from < to {
            let index = from as usize;
            let until = to.min((index + 1) as f64);
            work[index] += (until - from) * bin * rate;
            from = until;
        }
        if from >= count as f64 {
            break;
        }
        rate = step.rate.map_or(0.0, |rate| rate.bits_per_second());
    }
    work
}

/// Returns the variance about a known mean.
fn variance(values: &[f64], mean: f64) -> f64 {
    values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / values.len() as f64
}

const PPBP: &str = r#"{"ppbp":{"burst_rate":"1kbit/s","bursts":100,"burst":"1s","hurst":0.8}}"#;

/// The bounds leave room for the results of three other sets of seeds: 0.98 to 1.12.
#[test]
fn the_variance_of_a_ppbp_is_that_of_the_formula() {
    let ppbp = model(PPBP);
    let expected = moments(&ppbp);
    assert_eq!(expected.mean, 1e5);
    // 20 seeds of 2000 s: variances at 0.1, 1 and 10 s, and the mean.
    let (mut sums, mut mean) = ([0.0; 3], 0.0);
    for seed in 0..20 {
        let fine = work(&ppbp, seed, 0.1, 20_000);
        mean += fine.iter().sum::<f64>() / 2000.0 / 20.0;
        for (sum, bins) in sums.iter_mut().zip([1usize, 10, 100]) {
            let work: Vec<f64> = fine.chunks(bins).map(|chunk| chunk.iter().sum()).collect();
            *sum += variance(&work, expected.mean * 0.1 * bins as f64) / 20.0;
        }
    }
    assert!((mean / expected.mean - 1.0).abs() < 0.03, "{mean}");
    let bounds = [(0.1, 0.9, 1.15), (1.0, 0.9, 1.15), (10.0, 0.8, 1.25)];
    for (sum, (time, low, high)) in sums.into_iter().zip(bounds) {
        let ratio = sum / expected.variance(time).unwrap();
        assert!((low..=high).contains(&ratio), "at {time} s: {ratio}");
    }
}

/// The variance at times below the shortest burst, where the formula has another branch.
#[test]
fn the_variance_of_a_ppbp_holds_for_short_times() {
    let ppbp = model(PPBP);
    let expected = moments(&ppbp);
    let mut sum = 0.0;
    for seed in 0..20 {
        sum += variance(&work(&ppbp, seed, 0.01, 50_000), expected.mean * 0.01) / 20.0;
    }
    let ratio = sum / expected.variance(0.01).unwrap();
    assert!((0.9..=1.15).contains(&ratio), "{ratio}");
}

#[test]
fn the_two_branches_of_the_formula_meet() {
    let expected = moments(&model(PPBP));
    // For shape 1.4, the shortest burst is 2/7 s.
    let at = 2.0 / 7.0;
    let (below, above) = (expected.variance(at * 0.999_999), expected.variance(at * 1.000_001));
    assert!((below.unwrap() / above.unwrap() - 1.0).abs() < 1e-5);
}

/// The variance divided by time squared falls with the slope 2H − 2 at times longer than bursts:
/// 10⁵ s.
#[test]
fn the_slope_over_long_times_is_that_of_the_hurst_parameter() {
    let ppbp =
        model(r#"{"ppbp":{"burst_rate":"1kbit/s","bursts":10,"burst":"100ms","hurst":0.8}}"#);
    let bins = work(&ppbp, 4, 1.0, 100_000);
    let mean = moments(&ppbp).mean;
    let at = |length: usize| {
        let sums: Vec<f64> = bins.chunks_exact(length).map(|chunk| chunk.iter().sum()).collect();
        variance(&sums, mean * length as f64) / (length * length) as f64
    };
    let slope = (at(64) / at(1)).ln() / 64f64.ln();
    assert!((slope + 0.4).abs() < 0.1, "{slope}");
}

#[test]
fn exponential_senders_have_the_variance_of_the_formula() {
    let on_off = model(
        r#"{"on_off":{"sources":10,"on":{"exponential":"1s"},"off":{"exponential":"3s"},
            "rate":"1kbit/s"}}"#,
    );
    let expected = moments(&on_off);
    assert_eq!((expected.mean, expected.hurst), (2500.0, Some(0.5)));
    for time in [0.1, 1.0, 10.0] {
        let count = (20_000.0 / time) as usize;
        let ratio = variance(&work(&on_off, 1, time, count), expected.mean * time)
            / expected.variance(time).unwrap();
        // 20,000 s hold about 27,000 changes, whose relative deviation is below 3 %.
        assert!((ratio - 1.0).abs() < 0.08, "at {time} s: {ratio}");
    }
}

#[test]
fn frames_of_poisson_and_cbr_have_the_variance_of_the_formula() {
    let bin = Duration::from_millis(10);
    for (json, deviation) in
        [(r#"{"poisson":{"rate":"10Mbit/s"}}"#, 0.05), (r#"{"cbr":{"rate":"10Mbit/s"}}"#, 0.02)]
    {
        let series = Series::new(source(json, 1), bin, Duration::from_secs(200)).expect("bins");
        let points = series.variances(Some(1e7));
        let VariancePoint { time, variance, count } = points[0];
        assert_eq!((time, count), (bin, 20_000));
        let expected = moments(&model(json)).variance(0.01).unwrap();
        assert!((variance / expected - 1.0).abs() < deviation, "{json}: {variance}, {expected}");
    }
}

#[test]
fn hurst_parameters_follow_from_the_heavier_tail() {
    let hurst = |on: f64, off: f64| {
        let json = format!(
            r#"{{"on_off":{{"on":{{"pareto":{{"mean":"1s","shape":{on}}}}},
               "off":{{"pareto":{{"mean":"1s","shape":{off}}}}},"rate":"1Mbit/s"}}}}"#
        );
        moments(&model(&json)).hurst.unwrap()
    };
    assert!((hurst(1.4, 1.9) - 0.8).abs() < 1e-12);
    assert!((hurst(1.8, 1.2) - 0.9).abs() < 1e-12);
    assert_eq!(hurst(2.5, 3.0), 0.5);
}
