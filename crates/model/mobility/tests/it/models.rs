//! Properties of all models, and of each one.

use netloom_mobility::{Mobility, Point, Surroundings};
use netloom_units::{Stream, Time};

use crate::common::{at, mean, model, node, nodes, refused, second, try_node};

/// A model of each kind in 400 m × 300 m, with its fastest speed.
const MODELS: &[(&str, f64)] = &[
    (
        r#"{"random_waypoint": {"area": ["400m", "300m"], "speed": ["1m/s", "9m/s"],
            "pause": "3s"}}"#,
        9.0,
    ),
    (
        r#"{"random_walk": {"area": ["400m", "300m"], "speed": ["1m/s", "9m/s"], "every": "10s"}}"#,
        9.0,
    ),
    (r#"{"random_walk": {"area": ["400m", "300m"], "speed": "9m/s", "every": "700m"}}"#, 9.0),
    (
        r#"{"random_direction": {"area": ["400m", "300m"], "speed": ["1m/s", "9m/s"],
            "every": "60s", "pause": "5s"}}"#,
        9.0,
    ),
    (
        r#"{"manhattan": {"area": ["400m", "300m"], "blocks": [5, 3], "speed": ["1m/s", "9m/s"]}}"#,
        9.0,
    ),
    (
        r#"{"gauss_markov": {"area": ["400m", "300m"], "mean": "5m/s", "alpha": 0.8,
        "deviation": "1m/s"}}"#,
        12.0,
    ),
];

fn within(point: Point) -> bool {
    (0.0..=400.0).contains(&point.x) && (0.0..=300.0).contains(&point.y) && point.z == 0.0
}

#[test]
fn nobody_leaves_the_area_or_breaks_its_speed() {
    for (json, fastest) in MODELS {
        let until = second(2000);
        for path in nodes(&model(json), 1, 30, until) {
            for (leg, next) in path.legs().iter().zip(&path.legs()[1..]) {
                assert!(within(leg.at), "{json}: {leg:?}");
                assert!(leg.velocity.length() <= fastest * 1.000_001, "{json}: {leg:?}");
                assert!(leg.start < next.start, "{json}: {leg:?}, {next:?}");
                // A node never jumps.
                let end = path.position(Time::from_nanos(next.start.as_nanos() - 1));
                assert!(end.distance(next.at) < 1e-6, "{json}: {leg:?}, {next:?}");
            }
            assert!(path.known_until().unwrap() > until);
        }
    }
}

#[test]
fn how_far_one_draws_at_a_time_changes_nothing() {
    for (json, _) in MODELS {
        let model = model(json);
        let at_once = node(&model, 7, "n1", second(600));
        let mut by_and_by = try_node(&model, 7, "n1").unwrap();
        (0..=60).for_each(|tens| by_and_by.extend(second(tens * 10)));
        assert_eq!(at_once.legs(), by_and_by.legs());
        assert_ne!(at_once.legs(), node(&model, 8, "n1", second(600)).legs());
        assert_ne!(at_once.legs(), node(&model, 7, "n2", second(600)).legs());
        let json = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<Mobility>(&json).unwrap(), model);
    }
}

/// Walks that borders reflect have a uniform distribution at any time. The standard error of 4,000
/// samples is 0.0068.
#[test]
fn walks_that_borders_reflect_stay_uniform() {
    for json in [MODELS[1].0, MODELS[2].0, MODELS[3].0] {
        let nodes = nodes(&model(json), 4, 4000, second(601));
        for seconds in [0, 20, 600] {
            let is_middle =
                |at: Point| (100.0..300.0).contains(&at.x) && (75.0..225.0).contains(&at.y);
            let found = mean(
                nodes
                    .iter()
                    .map(|node| f64::from(u8::from(is_middle(node.position(second(seconds)))))),
            );
            assert!((found - 0.25).abs() < 0.028, "{found} at {seconds} s: {json}");
        }
    }
}

#[test]
fn streets_are_never_left_and_turns_have_their_share() {
    let json = |turn: &str| {
        format!(
            r#"{{"manhattan": {{"area": ["400m", "300m"], "blocks": [4, 3], "speed": "10m/s",
                "turn": "{turn}"}}}}"#
        )
    };
    let on_street = |value: f64| (value / 100.0 - (value / 100.0).round()).abs() < 1e-9;
    let path = node(&model(&json("50%")), 1, "n1", second(20_000));
    for millis in (0..2_000_000).step_by(777) {
        let at = path.position(at(millis));
        assert!(on_street(at.x) || on_street(at.y), "{at:?}");
    }
    // Only crossings away from the borders, where the node can turn and go straight.
    let turns =
        |turn: &str| {
            let path = node(&model(&json(turn)), 2, "n1", second(40_000));
            let inside = |at: Point| (50.0..350.0).contains(&at.x) && (50.0..250.0).contains(&at.y);
            mean(path.legs().windows(2).filter(|pair| inside(pair[1].at)).map(|pair| {
                f64::from(u8::from(pair[0].velocity.dot(pair[1].velocity).abs() < 1e-6))
            }))
        };
    assert!((turns("50%") - 0.5).abs() < 0.05, "{}", turns("50%"));
    assert!((turns("20%") - 0.2).abs() < 0.05, "{}", turns("20%"));
}

