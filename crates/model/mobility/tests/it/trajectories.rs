//! Trajectories constructed leg by leg, and changed during a run.

use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Speed, Time};

fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

fn speed(text: &str) -> Speed {
    text.parse().unwrap()
}

/// East for 10 s at 1 m/s, 2 s of rest, north for 5 s at 2 m/s.
fn path() -> Trajectory {
    let mut path = Trajectory::fixed(Point::ZERO);
    path.go(Point::flat(10.0, 0.0), 1.0);
    path.rest(Duration::from_secs(2));
    path.go(Point::flat(10.0, 10.0), 2.0);
    path
}

#[test]
fn positions_are_exact_between_the_ends_of_legs() {
    let path = path();
    for (millis, x, y) in [
        (0, 0.0, 0.0),
        (2500, 2.5, 0.0),
        (10_000, 10.0, 0.0),
        (11_999, 10.0, 0.0),
        (12_500, 10.0, 1.0),
        (17_000, 10.0, 10.0),
        (1_000_000, 10.0, 10.0),
    ] {
        assert_eq!(path.position(at(millis)), Point::flat(x, y), "at {millis} ms");
    }
    assert_eq!(path.velocity(at(5000)), Point::flat(1.0, 0.0));
    assert_eq!(path.velocity(at(12_000)), Point::flat(0.0, 2.0));
    assert_eq!(path.velocity(at(17_000)), Point::ZERO);
    assert_eq!(path.next_leg(at(0)), Some(at(10_000)));
    assert_eq!(path.next_leg(at(10_000)), Some(at(12_000)));
    assert_eq!(path.next_leg(at(17_000)), None);
    assert_eq!(path.known_until(), None);
}

#[test]
fn what_is_redirected_goes_on_from_where_it_is() {
    let mut moved = path();
    moved.redirect(at(4000), Point::flat(4.0, 3.0), speed("1m/s"));
    assert_eq!(moved.position(at(3000)), Point::flat(3.0, 0.0));
    assert_eq!(moved.position(at(5000)), Point::flat(4.0, 1.0));
    assert_eq!(moved.position(at(60_000)), Point::flat(4.0, 3.0));

    let mut stopped = path();
    stopped.redirect(at(4000), Point::flat(4.0, 3.0), Speed::ZERO);
    assert_eq!(stopped.position(at(60_000)), Point::flat(4.0, 0.0));

    let mut placed = path();
    placed.place(at(4000), Point::flat(-1.0, -1.0));
    assert_eq!(placed.position(at(3999)), Point::flat(3.999, 0.0));
    assert_eq!(placed.position(at(4000)), Point::flat(-1.0, -1.0));
    placed.place(at(0), Point::ZERO);
    assert_eq!(placed.legs().len(), 1);
}

#[test]
fn who_is_absent_is_off() {
    let mut path = Trajectory::fixed(Point::ZERO);
    path.rest(Duration::from_secs(1));
    path.switch(false);
    path.rest(Duration::from_secs(1));
    path.switch(true);
    assert_eq!(
        [500, 1000, 1999, 2000].map(|millis| path.on(at(millis))),
        [true, false, false, true]
    );
}

#[test]
fn what_is_over_can_be_forgotten() {
    let mut path = path();
    path.forget_before(at(12_000));
    assert_eq!(path.legs().len(), 2);
    assert_eq!(path.position(at(12_500)), Point::flat(10.0, 1.0));
}
