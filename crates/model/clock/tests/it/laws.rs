//! The truth is inside of the bound, or an event recalls the answer: in 13 worlds, 1.5 million times.

use netloom_clock::Steering;
use netloom_units::Stream;

use crate::common::clock::{Change, Clock, SECOND, True};
use crate::common::judge::{Judgement, judged};
use crate::common::world::{World, exponential, jittery};

/// 1,000 s have 20,080 exchanges. Each is followed by 3 questions of each kind: 120,000 answers.
const UNTIL: True = 1000.0 * SECOND;
const EACH: u64 = 3;
/// Clocks are 100,000 s apart.
const APART: i64 = 100_000_000_000_000;

fn world(name: &str, ours: Vec<Change>, theirs: Vec<Change>) -> World {
    let ours = Clock::new(5_000_000_000, UNTIL, |_| 100e-6, ours);
    World::new(UNTIL, name, ours, Clock::new(APART, UNTIL, |_| -100e-6, theirs))
}

/// Judges `world`. Where nobody jumps, no jump may be found.
fn steady(name: &str, mut world: World) -> Judgement {
    let judgement = judged(&mut world, EACH);
    judgement.assert_true(name);
    assert!(judgement.answers >= 80_000, "{name}: {} answers", judgement.answers);
    assert_eq!(judgement.stepped, [], "{name}");
    judgement
}

/// Changes of rate at random times, each taken back after a random time that is longer than what is
/// between two reports.
fn slews(name: &str, most: f64, ppb: i32) -> Vec<Change> {
    let mut random = Stream::new(2, name);
    let (mut at, mut changes) = (2.0 * SECOND, Vec::new());
    while at < UNTIL {
        let ppb = if random.chance(0.5) { ppb } else { -ppb };
        changes.push(Change::rate(at, ppb));
        at += (0.1 + random.uniform() * most) * SECOND;
        changes.push(Change::rate(at, 0));
        at += (0.1 + random.uniform() * 40.0) * SECOND;
    }
    changes
}

#[test]
fn drift_of_100_ppm_in_opposite_directions() {
    let judgement = steady("drift", world("drift", vec![], vec![]));
    assert_eq!((judgement.steered, judgement.recalled), (0, 0));
}

#[test]
fn a_queue_on_one_way_only_that_grows_and_drains() {
    for from_us in [true, false] {
        let mut world = world("queue", vec![], vec![]);
        world.path = Box::new(move |random, at, way| {
            // It grows by 200 µs/s for 10 s, as a drift of 200 ppm would.
            let queue = if way == from_us { at % (20.0 * SECOND) / 5000.0 } else { 0.0 };
            50_000.0 + queue.min(4_000_000.0 - queue) + exponential(random, 10_000.0)
        });
        let judgement = steady("queue", world);
        assert_eq!((judgement.steered, judgement.recalled), (0, 0));
    }
}

#[test]
fn oscillators_that_wander_with_the_temperature() {
    // Both change by 2.5 ppm at most in 30 s, in opposite directions.
    let wave = |at: True| 20e-6 * (at / SECOND / 1600.0 * std::f64::consts::TAU).sin();
    let ours = Clock::new(0, UNTIL, move |at| 50e-6 + wave(at), vec![]);
    let theirs = Clock::new(APART, UNTIL, move |at| -50e-6 - wave(at), vec![]);
    let mut world = World::new(UNTIL, "temperature", ours, theirs);
    // What is known of the rate counts where nothing comes, and where exchanges say much.
    world.silent = 8.0 * SECOND;
    world.path = Box::new(|random, _, _| 1_000.0 + exponential(random, 500.0));
    let judgement = steady("temperature", world);
    assert_eq!((judgement.steered, judgement.recalled), (0, 0));
}

#[test]
fn slews_of_500_ppm() {
    let (ours, theirs) = (slews("ours", 20.0, 500_000), slews("theirs", 20.0, 500_000));
    let judgement = steady("500 ppm", world("500 ppm", ours, theirs));
    assert!(judgement.steered > 50 && judgement.recalled * 100 < judgement.answers);
}

#[test]
fn slews_of_83_333_ppm() {
    let (ours, theirs) = (slews("ours", 5.0, 83_333_000), slews("theirs", 5.0, 83_333_000));
    let judgement = steady("83,333 ppm", world("83,333 ppm", ours, theirs));
    assert!(judgement.steered > 50);
    // Answers are wrong between a change and the next exchange only: 50 of 1,000 ms at most.
    assert!((1..judgement.answers / 20).contains(&judgement.recalled), "{}", judgement.recalled);
}

