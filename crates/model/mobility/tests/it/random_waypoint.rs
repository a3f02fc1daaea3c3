//! Random waypoint: its start, and its distribution later.

use netloom_mobility::{Point, Trajectory};
use netloom_units::Time;

use crate::common::{at, mean, model, nodes, refused, second};

const TIMES: [u64; 3] = [0, 300, 900];

fn speed(nodes: &[Trajectory], at: Time) -> f64 {
    mean(nodes.iter().map(|node| node.velocity(at).length()))
}

/// The long-run speed of U(1, 20) is 6.342 m/s. The standard error of 4,000 samples is 0.08.
#[test]
fn a_stationary_start_is_as_fast_as_ever() {
    let json = r#"{"random_waypoint": {"area": ["1500m", "300m"], "speed": ["1m/s", "20m/s"]}}"#;
    let nodes = nodes(&model(json), 1, 4000, second(901));
    for seconds in TIMES {
        let found = speed(&nodes, second(seconds));
        assert!((found - 6.342).abs() < 0.35, "{found} m/s at {seconds} s");
    }
}

#[test]
fn a_uniform_start_gets_slower() {
    let json = r#"{"random_waypoint": {"area": ["1500m", "300m"], "speed": ["0.1m/s", "20m/s"],
        "start": "uniform"}}"#;
    let nodes = nodes(&model(json), 1, 4000, second(901));
    let found = TIMES.map(|seconds| speed(&nodes, second(seconds)));
    // The mean of the configured speeds is 10.05 m/s, and the long-run speed is 3.756 m/s.
    assert!((found[0] - 10.05).abs() < 0.4, "{found:?}");
    assert!(found[1] < 7.0 && found[2] < 5.5 && found[2] > 3.5, "{found:?}");
}

/// The share of time in pauses follows Navidi & Camp's formula.
#[test]
fn pauses_have_their_share_from_the_start() {
    for (pause, share) in [("30s", 0.2661), ("120s", 0.5919), ("300s", 0.7839)] {
        let json = format!(
            r#"{{"random_waypoint": {{"area": ["1500m", "300m"], "speed": ["1m/s", "20m/s"],
                "pause": "{pause}"}}}}"#
        );
        let nodes = nodes(&model(&json), 2, 4000, second(901));
        for seconds in TIMES {
            // One millisecond after a time at which a pause may begin or end.
            let now = at(seconds * 1000 + 1);
            let found = mean(
                nodes.iter().map(|node| f64::from(u8::from(node.velocity(now) == Point::ZERO))),
            );
            assert!((found - share).abs() < 0.032, "{found} at {seconds} s, pause {pause}");
        }
    }
}

/// A node is in the middle quarter of a square for 45.38 % of the time.
#[test]
fn it_is_more_often_in_the_middle() {
    let json = r#"{"random_waypoint": {"area": ["1km", "1km"], "speed": ["1m/s", "20m/s"]}}"#;
    let nodes = nodes(&model(json), 3, 8000, second(901));
    for seconds in TIMES {
        let middle = 250.0..750.0;
        let found = mean(nodes.iter().map(|node| {
            let at = node.position(second(seconds));
            f64::from(u8::from(middle.contains(&at.x) && middle.contains(&at.y)))
        }));
        assert!((found - 0.4538).abs() < 0.023, "{found} at {seconds} s");
    }
}

#[test]
fn a_slowest_speed_of_zero_is_refused_with_the_reason() {
    let error =
        refused(r#"{"random_waypoint": {"area": ["1km", "1km"], "speed": ["0m/s", "20m/s"]}}"#);
    assert!(error.contains("decays towards 0") && error.contains("like `1m/s`"), "{error}");
    let error =
        refused(r#"{"random_waypoint": {"area": ["1km", "1km"], "speed": ["2m/s", "1m/s"]}}"#);
    assert!(error.contains("comes first"), "{error}");
    let error = refused(r#"{"random_waypoint": {"area": ["1km", "0m"], "speed": "1m/s"}}"#);
    assert!(error.contains("at least 1mm"), "{error}");
}
