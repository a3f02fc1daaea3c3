//! The bound is useful: how wide it is, after how many exchanges, on a path of 100 µs there and
//! back.

use netloom_clock::{Config, Estimator, Interval};

use crate::common::clock::{Clock, SECOND};
use crate::common::judge::{judged, percentile};
use crate::common::world::World;

fn world(seconds: f64) -> World {
    let until = seconds * SECOND;
    let ours = Clock::new(0, until, |_| 100e-6, vec![]);
    World::new(until, "bound", ours, Clock::new(7_000_000_000, until, |_| -100e-6, vec![]))
}

/// Returns what is known right after so many exchanges, and the truth then.
fn after(exchanges: usize) -> (Interval, i64) {
    let mut world = world(120.0);
    let mut estimator = Estimator::new(Config::default());
    let probes = world.probes();
    for probe in &probes[..exchanges] {
        estimator.add(probe.exchange, probe.ours, probe.theirs).unwrap();
    }
    let (ours, truth) = world.truth(probes[exchanges - 1].given);
    (estimator.offset(ours).unwrap(), truth)
}

/// No exchange can say how 100 µs are divided between there and back: half of that is the least
/// bound. Queues with a mean of 20 µs on each way, and the drift, add little.
#[test]
fn it_comes_near_half_of_the_least_round_trip() {
    for (exchanges, most) in [(64, 60_000), (256, 56_000), (2000, 56_000)] {
        let (interval, truth) = after(exchanges);
        println!("{exchanges} exchanges: {interval:?}, truth {truth}");
        assert!((50_000..=most).contains(&interval.bound), "{exchanges}: {interval:?}");
        assert!(interval.middle.abs_diff(truth) <= 10_000, "{exchanges}: {interval:?}, {truth}");
    }
}

#[test]
fn it_stays_there() {
    let judgement = judged(&mut world(300.0), 2);
    let settled = judgement.bounds.len() / 10;
    let bounds = [0.5, 0.99, 1.0].map(|part| percentile(&judgement.bounds[settled..], part));
    let error = percentile(&judgement.errors[settled..], 0.99);
    println!("bounds p50, p99, greatest {bounds:?} ns, p99 of errors {error} ns");
    assert!(bounds[0] <= 56_000 && bounds[2] <= 70_000, "{bounds:?} ns");
    assert!(error <= 6_000, "{error} ns");
}

/// A path that takes 1 ms out and 3 ms back: the middle is wrong by 1 ms, and the bound says so.
#[test]
fn it_holds_whatever_the_two_ways_take() {
    let mut world = world(30.0);
    world.path = Box::new(|_, _, from_us| if from_us { 1e6 } else { 3e6 });
    let judgement = judged(&mut world, 2);
    judgement.assert_true("asymmetric");
    let last = judgement.bounds.len() - 1;
    assert!((1_990_000..2_050_000).contains(&judgement.bounds[last]));
    assert!((990_000..1_010_000).contains(&judgement.errors[last]));
}

#[test]
fn it_grows_while_nothing_comes() {
    let (mut world, mut estimator) = (world(30.0), Estimator::new(Config::default()));
    for probe in &world.probes() {
        estimator.add(probe.exchange, probe.ours, probe.theirs).unwrap();
    }
    let line = estimator.line().unwrap();
    let bounds = [0, 1, 10].map(|seconds| line.offset(line.at + seconds * 1_000_000_000).bound);
    // 5 ppm of wander, and what is not known of the rate.
    assert!((5_000..20_000).contains(&(bounds[1] - bounds[0])), "{bounds:?}");
    assert!((50_000..200_000).contains(&(bounds[2] - bounds[0])), "{bounds:?}");
}

/// A time of m2 in the clock of m3, by what m1 knows of both.
#[test]
fn bounds_of_a_way_over_a_third_clock_add_up() {
    let lines = [1, 2].map(|name| {
        let mut world = world(20.0 + f64::from(name));
        let mut estimator = Estimator::new(Config::default());
        for probe in &world.probes() {
            estimator.add(probe.exchange, probe.ours, probe.theirs).unwrap();
        }
        estimator.line().unwrap()
    });
    let ours = lines[0].at + 1_000_000;
    let m2 = lines[0].to_theirs(ours).time;
    let (once, twice) = (lines[0].to_ours(m2), lines[1].to_theirs(lines[0].to_ours(m2)));
    assert!(once.time.abs_diff(ours) <= 1);
    let alone = lines[1].to_theirs(once.time).bound;
    assert!(twice.bound.abs_diff(once.bound + alone) <= 30, "{twice:?}, {once:?}, {alone}");
    let offset = lines[1].offset(ours) + -lines[0].offset(ours);
    assert_eq!(offset.bound, lines[0].offset(ours).bound + lines[1].offset(ours).bound);
}
