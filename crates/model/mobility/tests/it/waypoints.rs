//! Waypoints.

use netloom_mobility::{Geographic, MobilityError, Plane, Point, Surroundings, Trajectory};
use netloom_units::Stream;

use crate::common::{at, model, refused};

fn path(
    json: &str,
    position: Option<Point>,
    plane: Option<&Plane>,
) -> Result<Trajectory, MobilityError> {
    let stream = Stream::new(1, "n1/mobility");
    model(json).trajectory(&Surroundings {
        node: "n1",
        position,
        stream: &stream,
        group: &stream,
        plane,
    })
}

#[test]
fn places_are_reached_at_a_speed_by_a_time_or_at_it() {
    let json = r#"{"waypoints": [
        {"to": ["0m", "0m"]},
        {"to": ["10m", "0m"], "speed": "1m/s"},
        {"pause": "5s"},
        {"to": ["10m", "10m", "5m"], "by": "20s"},
        {"to": ["0m", "0m"], "at": "30s"}]}"#;
    let path = path(json, None, None).unwrap();
    for (millis, point) in [
        (0, Point::flat(0.0, 0.0)),
        (4000, Point::flat(4.0, 0.0)),
        (14_999, Point::flat(10.0, 0.0)),
        (16_000, Point::new(10.0, 2.0, 1.0)),
        (29_999, Point::new(10.0, 10.0, 5.0)),
        (30_000, Point::ZERO),
    ] {
        assert!(path.position(at(millis)).distance(point) < 1e-9, "{millis} ms");
    }
    assert_eq!(path.known_until(), None);
}

#[test]
fn loops_go_on_for_ever() {
    let json = r#"{"waypoints": {"path": [
        {"to": ["0m", "0m"], "speed": "2m/s"},
        {"to": ["10m", "0m"], "speed": "1m/s"}], "loop": true}}"#;
    let mut path = path(json, None, None).unwrap();
    path.extend(at(3_000_000));
    // 10 s to the far end, and 5 s back.
    for round in 0..200 {
        let x = |millis: u64| path.position(at(round * 15_000 + millis)).x;
        assert!(
            (x(0)).abs() < 1e-6 && (x(9000) - 9.0).abs() < 1e-6 && (x(12_500) - 5.0).abs() < 1e-6
        );
    }
}

#[test]
fn degrees_need_a_plane() {
    let json = r#"{"waypoints": [{"to": {"lat": 48.78, "lon": 9.18}},
        {"to": {"lat": 48.781, "lon": 9.18, "alt": 10}, "by": "10s"}]}"#;
    assert_eq!(path(json, None, None).unwrap_err(), MobilityError::NoOrigin);
    let plane = Plane::new(Geographic { lat: 48.78, lon: 9.18, alt: 0.0 }).unwrap();
    let path = path(json, None, Some(&plane)).unwrap();
    let end = path.position(at(10_000));
    assert!((end.y - 111.2).abs() < 0.1 && end.x == 0.0 && end.z == 10.0, "{end:?}");
}

#[test]
fn where_it_begins_is_said_once() {
    let from = Some(Point::flat(1.0, 2.0));
    let going = r#"{"waypoints": [{"to": ["5m", "2m"], "speed": "1m/s"}]}"#;
    assert_eq!(path(going, from, None).unwrap().position(at(1000)), Point::flat(2.0, 2.0));
    assert_eq!(path(going, None, None).unwrap().position(at(0)), Point::flat(5.0, 2.0));
    let placed = r#"{"waypoints": [{"to": ["5m", "2m"]}]}"#;
    assert_eq!(path(placed, from, None).unwrap_err(), MobilityError::TwoStarts);
    let resting = r#"{"waypoints": [{"pause": "5s"}, {"to": ["5m", "2m"], "speed": "1m/s"}]}"#;
    assert_eq!(path(resting, None, None).unwrap_err(), MobilityError::NoStart);
    assert_eq!(path(resting, from, None).unwrap().position(at(6000)), Point::flat(2.0, 2.0));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (json, part) in [
        (r#"{"waypoints": []}"#, "one or more"),
        (r#"{"waypoints": [{}]}"#, "waypoint 1: `to` or `pause`"),
        (r#"{"waypoints": [{"to": ["0m"]}]}"#, "two or three coordinates"),
        (
            r#"{"waypoints": [{"to": ["0m", "0m"]}, {"to": ["1m", "0m"]}]}"#,
            "waypoint 2: how to get",
        ),
        (r#"{"waypoints": [{"to": ["0m", "0m"], "speed": "1m/s", "by": "3s"}]}"#, "one of `speed`"),
        (r#"{"waypoints": [{"pause": "1s", "speed": "1m/s"}]}"#, "a `pause` has no"),
        (r#"{"waypoints": [{"to": ["0m", "0m"], "pause": "1s"}]}"#, "two waypoints"),
        (r#"{"waypoints": [{"to": ["0m", "0m"], "speed": "0m/s"}]}"#, "nobody arrives"),
        (r#"{"waypoints": {"path": [{"to": ["0m", "0m"]}], "loop": true}}"#, "how to come back"),
        (
            r#"{"waypoints": [{"to": ["0m", "0m"], "by": "5s"},
                {"to": ["0m", "0m"], "at": "4s"}]}"#,
            "4s comes after 5s",
        ),
        (r#"{"waypoints": [{"to": {"lat": 91, "lon": 0}}]}"#, "from -90 to 90"),
    ] {
        let error = refused(json);
        assert!(error.contains(part), "{json}: {error}");
    }
}