/// The speeds of consecutive steps have the correlation α. The mean and the deviation are the
/// configured ones.
#[test]
fn gauss_markov_speeds_remember() {
    let json = r#"{"gauss_markov": {"area": ["10km", "10km"], "mean": "10m/s", "alpha": 0.75,
        "deviation": "2m/s"}}"#;
    let path = node(&model(json), 1, "n1", second(100_000));
    // One sample within each step.
    let speeds: Vec<f64> =
        (0..100_000).map(|step| path.velocity(at(step * 1000 + 500)).length() - 10.0).collect();
    let variance = mean(speeds.iter().map(|speed| speed * speed));
    let together = mean(speeds.windows(2).map(|pair| pair[0] * pair[1]));
    assert!(mean(speeds.iter().copied()).abs() < 0.1);
    assert!((variance.sqrt() - 2.0).abs() < 0.1, "{variance}");
    assert!((together / variance - 0.75).abs() < 0.02, "{}", together / variance);
}

#[test]
fn members_stay_around_their_leader() {
    let json = r#"{"group": {"leader": {"random_waypoint": {"area": ["1km", "1km"],
        "speed": ["1m/s", "9m/s"], "pause": "5s"}}, "radius": "50m", "deviation": "10m"}}"#;
    let model = model(json);
    let Mobility::Group(group) = &model else { panic!("{model:?}") };
    let stream = Stream::new(1, "group/mobility");
    let mut leader = group
        .leader
        .trajectory(&Surroundings {
            node: "",
            position: None,
            stream: &stream,
            group: &stream,
            plane: None,
        })
        .unwrap();
    leader.extend(second(1000));
    let members = nodes(&model, 1, 40, second(1000));
    let mut farthest = 0.0f64;
    for millis in (0..1_000_000).step_by(1234) {
        for member in &members {
            let apart = member.position(at(millis)).distance(leader.position(at(millis)));
            assert!(apart <= 60.0 + 1e-6, "{apart} m at {millis} ms");
            farthest = farthest.max(apart);
        }
    }
    assert!(farthest > 45.0, "{farthest}");
    // A member wanders around its reference point.
    let place = |millis| members[0].position(at(millis)) - leader.position(at(millis));
    assert!(place(0).distance(place(15_000)) > 0.1);
}

#[test]
fn a_walk_begins_at_its_position_if_it_has_one() {
    let stream = Stream::new(1, "n1/mobility");
    let with = |json: &str, position: Point| {
        model(json).trajectory(&Surroundings {
            node: "n1",
            position: Some(position),
            stream: &stream,
            group: &stream,
            plane: None,
        })
    };
    for json in [MODELS[1].0, MODELS[3].0, MODELS[5].0] {
        let path = with(json, Point::flat(12.0, 34.0)).unwrap();
        assert_eq!(path.position(Time::ZERO), Point::flat(12.0, 34.0));
        let error = with(json, Point::flat(401.0, 0.0)).unwrap_err().to_string();
        assert!(error.contains("outside the area"), "{error}");
    }
    let error = with(MODELS[0].0, Point::ZERO).unwrap_err().to_string();
    assert!(error.contains("leave its `position` away"), "{error}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (json, part) in [
        (
            r#"{"random_walk": {"area": ["1m", "1m"], "speed": "1m/s", "every": "0s"}}"#,
            "more than 0",
        ),
        (r#"{"random_walk": {"area": ["1m", "1m"], "speed": "0m/s", "every": "1m"}}"#, "decays"),
        (r#"{"random_walk": {"area": ["1m", "1m"], "speed": "1m/s", "every": "1"}}"#, "no unit"),
        (r#"{"random_direction": {"area": ["1m", "1m"], "speed": "1m/s", "every": "0s"}}"#, "0s"),
        (r#"{"manhattan": {"area": ["1m", "1m"], "speed": "1m/s", "blocks": [0, 1]}}"#, "from 1"),
        (
            r#"{"gauss_markov": {"area": ["1m", "1m"], "mean": "1m/s", "alpha": 1,
            "deviation": "1m/s"}}"#,
            "below 1",
        ),
        (
            r#"{"group": {"leader": {"random_walk": {"area": ["1m", "1m"], "speed": "1m/s",
            "every": "0s"}}, "radius": "1m"}}"#,
            "more than 0",
        ),
        (r#"{"teleport": {}}"#, "unknown variant"),
    ] {
        let error = refused(json);
        assert!(error.contains(part), "{json}: {error}");
    }
}

#[test]
fn every_model_has_a_name() {
    let names: Vec<_> = Mobility::ALL.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), 8);
    for (json, _) in MODELS {
        assert!(names.contains(&model(json).name()));
    }
}
