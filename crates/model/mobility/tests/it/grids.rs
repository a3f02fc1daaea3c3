//! The spatial index.

use netloom_mobility::{Grid, Point, Trajectory};
use netloom_units::{Length, Speed, Stream, Time};

use crate::common::{model, nodes, second};

/// Counts the nodes within a distance of a place, and the nodes that the index returns.
fn check(grid: &Grid, paths: &[Trajectory], now: Time, radius: f64) -> (usize, usize) {
    let at = paths[0].position(now);
    let found = grid.near(at, radius);
    assert!(found.is_sorted());
    let flat = |point: Point| Point::flat(point.x, point.y);
    let near = (0..paths.len())
        .filter(|point| flat(paths[*point].position(now)).distance(flat(at)) <= radius);
    let mut count = 0;
    for point in near {
        assert!(found.contains(&(point as u32)), "{point} is missing at {now}");
        count += 1;
    }
    (count, found.len())
}

#[test]
fn nobody_is_missing_at_any_time() {
    let json = r#"{"random_waypoint": {"area": {"from": ["-1km", "-1km"], "to": ["1km", "1km"]},
        "speed": ["1m/s", "20m/s"], "pause": "5s"}}"#;
    let mut paths = nodes(&model(json), 9, 200, second(400));
    let mut grid = Grid::new(Length::from_metres(300));
    (0..).zip(&paths).for_each(|(point, path)| grid.put(Time::ZERO, point, path));
    let mut stream = Stream::new(1, "times");
    let (mut near, mut found, mut events, mut now) = (0, 0, 0, Time::ZERO);
    while now < second(390) {
        // Advance to the next event, and sometimes to a time before it.
        let next = grid.next_event().unwrap();
        let between = Time::from_nanos(now.as_nanos() + stream.below(40_000_000));
        now = next.min(between).max(Time::from_nanos(now.as_nanos() + 1));
        events += usize::from(now >= next);
        grid.advance(now, |point| &paths[point as usize]);
        let counts = check(&grid, &paths, now, 250.0);
        (near, found) = (near + counts.0, found + counts.1);
    }
    // The index leaves out most nodes: nine cells of 300 m are a fifth of the area.
    assert!(near > 1000 && found < 12 * near, "{near}, {found}");
    // A node crosses a cell each half a minute or so, and ends a leg each two minutes.
    assert!(events < 200 * 60, "{events}");

    // A node that is placed elsewhere is found at its new place. A node that is removed is not
    // found.
    paths[3].place(now, Point::flat(5000.0, 5000.0));
    grid.put(now, 3, &paths[3]);
    assert_eq!(grid.near(Point::flat(5000.0, 5000.0), 1.0), [3]);
    paths[3].redirect(now, Point::flat(-5000.0, 5000.0), "100m/s".parse::<Speed>().unwrap());
    grid.put(now, 3, &paths[3]);
    let later = Time::from_nanos(now.as_nanos() + 50_000_000_000);
    paths.iter_mut().for_each(|path| path.extend(later));
    grid.advance(later, |point| &paths[point as usize]);
    assert!(grid.near(Point::flat(0.0, 5000.0), 1.0).contains(&3));
    grid.take(3);
    grid.advance(second(1000), |point| &paths[point as usize]);
    assert!(!grid.near(Point::ZERO, 1e7).contains(&3));
    assert_eq!(grid.near(Point::ZERO, 1e7).len(), 199);
}

#[test]
fn who_rests_has_no_events() {
    let mut grid = Grid::new(Length::from_metres(10));
    grid.put(Time::ZERO, 7, &Trajectory::fixed(Point::flat(-0.001, 10.0)));
    assert_eq!(grid.next_event(), None);
    assert_eq!(grid.near(Point::flat(0.0, 9.5), 0.6), [7]);
    assert!(grid.near(Point::flat(50.0, 9.5), 0.6).is_empty());
}
