//! Each format as other programs write it.

use netloom_mobility::{
    Geographic, Movements, Plane, Point, Surroundings, TraceFormat, Traces, Trajectory,
};
use netloom_units::{DataFormat, Stream, Time};

use crate::common::{at, model, second, try_node};

fn read(text: &str, format: TraceFormat) -> Traces {
    let traces = Traces::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(traces.format(), Some(format));
    traces
}

fn path(traces: &Traces, node: &str) -> Trajectory {
    traces.trajectory(node, None, Time::ZERO, &|point| point).unwrap()
}

fn near(path: &Trajectory, millis: u64, x: f64, y: f64) {
    let found = path.position(at(millis));
    assert!(found.distance(Point { x, y, z: found.z }) < 1e-6, "{found:?} at {millis} ms");
}

#[test]
fn scripts_of_ns_2_replace_what_is_under_way() {
    let text = r#"
# nodes: 2, max x: 670
$node_(0) set X_ 10.0
$node_(0) set Y_ 20.0
$node_(0) set Z_ 0.000000000000
$node_(1) set X_ 5
$node_(1) set Y_ 5
$god_ set-dist 0 1 1
$ns_ at 12.0 "$node_(0) setdest 10.0 20.0 5.0"
$ns_ at 2.0 "$node_(0) setdest 110.0 20.0 10.0"
$ns_ at 30 "$node_(0) setdest 1.0 2.0 0.0"
$ns_ at 900.0 "$ns_ halt"
"#;
    let traces = read(text, TraceFormat::Ns2);
    assert_eq!(traces.names().collect::<Vec<_>>(), ["0", "1"]);
    assert_eq!(traces.left_out(), ["2 lines that move no node"]);
    let path = path(&traces, "0");
    // At 12 s the node is at x = 110, and moves back from there at 5 m/s.
    for (millis, x) in [(0, 10.0), (2000, 10.0), (7000, 60.0), (12_000, 110.0), (22_000, 60.0)] {
        near(&path, millis, x, 20.0);
    }
    near(&path, 29_999, 20.005, 20.0);
    near(&path, 30_000, 1.0, 2.0);
    near(&path, 900_000, 1.0, 2.0);
}

#[test]
fn a_setdest_before_arrival_turns_where_it_is() {
    let text = "$node_(3) set X_ 0\n$ns_ at 0 \"$node_(3) setdest 100 0 10\"\n\
                $ns_ at 5 \"$node_(3) setdest 50 30 3\"\n";
    let path = path(&read(text, TraceFormat::Ns2), "3");
    near(&path, 5000, 50.0, 0.0);
    near(&path, 10_000, 50.0, 15.0);
    near(&path, 15_000, 50.0, 30.0);
}

#[test]
fn bonnmotion_has_a_line_a_node() {
    let traces = read("0 1 2 10 11 2 20 11 2\n5.5 0 0\n", TraceFormat::Bonnmotion);
    assert_eq!(traces.names().collect::<Vec<_>>(), ["0", "1"]);
    near(&path(&traces, "0"), 5000, 6.0, 2.0);
    near(&path(&traces, "1"), 0, 0.0, 0.0);
    let deep = read("0.0 1 2 3 10.0 1 2 13\n", TraceFormat::Bonnmotion);
    assert_eq!(path(&deep, "0").position(at(5000)), Point::new(1.0, 2.0, 8.0));
    // Twelve numbers: only in groups of three are the times in order.
    let flat = read("0 1 9 3 3 1 5 3 9 6 0 2\n", TraceFormat::Bonnmotion);
    near(&path(&flat, "0"), 3000, 3.0, 1.0);
}

#[test]
fn vehicles_that_are_absent_are_off() {
    let text = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- generated -->
<fcd-export xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
    <timestep time="0.00">
        <vehicle id="a" x="0.00" y="1.00" angle="90.00" type="car" speed="10.00"/>
    </timestep>
    <timestep time="1.00">
        <vehicle id="a" x="10.00" y="1.00"/>
        <vehicle id="b&amp;c" x="5.00" y="5.00" z="2.5"/>
    </timestep>
    <timestep time="2.00">
        <vehicle id="b&amp;c" x="6.00" y="5.00" z="2.5"/>
    </timestep>
    <timestep time="3.00">
        <vehicle id="a" x="70.00" y="1.00"/>
        <person id="p" x="0" y="0"/>
    </timestep>
</fcd-export>"#;
    let traces = read(text, TraceFormat::Fcd);
    assert_eq!(traces.names().collect::<Vec<_>>(), ["a", "b&c", "p"]);
    let (a, b) = (path(&traces, "a"), path(&traces, "b&c"));
    assert_eq!(
        [0, 1999, 2000, 2999, 3000].map(|ms| a.on(at(ms))),
        [true, true, false, false, true]
    );
    assert_eq!(
        [0, 999, 1000, 2999, 3000].map(|ms| b.on(at(ms))),
        [false, false, true, true, false]
    );
    near(&a, 500, 5.0, 1.0);
    near(&a, 2500, 10.0, 1.0);
    near(&a, 3000, 70.0, 1.0);
    assert_eq!(b.position(at(1500)), Point::new(5.5, 5.0, 2.5));
}

