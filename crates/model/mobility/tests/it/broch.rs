//! The movements of Broch, Maltz, Johnson, Hu & Jetcheva 1998: 50 nodes in 1500 m × 300 m, links up
//! to 250 m, 900 s.

use netloom_mobility::crossings;
use netloom_units::{Length, Time};

use crate::common::{mean, model, nodes, second};

/// Link changes of one seed.
fn changes(json: &str, seed: u64) -> f64 {
    let until = second(900);
    let nodes = nodes(&model(json), seed, 50, until);
    let reach = Length::from_metres(250);
    let pairs =
        nodes.iter().enumerate().flat_map(|(index, a)| nodes[..index].iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| crossings(a, b, reach, Time::ZERO, until).count()).sum::<usize>() as f64
}

/// Within 10 % of what other code counts, which looks once a second.
#[test]
fn links_change_as_often_as_in_the_paper_s_movements() {
    let cases = [
        (["0.1m/s", "20m/s"], [13220.0, 10220.0, 5620.0, 2570.0, 1210.0, 0.0]),
        (["0.05m/s", "1m/s"], [936.0, 891.0, 774.0, 495.0, 261.0, 0.0]),
    ];
    for ([low, high], expected) in cases {
        for (pause, expected) in [0, 30, 120, 300, 600, 900].into_iter().zip(expected) {
            let json = format!(
                r#"{{"random_waypoint": {{"area": ["1500m", "300m"], "speed": ["{low}", "{high}"],
                    "pause": "{pause}s", "start": "uniform"}}}}"#
            );
            let found = mean((0..10).map(|seed| changes(&json, seed)));
            assert!((found - expected).abs() <= 0.1 * expected, "{found}, not {expected}: {json}");
        }
    }
}
