//! Conversion of degrees to metres.

use netloom_mobility::{Geographic, Plane, Point};

const STUTTGART: Geographic = Geographic { lat: 48.78, lon: 9.18, alt: 250.0 };

#[test]
fn places_come_back() {
    let plane = Plane::new(STUTTGART).unwrap();
    assert_eq!(plane.point(STUTTGART), Point::ZERO);
    for point in [Point::new(1000.0, -2000.0, 30.0), Point::flat(-50_000.0, 40_000.0)] {
        assert!(plane.point(plane.place(point)).distance(point) < 1e-6);
    }
}

/// Lengths of a degree at 48.78° on WGS 84: 111.211 km along the meridian, 73.506 km across.
#[test]
fn a_degree_is_as_long_as_on_the_ellipsoid() {
    let plane = Plane::new(STUTTGART).unwrap();
    let north = plane.point(Geographic { lat: 49.78, ..STUTTGART });
    let east = plane.point(Geographic { lon: 10.18, ..STUTTGART });
    assert!((north.y - 111_211.0).abs() < 20.0 && north.x == 0.0, "{north:?}");
    assert!((east.x - 73_506.0).abs() < 20.0 && east.y == 0.0, "{east:?}");
    let across = Plane::new(Geographic { lat: 0.0, lon: 179.9, alt: 0.0 }).unwrap();
    let point = across.point(Geographic { lat: 0.0, lon: -179.9, alt: 0.0 });
    assert!((point.x - 22_264.0).abs() < 1.0, "{point:?}");
    assert!((across.place(point).lon + 179.9).abs() < 1e-9);
}

#[test]
fn poles_have_no_plane() {
    for lat in [89.5, -90.0, 91.0, f64::NAN] {
        assert!(Plane::new(Geographic { lat, lon: 0.0, alt: 0.0 }).is_err());
    }
}
