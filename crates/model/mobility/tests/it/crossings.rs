//! Times at which two nodes come within a distance of each other.

use netloom_mobility::{Crossing, Point, Trajectory, crossings, within};
use netloom_units::{Duration, Length, Stream, Time};

const FOOT: f64 = 0.3048;

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn feet(x: f64, y: f64) -> Point {
    Point::flat(x * FOOT, y * FOOT)
}

/// The nodes of Zheng 2003 §4.3, with a reach of 25 ft. B starts at (20, 0) and moves north at 1
/// ft/s; D takes its place. B leaves at √(25² − 20²) = 15 ft.
#[test]
fn the_hand_over_of_empower_is_at_15_and_18_seconds() {
    let reach = Length::from_micrometres(7_620_000);
    let a = Trajectory::fixed(Point::ZERO);
    let mut b = Trajectory::fixed(feet(20.0, 0.0));
    b.go(feet(20.0, 100.0), FOOT);
    let mut d = Trajectory::fixed(feet(20.0, -33.0));
    d.go(feet(20.0, 100.0), FOOT);
    let of = |other: &Trajectory| -> Vec<_> {
        crossings(&a, other, reach, Time::ZERO, at(60_000)).collect()
    };
    let near = |found: Time, millis: u64| {
        let off = found.as_nanos().abs_diff(at(millis).as_nanos());
        assert!(off <= 1000, "{found} is {off} ns from {millis} ms");
    };
    let [(leaves, Crossing::Farther)] = of(&b)[..] else { panic!("{:?}", of(&b)) };
    near(leaves, 15_000);
    let [(enters, Crossing::Nearer), (_, Crossing::Farther)] = of(&d)[..] else {
        panic!("{:?}", of(&d))
    };
    near(enters, 18_000);
}

/// A trajectory of many legs. Some are short, some are rests, some are absences.
fn wandering(name: &str) -> Trajectory {
    let mut stream = Stream::new(5, name);
    let mut point = || Point::flat(stream.uniform() * 300.0, stream.uniform() * 300.0);
    let mut path = Trajectory::fixed(point());
    for leg in 0..60 {
        match leg % 10 {
            3 => path.rest(Duration::from_millis(700)),
            5 => path.jump(point()),
            7 => path.switch(leg % 20 != 7),
            _ => path.go(point(), 20.0),
        }
    }
    path
}

#[test]
fn crossings_are_where_the_state_changes_and_nowhere_else() {
    let (a, b) = (wandering("a"), wandering("b"));
    let limit = Length::from_metres(100);
    let until = at(500_000);
    let found: Vec<_> = crossings(&a, &b, limit, Time::ZERO, until).collect();
    assert!(found.len() > 10, "{}", found.len());
    let mut near = within(&a, &b, limit, Time::ZERO);
    for (time, crossing) in &found {
        near = !near;
        assert_eq!(*crossing == Crossing::Nearer, near);
        let before = *time - Duration::from_nanos(1);
        assert_eq!(within(&a, &b, limit, *time), near, "at {time}");
        assert_eq!(within(&a, &b, limit, before), !near, "before {time}");
    }
    // The crossings that samples each 10 ms find.
    let looks = (1..=50_000).map(|look| within(&a, &b, limit, at(look * 10)));
    let mut last = within(&a, &b, limit, Time::ZERO);
    let changes = looks.filter(|now| std::mem::replace(&mut last, *now) != *now).count();
    assert!(changes <= found.len() && changes + 6 > found.len(), "{changes}, {}", found.len());
}

#[test]
fn crossings_do_not_depend_on_where_one_begins_to_look() {
    let (a, b) = (wandering("c"), wandering("d"));
    let limit = Length::from_metres(80);
    let all: Vec<_> = crossings(&a, &b, limit, Time::ZERO, at(400_000)).collect();
    let parts = (0..400)
        .flat_map(|second| crossings(&a, &b, limit, at(second * 1000), at((second + 1) * 1000)));
    assert_eq!(parts.collect::<Vec<_>>(), all);
}

#[test]
fn who_touches_the_limit_is_within_it() {
    let a = Trajectory::fixed(Point::ZERO);
    let b = Trajectory::fixed(Point::flat(25.0, 0.0));
    assert!(within(&a, &b, Length::from_metres(25), Time::ZERO));
    assert_eq!(crossings(&a, &b, Length::from_metres(25), Time::ZERO, at(1000)).count(), 0);
}
