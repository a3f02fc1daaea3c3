//! What is sampled when.

use netloom_course::{Due, Schedule};
use netloom_scenario::Measure;
use netloom_units::{Duration, Time};

const AT: fn(u64) -> Time = |millis| Time::ZERO + Duration::from_millis(millis);

fn measure(pipes: u64, flows: u64) -> Measure {
    Measure {
        interval: Duration::from_millis(pipes),
        flows: Some(Duration::from_millis(flows)),
        capture: Vec::new(),
        frames: Vec::new(),
        air: Vec::new(),
        observations: false,
    }
}

#[test]
fn each_is_due_at_the_multiples_of_its_interval() {
    let mut schedule = Schedule::new(&measure(100, 250), true);
    let mut seen = Vec::new();
    while schedule.next() <= AT(500) {
        let now = schedule.next();
        let Due { pipes, flows, air } = schedule.due(now);
        seen.push((now.as_nanos() / 1_000_000, pipes, flows, air));
    }
    let (yes, no) = (true, false);
    let expected = [
        (100, yes, no, no),
        (200, yes, no, no),
        (250, no, yes, no),
        (300, yes, no, no),
        (400, yes, no, no),
        (500, yes, yes, no),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn what_was_missed_is_due_once() {
    let mut schedule = Schedule::new(&measure(100, 100), true);
    assert_eq!(schedule.due(AT(490)), Due { pipes: true, flows: true, air: false });
    assert_eq!(schedule.next(), AT(500));
}

#[test]
fn the_last_look_is_at_what_was_not_due_then() {
    let mut schedule = Schedule::new(&measure(100, 250), true);
    schedule.due(AT(300));
    assert_eq!(schedule.rest(AT(300)), Due { pipes: false, flows: true, air: false });
    assert_eq!(schedule.rest(AT(310)), Due { pipes: true, flows: true, air: false });
}

#[test]
fn air_logs_are_looked_at_each_second_at_least() {
    let measure = Measure { air: vec!["m".into()], ..measure(10_000, 10_000) };
    assert_eq!(Schedule::new(&measure, true).next(), AT(1000));
}

#[test]
fn nobody_waits_for_flows_that_nobody_sends() {
    let mut schedule = Schedule::new(&measure(1000, 10), false);
    assert_eq!(schedule.next(), AT(1000));
    assert_eq!(schedule.due(AT(1000)), Due { pipes: true, flows: false, air: false });
}
