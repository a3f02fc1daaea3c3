//! Fading compared with its distributions by the Kolmogorov-Smirnov test, p > 0.01.

use netloom_radio::{Fading, milliwatts};
use netloom_units::Stream;

const DRAWS: usize = 20_000;

/// Draws a uniform number that is neither 0 nor 1.
fn uniform(stream: &mut Stream) -> f64 {
    loop {
        let number = stream.uniform();
        if number > 0.0 {
            return number;
        }
    }
}

fn factors(fading: &Fading, distance: f64) -> Vec<f64> {
    let mut stream = Stream::new(11, "fading");
    let mut draw = || uniform(&mut stream);
    (0..DRAWS).map(|_| fading.factor(distance, &mut draw)).collect()
}

/// Returns the largest distance from a distribution, times the square root of the number of draws.
fn statistic(mut factors: Vec<f64>, distribution: impl Fn(f64) -> f64) -> f64 {
    factors.sort_by(f64::total_cmp);
    let count = factors.len() as f64;
    let off = factors.iter().enumerate().map(|(index, factor)| {
        let (below, at) = (index as f64 / count, (index + 1) as f64 / count);
        let expected = distribution(*factor);
        (expected - below).abs().max((at - expected).abs())
    });
    off.fold(0.0, f64::max) * count.sqrt()
}

/// Returns the regularised lower incomplete gamma function, computed by its series.
fn gamma(shape: f64, x: f64) -> f64 {
    let mut term = (-x + shape * x.ln() - libm::lgamma(shape + 1.0)).exp();
    let (mut sum, mut n) = (0.0, 0.0);
    while term > 1e-16 * (1.0 - sum) || n < x {
        sum += term;
        n += 1.0;
        term *= x / (shape + n);
    }
    sum.min(1.0)
}

/// Returns the distribution of Rician power: a gamma distribution whose shape is Poisson
/// distributed.
fn rice(ratio: f64, x: f64) -> f64 {
    let mut weight = (-ratio).exp();
    let mut sum = 0.0;
    for k in 0..200 {
        sum += weight * gamma(f64::from(k) + 1.0, (ratio + 1.0) * x);
        weight *= ratio / f64::from(k + 1);
    }
    sum
}

/// Returns the share of factors up to a value.
type Distribution = Box<dyn Fn(f64) -> f64>;

/// Critical value for p = 0.01.
const CRITICAL: f64 = 1.628;

#[test]
fn factors_have_their_distributions() {
    let fading = |json: &str| -> Fading { serde_json::from_str(json).unwrap() };
    let exponential = |x: f64| 1.0 - (-x).exp();
    let near = 10.0;
    let cases: Vec<(Fading, f64, Distribution)> = vec![
        (fading(r#""rayleigh""#), near, Box::new(exponential)),
        (fading(r#"{"nakagami": {"m": 1}}"#), near, Box::new(exponential)),
        (fading(r#"{"nakagami": {"m": 0.5}}"#), near, Box::new(|x| gamma(0.5, 0.5 * x))),
        (fading(r#"{"nakagami": {"m": 3}}"#), near, Box::new(|x| gamma(3.0, 3.0 * x))),
        (
            fading(r#"{"nakagami": {"m": 3, "far": {"beyond": "80m", "m": 1.5}}}"#),
            81.0,
            Box::new(|x| gamma(1.5, 1.5 * x)),
        ),
        (fading(r#"{"rician": "6dB"}"#), near, Box::new(|x| rice(milliwatts(6.0), x))),
        (fading(r#"{"rician": "-10dB"}"#), near, Box::new(|x| rice(milliwatts(-10.0), x))),
    ];
    for (fading, distance, distribution) in cases {
        let factors = factors(&fading, distance);
        let mean = factors.iter().sum::<f64>() / DRAWS as f64;
        // The standard error is at most √2/√20000 = 0.01.
        assert!((mean - 1.0).abs() < 0.035, "{fading:?} has a mean of {mean}");
        let statistic = statistic(factors, distribution);
        assert!(statistic < CRITICAL, "{fading:?}: {statistic}");
    }
}

#[test]
fn the_test_can_tell_distributions_apart() {
    let factors = factors(&Fading::Rayleigh, 1.0);
    assert!(statistic(factors, |x| gamma(1.1, 1.1 * x)) > CRITICAL);
}
