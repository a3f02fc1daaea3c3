//! Random numbers of each distribution, and their residuals at a random time, compared with their
//! laws.

use netloom_traffic::{DurationDistribution, Law};
use netloom_units::Stream;

const ALL: [&str; 7] = [
    r#""1s""#,
    r#"{"exponential":"1s"}"#,
    r#"{"uniform":{"from":"200ms","to":"1.8s"}}"#,
    r#"{"pareto":{"mean":"1s","shape":1.4}}"#,
    r#"{"pareto":{"mean":"1s","shape":1.4,"most":"20s"}}"#,
    r#"{"lognormal":{"mean":"1s","sigma":1.2}}"#,
    r#"{"weibull":{"mean":"1s","shape":0.6}}"#,
];

fn distribution(json: &str) -> DurationDistribution {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

fn law(json: &str) -> Law {
    distribution(json).law().unwrap()
}

/// Checks that `values` follow the distribution function `at_most`, by the test of Kolmogorov and
/// Smirnov at 99 %.
fn assert_law(mut values: Vec<f64>, at_most: impl Fn(f64) -> f64, what: &str) {
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len() as f64;
    let bound = 1.628 / n.sqrt();
    let mut index = 0;
    while index < values.len() {
        let value = values[index];
        let next = index + values[index..].partition_point(|other| *other == value);
        // A law may jump at a value, and the jump may be a rounding error away.
        let left = (at_most(value * (1.0 - 1e-12)) - index as f64 / n).abs();
        let right = (at_most(value * (1.0 + 1e-12)) - next as f64 / n).abs();
        assert!(left.max(right) <= bound, "{what}: {left} and {right} at {value} > {bound}");
        index = next;
    }
}

/// Returns the distribution function of the residual at a random time: ∫₀ˣ (1 − F(y)) dy / mean, by
/// sums over a fine grid.
fn residual_law(law: &Law) -> impl Fn(f64) -> f64 {
    const STEP: f64 = 1e-3;
    // Beyond a mean, geometric steps reach far tails.
    let mut edges: Vec<f64> = (0..1000).map(|i| f64::from(i) * STEP).collect();
    while edges[edges.len() - 1] < 1e7 {
        edges.push(edges[edges.len() - 1] * 1.001);
    }
    let mut sums = vec![0.0];
    for pair in edges.windows(2) {
        let middle = (pair[0] + pair[1]) / 2.0;
        let last = sums[sums.len() - 1];
        sums.push(last + (1.0 - law.at_most(middle * 1e9)) * (pair[1] - pair[0]));
    }
    let mean = law.mean() / 1e9;
    move |x| {
        let index = edges.partition_point(|edge| *edge <= x / 1e9).clamp(1, edges.len() - 1);
        let part = (x / 1e9 - edges[index - 1]) / (edges[index] - edges[index - 1]);
        (sums[index - 1] + part.min(1.0) * (sums[index] - sums[index - 1])) / mean
    }
}

#[test]
fn draws_follow_their_laws() {
    for json in ALL {
        let (law, mut stream) = (law(json), Stream::new(1, json));
        let values = (0..50_000).map(|_| law.draw(&mut stream)).collect();
        assert_law(values, |x| law.at_most(x), json);
    }
}

#[test]
fn what_is_left_follows_the_residual_law() {
    for json in ALL {
        let (law, mut stream) = (law(json), Stream::new(2, json));
        let values = (0..50_000).map(|_| law.draw_residual(&mut stream)).collect();
        let residual = residual_law(&law);
        assert_law(values, residual, json);
    }
}

#[test]
fn samples_and_what_is_left_of_them_follow_their_laws() {
    let json = r#"{"empirical":["100ms","100ms","500ms","2s"]}"#;
    let (law, mut stream) = (law(json), Stream::new(3, "empirical"));
    assert_eq!(law.mean(), 675e6);
    let values = (0..50_000).map(|_| law.draw(&mut stream)).collect();
    assert_law(values, |x| law.at_most(x), json);
    let values = (0..50_000).map(|_| law.draw_residual(&mut stream)).collect();
    assert_law(values, residual_law(&law), json);
}

/// The mean is the one that was given, with and without a cut. It is computed as the area above the
/// distribution function, because random numbers of a heavy tail would not show it.
#[test]
fn the_mean_is_what_was_written() {
    let cuts = ["1100ms", "2s", "60s", "1h"]
        .map(|most| format!(r#"{{"pareto":{{"mean":"1s","shape":1.4,"most":"{most}"}}}}"#));
    let all = ALL.iter().map(ToString::to_string).chain(cuts);
    for json in all {
        let law = law(&json);
        assert_eq!(law.mean(), 1e9, "{json}");
        let area = residual_law(&law)(1e16);
        // Beyond 10⁷ s the tail of shape 1.4 still has 0.4 % · 1.4^0.4.
        assert!((area - 1.0).abs() < 2e-3, "{json}: {area}");
    }
}

#[test]
fn means_of_draws_with_a_finite_variance_are_right() {
    for json in ALL.iter().filter(|json| !json.contains(r#""shape":1.4}"#)) {
        let (law, mut stream) = (law(json), Stream::new(4, json));
        let values: Vec<f64> = (0..200_000).map(|_| law.draw(&mut stream) / 1e9).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        let bound = 2.576 * (variance / n).sqrt() + 1e-9;
        assert!((mean - 1.0).abs() <= bound, "{json}: {mean} ±{bound}");
    }
}

#[test]
fn distributions_are_written_as_they_are_read() {
    for json in ALL {
        let written = serde_json::to_string(&distribution(json)).unwrap();
        assert_eq!(written, json);
    }
}

#[test]
fn what_is_no_distribution_is_refused_with_its_reason() {
    for (json, words) in [
        (r#""0s""#, "must be above 0"),
        ("3", "no unit"),
        (r#"{"exponential":"1B"}"#, "`B` is not a unit of duration"),
        (r#"{"exponental":"1s"}"#, "unknown variant `exponental`"),
        (r#"{"exponential":"1s","constant":"1s"}"#, "one too many"),
        (r#"{"uniform":{"from":"2s","to":"1s"}}"#, "must be above `from: 2s`"),
        (r#"{"pareto":{"mean":"1s","shape":1}}"#, "`shape: 1` has no mean: above 1"),
        (r#"{"pareto":{"mean":"1s","shape":-1}}"#, "must be above 1"),
        (r#"{"pareto":{"mean":"1s","shape":1.4,"most":"1s"}}"#, "must be above `mean: 1s`"),
        (r#"{"lognormal":{"mean":"1s","sigma":0}}"#, "must be above 0"),
        (r#"{"weibull":{"mean":"1s","shape":0.01}}"#, "must be 0.1 or more"),
        (r#"{"empirical":[]}"#, "at least one"),
        (r#"{"empirical":["0s"]}"#, "their mean must be above 0"),
    ] {
        let error = serde_json::from_str::<DurationDistribution>(json).unwrap_err().to_string();
        assert!(error.contains(words), "{json}: {error}");
    }
    let unread = distribution(r#"{"empirical":"gaps.txt"}"#).law().unwrap_err().to_string();
    assert_eq!(unread, "the file gaps.txt has not been read");
}
