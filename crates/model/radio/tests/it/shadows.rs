//! Shadowing.

use netloom_radio::{Radio, Surroundings};
use netloom_units::Time;

use crate::common::{at, config};

fn shadowed(distance: &str, seed: u64) -> Radio {
    let json = format!(
        r#"{{"propagation": {{"range": {{"reach": "1000km"}}}},
            "shadowing": {{"deviation": "8dB", "distance": "{distance}"}}}}"#
    );
    Radio::new(&config(&json), &Surroundings { seed, ..Surroundings::default() }).unwrap()
}

/// Returns the shadow between two places. The path itself has no loss.
fn shadow(radio: &Radio, from: (f64, f64), to: (f64, f64)) -> f64 {
    radio.loss(Time::ZERO, &at(0, from.0, from.1), &at(1, to.0, to.1)).unwrap()
}

fn deviation(values: &[f64]) -> f64 {
    (values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn shadows_have_their_deviation_anywhere_in_a_cell() {
    let radio = shadowed("20m", 1);
    for inside in [0.0, 3.0, 10.0, 17.0] {
        let pair = |n: i32| {
            let far = f64::from(n) * 60.0 + inside;
            shadow(&radio, (far, inside), (inside - far - 500.0, far))
        };
        let values: Vec<_> = (0..2000).map(pair).collect();
        let found = deviation(&values);
        // The standard error is 8/√4000 = 0.13.
        assert!((found - 8.0).abs() < 0.5, "{found} dB at {inside} m");
        let mean = values.iter().sum::<f64>() / 2000.0;
        assert!(mean.abs() < 0.6, "{mean}");
    }
}

#[test]
fn the_same_places_have_the_same_shadow_both_ways() {
    let radio = shadowed("20m", 1);
    let (a, b) = ((12.3, -4.5), (345.6, 78.9));
    assert_eq!(shadow(&radio, a, b), shadow(&radio, b, a));
    assert_eq!(shadow(&radio, a, b), shadow(&shadowed("20m", 1), a, b));
    assert_ne!(shadow(&radio, a, b), shadow(&shadowed("20m", 2), a, b));
    // A step of a centimetre changes little.
    let near = shadow(&radio, (12.31, -4.5), b);
    assert!((near - shadow(&radio, a, b)).abs() < 0.1, "{near}");
}

#[test]
fn a_pair_without_distance_has_one_shadow_everywhere() {
    let radio = shadowed("none", 3);
    assert_eq!(shadow(&radio, (0.0, 0.0), (9.0, 9.0)), shadow(&radio, (5.0, 1.0), (700.0, 9.0)));
    let pairs = (0..60).flat_map(|a| (60..120).map(move |b| (a, b)));
    let values: Vec<_> = pairs
        .map(|(a, b)| radio.loss(Time::ZERO, &at(a, 0.0, 0.0), &at(b, 1.0, 0.0)).unwrap())
        .collect();
    assert!((deviation(&values) - 8.0).abs() < 0.5);
}

#[test]
fn nobody_is_heard_beyond_the_farthest_distance() {
    let json = r#"{"shadowing": {"deviation": "8dB"}}"#;
    let radio = Radio::new(&config(json), &Surroundings::default()).unwrap();
    let farthest = radio.farthest(80.0, 1.5).unwrap();
    for n in 0..5000 {
        let angle = f64::from(n);
        let to = (1.001 * farthest * angle.cos(), 1.001 * farthest * angle.sin());
        assert!(shadow(&radio, (0.0, 0.0), to) > 80.0);
    }
}
