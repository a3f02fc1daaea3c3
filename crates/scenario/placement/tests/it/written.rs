//! Placements as files.

use netloom_placement::{PlacementError, WrittenPlacement};

use crate::common::{placed, problem, with_mnp};

#[test]
fn a_placement_is_read_again() {
    let problem = problem(3, Vec::new(), with_mnp(2, &[(1, 1.0)]));
    let (placement, _) = placed(&problem);
    let written = WrittenPlacement::new("x", &problem, &placement);
    let yaml = "scenario: x\nnodes: {n0: m1, n1: m1, n2: m1}\n";
    let json = r#"{"scenario": "x", "nodes": {"n0": "m1", "n1": "m1", "n2": "m1"}}"#;
    for text in [yaml, json] {
        let read = WrittenPlacement::parse(text).unwrap();
        assert_eq!(read, written);
        assert_eq!(read.resolve("x", &problem), Ok(placement.clone()));
    }
}

#[test]
fn placements_of_others_are_refused() {
    let problem = problem(2, Vec::new(), with_mnp(2, &[(1, 1.0)]));
    let why =
        |text: &str| WrittenPlacement::parse(text).unwrap().resolve("x", &problem).unwrap_err();
    let wrong = why("scenario: y\nnodes: {n0: m1, n1: m1}");
    assert!(matches!(wrong, PlacementError::OtherScenario { .. }));
    assert!(matches!(why("scenario: x\nnodes: {n0: m1}"), PlacementError::Missing { .. }));
    let wrong = why("scenario: x\nnodes: {n0: m1, n1: m1, n2: m1}");
    assert!(matches!(wrong, PlacementError::Unknown { .. }));
    assert!(matches!(
        why("scenario: x\nnodes: {n0: m1, n1: m9}"),
        PlacementError::NoMachine { .. }
    ));
    for text in
        ["", "nodes: {}", "scenario: x\nnodes: {n0: m1, n0: m2}", "scenario: x\nnodes: {}\nx: 1"]
    {
        assert!(WrittenPlacement::parse(text).is_err(), "{text}");
    }
}
