//! Loss through obstacles.

use netloom_mobility::{Geographic, Plane};
use netloom_radio::{Polygons, Radio, RadioConfig, RadioError, Surroundings};
use netloom_units::{DataFormat, Stream, Time};

use crate::common::{at, close, config, made};

/// Returns the loss through obstacles between two places. The `range` model adds no loss of its
/// own.
fn taken(radio: &Radio, from: (f64, f64), to: (f64, f64)) -> f64 {
    radio.loss(Time::ZERO, &at(0, from.0, from.1), &at(1, to.0, to.1)).unwrap()
}

fn with(obstacles: &str) -> RadioConfig {
    config(&format!(
        r#"{{"propagation": {{"range": {{"reach": "100km"}}}}, "obstacles": {obstacles}}}"#
    ))
}

const SQUARE: &str = r#"[{"polygon": [["10m", "-5m"], ["20m", "-5m"], ["20m", "5m"], ["10m", "5m"]],
    "wall": "9dB", "inside": "0.4dB/m"}]"#;

#[test]
fn walls_and_the_way_between_them_are_counted() {
    let radio = made(&with(SQUARE));
    // Through both walls and 10 m of the inside: two walls cost twice as much as one.
    close(taken(&radio, (0.0, 0.0), (30.0, 0.0)), 2.0 * 9.0 + 4.0, 1e-9);
    // Into the obstacle and half the length of the inside.
    close(taken(&radio, (0.0, 0.0), (15.0, 0.0)), 9.0 + 2.0, 1e-9);
    // Within the obstacle.
    close(taken(&radio, (12.0, 1.0), (16.0, 1.0)), 1.6, 1e-9);
    // Beside, in front of and behind the obstacle.
    assert_eq!(taken(&radio, (0.0, 6.0), (30.0, 6.0)), 0.0);
    assert_eq!(taken(&radio, (0.0, 0.0), (9.0, 0.0)), 0.0);
    assert_eq!(taken(&radio, (21.0, 0.0), (40.0, 0.0)), 0.0);
    // Across a corner: both of its walls.
    close(taken(&radio, (8.0, 2.0), (13.0, 7.0)), 18.0 + 0.4 * 2f64.sqrt(), 1e-9);
    assert_eq!(taken(&radio, (0.0, 0.0), (30.0, 0.0)), taken(&radio, (30.0, 0.0), (0.0, 0.0)));
}

#[test]
fn courtyards_are_outside() {
    let text = r#"{"type": "Polygon", "coordinates": [
        [[0, 0], [0.0004, 0], [0.0004, 0.0004], [0, 0.0004], [0, 0]],
        [[0.0001, 0.0001], [0.0003, 0.0001], [0.0003, 0.0003], [0.0001, 0.0003],
         [0.0001, 0.0001]]]}"#;
    let mut config = with(r#"[{"file": "yard.geojson", "wall": "1dB", "inside": "0.1dB/m"}]"#);
    config.load::<()>(&mut |_| Ok(text.into())).unwrap();
    let error = Radio::new(&config, &Surroundings::default()).unwrap_err();
    assert_eq!(error, RadioError::NoOrigin { file: "yard.geojson".into() });
    let plane = Plane::new(Geographic::default()).unwrap();
    let given = Surroundings { plane: Some(&plane), ..Surroundings::default() };
    let radio = Radio::new(&config, &given).unwrap();
    let metre = plane.point(Geographic { lat: 0.0, lon: 0.0001, alt: 0.0 }).x;
    close(metre, 11.132, 0.001);
    // Four walls, and two of the four parts of the path.
    close(taken(&radio, (-5.0, 22.0), (60.0, 22.0)), 4.0 + 0.2 * metre, 1e-6);
}

/// Many small squares: the index leaves out no obstacle that is on the path.
#[test]
fn the_index_forgets_no_obstacle() {
    let mut stream = Stream::new(2, "city");
    let mut number = || (stream.uniform() * 1000.0 * 1e6) as i64;
    let squares: Vec<[i64; 2]> = (0..300).map(|_| [number(), number()]).collect();
    let one = |[x, y]: &[i64; 2]| {
        let side = 12_000_000;
        let corners = [[*x, *y], [x + side, *y], [x + side, y + side], [*x, y + side]];
        let corner = |[x, y]: [i64; 2]| format!(r#"["{x}um", "{y}um"]"#);
        format!(
            r#"{{"polygon": [{}], "wall": "1dB", "inside": "1dB/m"}}"#,
            corners.map(corner).join(", ")
        )
    };
    let all = made(&with(&format!("[{}]", squares.iter().map(one).collect::<Vec<_>>().join(","))));
    let each: Vec<_> =
        squares.iter().map(|square| made(&with(&format!("[{}]", one(square))))).collect();
    let mut place = || (stream.uniform() * 1200.0 - 100.0, stream.uniform() * 1200.0 - 100.0);
    let mut total = 0.0;
    for _ in 0..300 {
        let (from, to) = (place(), place());
        let expected: f64 = each.iter().map(|radio| taken(radio, from, to)).sum();
        close(taken(&all, from, to), expected, 1e-6);
        total += expected;
    }
    assert!(total > 1000.0, "{total}");
}

#[test]
fn sumo_writes_polygons_in_metres() {
    let text = r#"<?xml version="1.0"?>
<additional>
  <!-- a house -->
  <poly id="1" type="building" color="1,0,0" fill="1" layer="4"
        shape="10.00,-5.00 20.00,-5.00 20.00,5.00 10.00,5.00 10.00,-5.00"/>
</additional>"#;
    let mut config = with(r#"[{"file": "a.poly.xml", "wall": "9dB", "inside": "0.4dB/m"}]"#);
    config.load::<()>(&mut |_| Ok(text.into())).unwrap();
    close(taken(&made(&config), (0.0, 0.0), (30.0, 0.0)), 22.0, 1e-9);
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    for (text, part) in [
        ("hello", "neither GeoJSON"),
        ("{", "line 1: it is no JSON"),
        (r#"{"type": "Point", "coordinates": [1, 2]}"#, "no Polygon"),
        (r#"{"type": "Wall"}"#, "`Wall` is no type of GeoJSON"),
        (r#"{"type": "Polygon", "coordinates": [[[1, 2], [3, 4]]]}"#, "three corners"),
        ("<a>\n<poly shape=\"1,2 3\"/></a>", "line 2: `3` is no corner"),
        ("<a><poly/></a>", "has no `shape`"),
        ("<a>\n<b></a>", "line 2: it is no XML"),
        ("<a></a>", "at least one"),
    ] {
        let error = Polygons::parse(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}
