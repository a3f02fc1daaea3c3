//! Movements that are written and read again are the same.

use netloom_mobility::{Geographic, Movements, Plane, Point, TraceFormat, Traces, Trajectory};
use netloom_units::{DataFormat, Duration, Time};

use crate::common::{model, nodes, second};

const UNTIL: u64 = 900;

fn plane() -> Plane {
    Plane::new(Geographic { lat: 48.78, lon: 9.18, alt: 0.0 }).unwrap()
}

fn write(nodes: &[(String, Trajectory)], format: TraceFormat) -> Result<String, String> {
    let plane = plane();
    format.write(&Movements { nodes, until: second(UNTIL), plane: Some(&plane) })
}

fn read(text: &str, format: TraceFormat) -> Vec<(String, Trajectory)> {
    let traces = Traces::parse(text).unwrap();
    assert_eq!(traces.format(), Some(format));
    let plane = plane();
    let path =
        |name: &str| traces.trajectory(name, Some(&plane), Time::ZERO, &|point| point).unwrap();
    traces.names().map(|name| (name.to_string(), path(name))).collect()
}

/// Asserts that all positions are the same within a millimetre, at 1,000 times.
fn same(a: &[(String, Trajectory)], b: &[(String, Trajectory)]) {
    assert_eq!(a.len(), b.len());
    for ((name, a), (other, b)) in a.iter().zip(b) {
        assert_eq!(name, other);
        for step in 0..1000 {
            let at = Time::from_nanos(step * UNTIL * 1_000_000 + step * 7919);
            let apart = a.position(at).distance(b.position(at));
            assert!(apart < 0.001, "{name} is {apart} m off at {at}");
            assert_eq!(a.on(at), b.on(at), "{name} at {at}");
        }
    }
}

fn movements() -> Vec<(String, Trajectory)> {
    let json = r#"{"random_waypoint": {"area": ["1500m", "300m"], "speed": ["1m/s", "20m/s"],
        "pause": "7s"}}"#;
    let paths = nodes(&model(json), 5, 12, second(UNTIL));
    (0..).map(|number: u32| number.to_string()).zip(paths).collect()
}

#[test]
fn positions_survive_all_formats_within_a_millimetre() {
    let original = movements();
    let mut now = original.clone();
    for format in [
        TraceFormat::Ns2,
        TraceFormat::Bonnmotion,
        TraceFormat::Csv,
        TraceFormat::Ns2,
        TraceFormat::Gpx,
        TraceFormat::Fcd,
    ] {
        now = read(&write(&now, format).unwrap(), format);
        same(&original, &now);
    }
}

/// Movements with jumps, absences, heights and unusual names, which not all formats support.
fn awkward() -> Vec<(String, Trajectory)> {
    let mut path = Trajectory::fixed(Point::new(1.0, 2.0, 3.0));
    path.rest(Duration::from_secs(10));
    path.jump(Point::new(100.0, -50.0, 3.0));
    path.go(Point::new(0.0, 0.0, 30.0), 3.7);
    path.switch(false);
    path.rest(Duration::from_secs(60));
    path.jump(Point::new(9.0, 9.0, 9.0));
    path.switch(true);
    path.go(Point::new(1e5, 0.0, 0.0), 0.001);
    vec![("car 1".into(), path), ("car 2".into(), Trajectory::fixed(Point::flat(5.0, 5.0)))]
}

#[test]
fn csv_says_all_that_a_trajectory_has() {
    let original = awkward();
    same(&original, &read(&write(&original, TraceFormat::Csv).unwrap(), TraceFormat::Csv));
}

#[test]
fn jumps_survive_scripts_and_lines() {
    let mut path = Trajectory::fixed(Point::flat(1.0, 2.0));
    path.go(Point::flat(30.0, 40.0), 3.0);
    path.jump(Point::flat(-3.0, 4.5));
    path.rest(Duration::from_secs(3));
    path.go(Point::flat(30.0, 40.0), 3.0);
    let original = vec![("0".to_string(), path)];
    for format in [TraceFormat::Ns2, TraceFormat::Bonnmotion, TraceFormat::Csv] {
        same(&original, &read(&write(&original, format).unwrap(), format));
    }
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    let nodes = awkward();
    for (format, part) in [
        (TraceFormat::Ns2, "absent"),
        (TraceFormat::Bonnmotion, "absent"),
        (TraceFormat::Gpx, "absent"),
    ] {
        let error = write(&nodes, format).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    let mut climbs = Trajectory::fixed(Point::ZERO);
    climbs.go(Point::new(0.0, 0.0, 9.0), 1.0);
    let error = write(&[("a".into(), climbs)], TraceFormat::Ns2).unwrap_err();
    assert!(error.contains("goes up or down"), "{error}");
    let named = [("a,b".to_string(), Trajectory::fixed(Point::ZERO))];
    assert!(write(&named, TraceFormat::Csv).unwrap_err().contains("a,b"));
    let gpx = TraceFormat::Gpx;
    let error = gpx.write(&Movements { nodes: &[], until: second(1), plane: None }).unwrap_err();
    assert!(error.contains("origin"), "{error}");
}
