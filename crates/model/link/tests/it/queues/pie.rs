//! PIE (RFC 8033). The steps of the controller are tested in its module; this file tests their
//! effects.

use netloom_link::{DropReason, Stream};
use netloom_units::Duration;

use crate::common::packet::{Arrival, Outcome, every, queue_pipe, run};
use crate::common::{ms, ns};

const PIE: &str = r#"{"discipline":"pie","limit":"100000packets"}"#;

/// Returns frames of 1 ms that arrive as a Poisson process at `load` times the line's rate.
fn poisson(load: f64, seconds: f64) -> Vec<Arrival> {
    let mut stream = Stream::new(5, "arrivals");
    let mut clock = 0.0;
    let step = || {
        clock += -libm::log(1.0 - stream.uniform()) * 1e6 / load;
        (clock < seconds * 1e9).then(|| Arrival::new(ns(clock as u64), 0, 1000))
    };
    std::iter::from_fn(step).collect()
}

fn mean_wait_ms(outcome: &Outcome, from_seconds: u64) -> f64 {
    let settled = outcome.delivered.iter().filter(|d| d.offered >= ms(1000 * from_seconds));
    let waits: Vec<_> = settled.map(|d| d.wait().as_millis_f64()).collect();
    waits.iter().sum::<f64>() / waits.len() as f64
}

/// Section 4.2: the controller keeps the delay at its target. While the probability is not at a
/// bound, its steps add up to α·Σ(delay - target), so the mean delay at the steps is the target.
/// The mean over frames differs, because bursts are not spread evenly over steps. The tolerance of
/// 10 % is ten times the difference between halves of the run.
#[test]
fn the_delay_is_held_at_the_target() {
    for (load, target) in [(1.1, 15), (1.5, 15), (1.5, 40)] {
        let queue = format!(
            r#"{{"discipline":{{"pie":{{"target":"{target}ms"}}}},"limit":"100000packets"}}"#
        );
        let outcome = run(&mut queue_pipe(&queue), poisson(load, 300.0));
        let mean = mean_wait_ms(&outcome, 50);
        let target = target as f64;
        assert!((mean - target).abs() < 0.1 * target, "load {load}: {mean} ms, not {target}");
        assert!(outcome.statistics.load > 0.99, "{}", outcome.statistics.load);
    }
}

/// Section 4.3: a burst after a calm period passes for `max_burst`, minus the step within which it
/// may begin. Then drops follow.
#[test]
fn nothing_is_dropped_within_the_burst_allowance() {
    for max_burst in [60, 150, 300] {
        let queue = format!(
            r#"{{"discipline":{{"pie":{{"max_burst":"{max_burst}ms"}}}},"limit":"100000packets"}}"#
        );
        let burst = every(Duration::from_micros(250), ms(1000), 4000, 0, 1000);
        let outcome = run(&mut queue_pipe(&queue), burst);
        let first = outcome.lost_to(DropReason::Aqm)[0].at;
        let allowed = first.since(ms(1000));
        assert!(allowed >= Duration::from_millis(max_burst - 15), "{allowed} of {max_burst}ms");
        assert!(allowed < Duration::from_millis(max_burst + 150), "{allowed} of {max_burst}ms");
    }
}

/// Section 4.1: below half the target nothing is dropped, at any load for which the delay stays
/// there.
#[test]
fn light_load_meets_no_drops() {
    let outcome = run(&mut queue_pipe(PIE), poisson(0.7, 100.0));
    assert!(outcome.lost.is_empty() && outcome.delivered.len() > 60_000);
}
