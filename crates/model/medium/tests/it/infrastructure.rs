//! Stations that communicate through access points.

use netloom_link::FrameInfo;
use netloom_medium::{
    AssociationChange, AssociationEvent, FrameLoss, Medium, MediumChange, MediumConfig, Phy,
    Receiver, Setting, StationConfig, StationProperties,
};
use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Time};

use crate::support::{station, with};

const SCAN: u64 = 100_000_000;
const OUTAGE: u64 = 50_000_000;

fn at(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

fn seconds(seconds: f64) -> Time {
    Time::from_nanos((seconds * 1e9) as u64)
}

/// Creates access points 0 to n at these positions, and then stations with these trajectories.
fn cell(config: MediumConfig, points: &[f64], stations: Vec<Trajectory>) -> Medium<u64> {
    let setting = Setting { seed: 1, name: "air".into(), ..Setting::default() };
    let mut medium = Medium::new(config, setting, Time::ZERO).unwrap();
    medium.watch_associations(true);
    let fixed = points.iter().map(|x| (true, Trajectory::fixed(Point::flat(*x, 0.0))));
    let all = fixed.chain(stations.into_iter().map(|moves| (false, moves)));
    for (number, (access_point, moves)) in (0..).zip(all) {
        let name = format!("n{number}");
        let config = StationConfig { name, access_point, ..StationConfig::default() };
        medium.add(Time::ZERO, station(number), config, moves);
    }
    medium
}

fn fixed(x: f64) -> Trajectory {
    Trajectory::fixed(Point::flat(x, 10.0))
}

fn going(from: f64, to: f64, speed: f64) -> Trajectory {
    let mut moves = Trajectory::fixed(Point::flat(from, 10.0));
    moves.go(Point::flat(to, 10.0), speed);
    moves
}

/// Output of a medium up to a time: receptions (sender, receiver, frame, time), losses,
/// associations.
#[derive(Debug, Default)]
struct Outcome {
    received: Vec<(u32, u32, u64, Time)>,
    dropped: Vec<(u64, FrameLoss)>,
    associations: Vec<AssociationEvent>,
}

fn run(medium: &mut Medium<u64>, until: Time) -> Outcome {
    let mut outcome = Outcome::default();
    loop {
        let now = medium.next_deadline().map_or(until, |due| due.min(until));
        while let Some(one) = medium.poll(now) {
            outcome.received.push((one.from.0, one.station.0, one.frame, one.release));
        }
        outcome.dropped.extend(std::iter::from_fn(|| {
            medium.poll_dropped().map(|dropped| (dropped.frame, dropped.reason))
        }));
        outcome.associations.extend(std::iter::from_fn(|| medium.poll_association()));
        while medium.poll_spent().is_some() {}
        if now >= until {
            return outcome;
        }
    }
}

fn send(medium: &mut Medium<u64>, now: Time, from: u32, to: Receiver, frame: u64) {
    let _ = medium.offer(now, station(from), to, FrameInfo::single(114), frame);
}

#[test]
fn a_station_joins_the_strongest_and_is_deaf_and_silent_meanwhile() {
    let mut medium = cell(MediumConfig::new(Phy::B), &[0.0, 100.0], vec![fixed(70.0)]);
    // The frame waits while the station joins.
    send(&mut medium, at(0), 2, Receiver::Nobody, 7);
    let outcome = run(&mut medium, seconds(1.0));
    let since = at(1);
    let change = AssociationChange::Associated { to: station(1), since };
    let joined = at(1 + OUTAGE);
    let expected = AssociationEvent { at: joined, station: station(2), what: change };
    assert_eq!(outcome.associations, [expected]);
    let [(from, to, frame, when)] = outcome.received[..] else { panic!("{outcome:?}") };
    assert_eq!((from, to, frame), (2, 1, 7));
    assert!(when > joined && when < joined + Duration::from_millis(2), "{when:?}");
    assert_eq!(medium.access_point(station(2)), Some(station(1)));
}

#[test]
fn stations_hear_their_own_access_point_only() {
    let places = vec![fixed(20.0), fixed(30.0), fixed(90.0)];
    let mut medium = cell(MediumConfig::new(Phy::B), &[0.0, 100.0], places);
    run(&mut medium, seconds(1.0));
    send(&mut medium, seconds(1.0), 0, Receiver::All, 1);
    send(&mut medium, seconds(1.1), 1, Receiver::All, 2);
    // A station sends all frames to its access point, whoever they are for.
    send(&mut medium, seconds(1.2), 2, Receiver::Station(station(3)), 3);
    send(&mut medium, seconds(1.3), 2, Receiver::All, 4);
    let outcome = run(&mut medium, seconds(2.0));
    let got = outcome.received.iter().map(|(from, to, frame, _)| (*from, *to, *frame));
    let got: Vec<_> = got.collect();
    assert_eq!(got, [(0, 2, 1), (0, 3, 1), (1, 4, 2), (2, 0, 3), (2, 0, 4)]);
    // The receiver is not a station of that access point.
    let refused = medium.offer(
        seconds(2.0),
        station(1),
        Receiver::Station(station(2)),
        FrameInfo::single(114),
        5,
    );
    assert_eq!(refused.unwrap_err().reason, FrameLoss::Unassociated);
}

#[test]
fn a_station_that_passes_is_handed_over_at_the_scan_after_the_crossing() {
    // The path passes between access points 100 m apart, 10 m aside. 6 dB in free space are twice
    // the distance.
    let mut medium = cell(MediumConfig::new(Phy::B), &[0.0, 100.0], vec![going(10.0, 90.0, 10.0)]);
    let outcome = run(&mut medium, seconds(9.0));
    let [joined, changed] = outcome.associations[..] else { panic!("{outcome:?}") };
    assert!(matches!(joined.what, AssociationChange::Associated { .. }), "{joined:?}");
    // 10^(6/10) · ((100 − x)² + 100 + dz²) = x² + 100, where antennas are equally high.
    let crossing = {
        let ratio = 10f64.powf(0.6);
        let (a, b, c) = (ratio - 1.0, -200.0 * ratio, ratio * 10_100.0 - 100.0);
        let x = (-b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);
        (x - 10.0) / 10.0
    };
    let AssociationChange::HandedOver { from, to, since } = changed.what else {
        panic!("{changed:?}")
    };
    assert_eq!((from, to), (station(0), station(1)));
    let scans = (crossing * 1e9 / SCAN as f64).ceil() as u64;
    assert_eq!(since, at(scans * SCAN), "the crossing is at {crossing} s");
    assert_eq!(changed.at, since + Duration::from_nanos(OUTAGE));
}

#[test]
fn what_a_station_has_waits_while_it_is_handed_over_and_what_comes_for_it_is_lost() {
    let mut medium = cell(MediumConfig::new(Phy::B), &[0.0, 100.0], vec![going(10.0, 90.0, 10.0)]);
    let mut outcome = Outcome::default();
    // Traffic in both directions, every 10 ms. The wire sends to the access point that announced
    // the station last.
    for step in 100..900 {
        let now = at(step * 10_000_000);
        let more = run(&mut medium, now);
        outcome.received.extend(more.received);
        outcome.associations.extend(more.associations);
        send(&mut medium, now, 2, Receiver::Nobody, step);
        let last = outcome.associations.last().map(|event| event.what);
        let point = match last {
            Some(AssociationChange::HandedOver { to, .. }) => to,
            _ => station(0),
        };
        send(&mut medium, now, point.0, Receiver::Station(station(2)), step);
    }
    let more = run(&mut medium, seconds(10.0));
    outcome.received.extend(more.received);
    let Some(AssociationEvent { at: until, what, .. }) = outcome.associations.last().copied()
    else {
        panic!("nothing happened")
    };
    let AssociationChange::HandedOver { since, .. } = what else { panic!("{what:?}") };
    let got = |down: bool| -> Vec<u64> {
        let ours = outcome.received.iter().filter(|(from, ..)| (*from != 2) == down);
        ours.map(|(_, _, frame, _)| *frame).collect()
    };
    assert_eq!(got(false), (100..900).collect::<Vec<_>>());
    let is_lost = |step: &u64| (since..until).contains(&at(step * 10_000_000));
    let expected: Vec<u64> = (100..900).filter(|step| !is_lost(step)).collect();
    assert_eq!(got(true), expected, "deaf from {since:?} to {until:?}");
}

#[test]
fn a_station_that_hears_no_access_point_has_left_and_is_given_nothing() {
    let config = with(MediumConfig::new(Phy::B), r#"{"propagation":{"range":{"reach":"50m"}}}"#);
    let mut medium = cell(config, &[0.0], vec![going(0.0, 200.0, 20.0)]);
    let outcome = run(&mut medium, seconds(5.0));
    let [_, left] = outcome.associations[..] else { panic!("{outcome:?}") };
    // The station is out of reach after √(50² − 10²) m.
    let crossing = (50f64 * 50.0 - 100.0).sqrt() / 20.0;
    let scans = (crossing * 1e9 / SCAN as f64).ceil() as u64;
    let what = AssociationChange::Left { from: station(0) };
    assert_eq!(left, AssociationEvent { at: at(scans * SCAN), station: station(1), what });
    let refused =
        medium.offer(seconds(5.0), station(1), Receiver::Nobody, FrameInfo::single(114), 1);
    assert_eq!(refused.unwrap_err().reason, FrameLoss::Unassociated);
    // The station comes back, and its radio goes off and on.
    let back = netloom_medium::Movement::Place([0.0, 1.0, 0.0]);
    let change = MediumChange { movements: vec![(station(1), back)], ..MediumChange::default() };
    medium.change(seconds(6.0), &change).unwrap();
    let outcome = run(&mut medium, seconds(7.0));
    let joined = |since| AssociationChange::Associated { to: station(0), since };
    assert_eq!(outcome.associations[0].what, joined(seconds(6.1)));
    for (second, on) in [(7.0, false), (8.0, true)] {
        let on = StationProperties { on: Some(on), ..StationProperties::default() };
        let properties = vec![(station(1), on)];
        let change = MediumChange { properties, ..MediumChange::default() };
        medium.change(seconds(second), &change).unwrap();
    }
    let outcome = run(&mut medium, seconds(9.0));
    let [left, again] = outcome.associations[..] else { panic!("{outcome:?}") };
    assert_eq!((left.at, left.what), (seconds(7.0), what));
    assert_eq!(again.what, joined(seconds(8.0) + Duration::from_nanos(1)));
}

#[test]
fn beacons_cost_what_they_take_on_the_air() {
    let airtime = |properties| {
        let config = with(MediumConfig::new(Phy::B), properties);
        let mut medium = cell(config, &[0.0], vec![fixed(5.0)]);
        run(&mut medium, seconds(10.24) + Duration::from_millis(2));
        let counters = medium.counters(station(0)).unwrap().clone();
        assert_eq!((counters.offered.frames, counters.sent.frames, counters.attempts), (0, 0, 0));
        assert_eq!(medium.counters(station(1)).unwrap().received.frames, 0);
        counters.airtime
    };
    assert_eq!(airtime("{}"), 0);
    // 24 + 12 + 2 + 3 + 10 + 3 + 6 + 4 bytes at 1 Mbit/s, a hundred times.
    let one = 192_000 + 64 * 8 * 1000;
    assert_eq!(airtime(r#"{"beacons":"102.4ms"}"#), 100 * one);
}

#[test]
fn a_medium_whose_access_points_go_is_one_among_equals_again() {
    let mut medium = cell(MediumConfig::new(Phy::B), &[0.0], vec![fixed(5.0), fixed(10.0)]);
    run(&mut medium, seconds(1.0));
    medium.remove(seconds(1.0), station(0));
    send(&mut medium, seconds(1.1), 1, Receiver::Station(station(2)), 1);
    let outcome = run(&mut medium, seconds(2.0));
    assert_eq!(outcome.received[0].1, 2);
    assert!(!medium.has_access_points());
}
