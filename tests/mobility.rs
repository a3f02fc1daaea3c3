//! `netloom mobility`: movements without a network.

mod common;

use std::fs;

use common::Lab;

const MODEL: &str = "random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s], pause: 10s}";

fn json(lab: &Lab, arguments: &[&str]) -> serde_json::Value {
    let output = lab.ok(&[&["mobility"], arguments, &["--format", "json"]].concat());
    serde_json::from_str(&output).unwrap()
}

#[test]
fn movements_of_a_model_go_through_all_formats() {
    let lab = Lab::pair("");
    let drawn = |seed: &str| {
        lab.ok(&["mobility", "--model", MODEL, "--nodes", "12", "--seed", seed, "--to", "csv"])
    };
    assert_eq!(drawn("1"), drawn("1"));
    assert_ne!(drawn("1"), drawn("2"));
    fs::write(lab.path("0.csv"), drawn("1")).unwrap();
    let first = json(&lab, &["0.csv", "--stats", "250m"]);
    assert!(first["link_changes"].as_u64().unwrap() > 50, "{first}");
    assert!(first["pairs_with_path"].as_f64().unwrap() > 0.3, "{first}");
    let mut now = "0.csv".to_string();
    for (number, format) in ["ns2", "bonnmotion", "csv", "fcd"].into_iter().enumerate() {
        let next = format!("{}.{format}", number + 1);
        lab.ok(&["mobility", &now, "--to", format, "-o", &next]);
        assert_eq!(json(&lab, &[&next])["source"], format);
        let stats = json(&lab, &[&next, "--stats", "250m"]);
        assert_eq!(stats["link_changes"], first["link_changes"], "{format}");
        now = next;
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let lab = Lab::pair("");
    fs::write(lab.path("bad.tcl"), "$node_(0) set X_ 1\n$node_(0) set Y_ north\n").unwrap();
    fs::write(lab.path("track.csv"), "time,node,lat,lon\n0,a,48.78,9\n60,a,48.79,9\n").unwrap();
    for (arguments, part) in [
        (&["bad.tcl"][..], "bad.tcl is no trace of ns2: line 2: `north` is no number"),
        (&["none.tcl"], "cannot read none.tcl"),
        (&["track.csv", "--from", "kml"], "formats are ns2"),
        (&["--model", "random_waypoint: {area: [1m, 1m], speed: [0m/s, 1m/s]}"], "decays"),
        (&["track.csv", "--origin", "north"], "like `48.78,9.18`"),
    ] {
        let (code, error) = lab.fails(&[&["mobility"], arguments].concat());
        assert_eq!(code, 2, "{arguments:?}");
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
    let shown = json(&lab, &["track.csv"]);
    assert!((shown["to"][1].as_f64().unwrap() - 1112.0).abs() < 1.0, "{shown}");
}