#[test]
fn tracks_of_receivers_need_a_plane() {
    let text = r#"<?xml version="1.0"?>
<gpx version="1.1" creator="x"><metadata><name>all</name></metadata>
<wpt lat="1" lon="2"/>
<trk><name>Hin &amp; her</name><trkseg>
<trkpt lat="48.78" lon="9.18"><ele>250</ele><time>2024-05-01T12:00:00Z</time></trkpt>
<trkpt lat="48.781" lon="9.18"><ele>260</ele><time>2024-05-01T14:00:10.5+02:00</time></trkpt>
</trkseg></trk>
<trk><trkseg><trkpt lat="48.78" lon="9.181"><time>2024-05-01T12:00:02Z</time></trkpt></trkseg></trk>
</gpx>"#;
    let traces = read(text, TraceFormat::Gpx);
    assert!(traces.needs_plane());
    assert_eq!(traces.names().collect::<Vec<_>>(), ["2", "Hin & her"]);
    assert_eq!(traces.left_out(), ["1 waypoints and routes, without times"]);
    let origin = traces.first_place().unwrap();
    assert_eq!(origin, Geographic { lat: 48.78, lon: 9.181, alt: 0.0 });
    let plane = Plane::new(Geographic { lat: 48.78, lon: 9.18, alt: 250.0 }).unwrap();
    let path = traces.trajectory("Hin & her", Some(&plane), Time::ZERO, &|point| point).unwrap();
    let end = path.position(at(10_500));
    assert!((end.y - 111.21).abs() < 0.05 && (end.z - 10.0).abs() < 1e-9, "{end:?}");
    assert!(traces.trajectory("2", None, Time::ZERO, &|point| point).is_err());
}