#[test]
fn a_phase_locked_loop_that_slews_within_what_it_reports() {
    let mut random = Stream::new(3, "loop");
    let mut changes = Vec::new();
    for second in 2..1000 {
        let slew = exponential(&mut random, 20_000.0).min(400_000.0);
        let gains = (2.0 * random.uniform() - 1.0) * slew;
        let steering = Steering { rate: second % 7 * 100, slew: slew.ceil() as u32 };
        let gains = f64::from(steering.rate) + gains;
        changes.push(Change { at: f64::from(second) * SECOND, steering, gains, jump: 0.0 });
    }
    steady("loop", world("loop", vec![], changes));
}

#[test]
fn many_small_corrections_do_not_spoil_what_is_known_of_the_rate() {
    let mut random = Stream::new(4, "small");
    let corrected = |_| Change::rate(random.uniform() * UNTIL, random.below(200) as i32);
    let changes = (0..2000).map(corrected).collect();
    let judgement = steady("small", world("small", changes, vec![]));
    assert!(judgement.bounds[2000..].iter().all(|bound| *bound < 100_000));
}

#[test]
fn lost_probes_and_long_ways_that_overtake_each_other() {
    let mut world = world("lossy", slews("ours", 20.0, 500_000), vec![]);
    world.loss = 0.3;
    world.path = Box::new(|random, _, _| 60_000_000.0 + exponential(random, 30_000_000.0));
    steady("lossy", world);
}

/// The truth is at the very end of what exchanges allow.
#[test]
fn all_delay_is_on_one_way_while_kernels_steer() {
    for from_us in [true, false] {
        let (ours, theirs) = (slews("ours", 5.0, 83_333_000), slews("theirs", 20.0, 500_000));
        let mut world = world("one way", ours, theirs);
        world.path = Box::new(move |random, _, way| {
            if way == from_us { 100.0 } else { 60_000_000.0 + exponential(random, 100_000.0) }
        });
        world.late = 0.1;
        let judgement = steady("one way", world);
        assert!(judgement.recalled * 5 < judgement.answers, "{}", judgement.recalled);
    }
}

/// Jumps ahead of at least `least` ns, some 30 s apart.
fn jumps(name: &str, least: f64) -> Vec<Change> {
    let mut random = Stream::new(5, name);
    let (mut at, mut changes) = (20.0 * SECOND, Vec::new());
    while at < UNTIL - 40.0 * SECOND {
        let jump = least * 10f64.powf(4.0 * random.uniform());
        changes.push(Change { jump, ..Change::rate(at, 0) });
        at += (20.0 + random.uniform() * 20.0) * SECOND;
    }
    changes
}

#[test]
fn every_jump_is_known_when_exchanges_show_it() {
    let (ours, theirs) = (jumps("ours", 1e6), jumps("theirs", 1e6));
    let mut planted: Vec<True> = ours.iter().chain(&theirs).map(|change| change.at).collect();
    planted.sort_by(f64::total_cmp);
    let mut world = world("jumps", ours, theirs);
    let judgement = judged(&mut world, EACH);
    judgement.assert_true("jumps");
    for at in &planted {
        // Exchanges are 50 ms apart, and an exchange that takes less than 1 ms shows the jump.
        let is_known = |(since, known): &(i64, True)| {
            *since <= world.truth(*at).0 && (*at..*at + 0.2 * SECOND).contains(known)
        };
        assert!(judgement.stepped.iter().any(is_known), "jump at {at}");
    }
    assert!(judgement.stepped.len() <= planted.len(), "{:?}", judgement.stepped);
}

#[test]
fn everything_at_once() {
    let mut theirs = slews("theirs", 5.0, 83_333_000);
    theirs.extend(slews("again", 20.0, 500_000));
    let wave = |at: True| 20e-6 * (at / SECOND / 1600.0 * std::f64::consts::TAU).sin();
    let ours = Clock::new(APART, UNTIL, move |at| 80e-6 + wave(at), jumps("ours", 1e6));
    let theirs = Clock::new(0, UNTIL, move |at| -80e-6 - wave(at), theirs);
    let mut world = World::new(UNTIL, "all", ours, theirs);
    world.loss = 0.1;
    world.path = jittery(100_000.0);
    let judgement = judged(&mut world, EACH);
    judgement.assert_true("all");
    assert!(judgement.stepped.len() > 10 && judgement.steered > 50);
}