#[test]
fn csv_has_a_heading_or_none() {
    let plain = read("# fixes\n0,a,0,0\n10,a,10,0,5\n5,b,1,1\n", TraceFormat::Csv);
    assert_eq!(path(&plain, "a").position(at(5000)), Point::new(5.0, 0.0, 2.5));
    let named = read("node,y,x,time,on\na,1,2,0,1\na,1,2,5,0\n", TraceFormat::Csv);
    let a = path(&named, "a");
    assert_eq!(a.position(at(0)), Point::flat(2.0, 1.0));
    assert!(a.on(at(4999)) && !a.on(at(5000)));
    let earth = read("time,node,lat,lon\n0,a,48.78,9.18\n", TraceFormat::Csv);
    assert!(earth.needs_plane());
    // Without a file, traces are written as a list of lines.
    let json = serde_json::to_string(&earth).unwrap();
    assert_eq!(json, r#"["time,node,lon,lat,alt,on","0,a,9.18,48.78,0,1"]"#);
    assert_eq!(serde_json::from_str::<Traces>(&json).unwrap(), earth);
}

#[test]
fn a_trace_is_shifted_scaled_and_moved() {
    let json = r#"{"trace": {"file": ["0,car,0,0", "10,car,10,0", "20,car,10,10"], "node": "car",
        "start": "5s", "scale": 2, "offset": ["100m", "-1m"]}}"#;
    let path = try_node(&model(json), 1, "n1").unwrap();
    near(&path, 0, 110.0, -1.0);
    near(&path, 5000, 120.0, -1.0);
    near(&path, 10_000, 120.0, 9.0);
    near(&path, 60_000, 120.0, 19.0);
    let error = try_node(&model(r#"{"trace": {"file": ["0,car,0,0"]}}"#), 1, "n1").unwrap_err();
    assert!(error.to_string().contains("no node `n1`; it has `car` (1 in all)"), "{error}");
    let other = r#"{"trace": {"file": ["0,car,0,0"], "node": "car", "format": "gpx"}}"#;
    let error = try_node(&model(other), 1, "n1").unwrap_err().to_string();
    assert!(error.contains("`format: gpx`, but the file is csv"), "{error}");
    let unread = try_node(&model(r#"{"trace": {"file": "a.tcl"}}"#), 1, "n1").unwrap_err();
    assert!(unread.to_string().contains("a.tcl has not been read"), "{unread}");
    assert!(second(1) < second(2));
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, part) in [
        ("hello", "none of the formats ns2, fcd, gpx, bonnmotion, csv"),
        ("", "none of the formats"),
        ("$node_(0) set X_ east", "line 1: `east` is no number"),
        ("$node_(0) set X_ 1\n$ns_ at 1 \"$node_(0) setdest 1 2\"", "line 2: `setdest` has"),
        ("$ns_ at -1 \"$node_(0) setdest 1 2 3\"", "line 1: -1 s is no time"),
        ("$ns_ at 1 \"$node_(0) setdest 1 2 -3\"", "below 0"),
        ("$node_(0 set X_ 1", "has no `)`"),
        ("0 1 2\n0 1\n", "line 2: 2 numbers are no"),
        ("5 1 2 0 1 2\n", "times that go forward"),
        ("0,a,1\n0,a,1,2\n", "none of the formats"),
        ("0,a,1,2\n0,a,1\n", "line 2: there are 3 cells"),
        ("time,node,x,speed\n", "`speed` is no column"),
        ("time,node,x,z\n", "no column `y`"),
        ("0,a,1,2,3,maybe\n", "neither 1 nor 0"),
        ("5,a,1,2\n0,a,1,2\n", "node a is at 0.000000000s after 5.000000000s"),
        ("0,a,1e99,2\n", "node a is at"),
        (
            "<fcd-export><timestep time=\"0\"><vehicle x=\"1\" y=\"2\"/></timestep></fcd-export>",
            "has no `id`",
        ),
        ("<fcd-export>\n<timestep time=\"1\"/>\n<timestep time=\"1\"/></fcd-export>", "line 3"),
        ("<fcd-export></fcd-export>", "no movement of fcd"),
        ("<fcd-export><timestep time=\"0\">", "ends within an element"),
        ("<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>", "has no `time`"),
    ] {
        let error = Traces::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn a_network_in_which_nobody_is_ever_there_is_not_written_as_fcd() {
    let traces = read("time,node,x,y,z,on\n0,a,1,2,0,0\n5,a,1,2,0,0\n", TraceFormat::Csv);
    let nodes = [("a".to_owned(), path(&traces, "a"))];
    let away = Movements { nodes: &nodes, until: second(9), plane: None };
    let refused = TraceFormat::Fcd.write(&away).unwrap_err();
    assert!(refused.contains("no node is there"), "{refused}");
}

/// Formats without a word for degrees may have them: it is noticed, and said by a key.
#[test]
fn degrees_in_files_of_metres_are_noticed_and_read() {
    let fcd = |x: &str, y: &str| {
        format!(
            "<fcd-export><timestep time=\"0.00\"><vehicle id=\"v\" x=\"{x}\" y=\"{y}\"/></timestep>\
             <timestep time=\"10.00\"><vehicle id=\"v\" x=\"9.19\" y=\"48.78\"/></timestep>\
             </fcd-export>"
        )
    };
    let geo = fcd("9.18", "48.78");
    let others = [
        "time,node,x,y\n0,v,9.18,48.78\n10,v,9.19,48.78\n".to_string(),
        "0 9.18 48.78 10 9.19 48.78\n".to_string(),
    ];
    for text in [&geo, &others[0], &others[1]] {
        let traces = Traces::parse(text).unwrap();
        assert!(traces.may_be_degrees() && !traces.needs_plane(), "{text}");
    }
    // Whole numbers, a place beyond the poles, and degrees that are called so.
    for text in [
        fcd("9", "48").replace("9.19", "9").replace("48.78", "49"),
        fcd("9.18", "90.5"),
        "time,node,lat,lon\n0,v,48.78,9.18\n".into(),
    ] {
        assert!(!Traces::parse(&text).unwrap().may_be_degrees(), "{text}");
    }
    let origin = Geographic { lat: 48.78, lon: 9.18, alt: 0.0 };
    let plane = Plane::new(origin).unwrap();
    let with = |keys: &str, text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let file = serde_json::to_string(&lines).unwrap();
        model(&format!(r#"{{"trace":{{"file":{file},"node":"v"{keys}}}}}"#))
    };
    let csv = &others[0];
    let warning = with("", csv).warning().unwrap();
    assert!(warning.starts_with("all places of csv fit degrees, and are read as metres; "));
    for keys in [r#","degrees":true"#, r#","degrees":false"#] {
        assert_eq!(with(keys, csv).warning(), None);
    }
    let stream = Stream::new(1, "x");
    let given = Surroundings {
        node: "v",
        position: None,
        stream: &stream,
        group: &stream,
        plane: Some(&plane),
    };
    let path = with(r#","degrees":true"#, csv).trajectory(&given).unwrap();
    near(&path, 0, 0.0, 0.0);
    // A hundredth of a degree of longitude at this latitude.
    let there = path.position(at(10_000));
    assert!((there.x - 734.9).abs() < 1.0 && there.y.abs() < 1e-6, "{there:?}");
    let without = Surroundings { plane: None, ..given };
    let error = with(r#","degrees":true"#, csv).trajectory(&without).unwrap_err();
    assert!(error.to_string().contains("origin"), "{error}");
    let far = with(r#","degrees":true"#, &csv.replace("48.78", "4878"));
    let error = far.trajectory(&given).unwrap_err().to_string();
    assert!(error.contains("`lat: 4878` must be from -90 to 90"), "{error}");
    let named = with(r#","degrees":false"#, "time,node,lat,lon\n0,v,48.78,9.18\n");
    assert!(named.trajectory(&given).is_err());
    let script = Traces::parse("$node_(0) set X_ 9.18\n$node_(0) set Y_ 48.78\n").unwrap();
    assert!(script.may_be_degrees() && script.in_degrees().is_err(), "speeds are in metres");
}
