//! Queueing laws that hold on average. Seeds are fixed, so a result never changes from run to run.
//! A correct model exceeds the bounds for one in a hundred seeds.

use crate::common::statistics::assert_mean;
use crate::common::{config, ns};
use netloom_link::{FrameInfo, Pipe, Stream};
use netloom_units::Time;

/// Mean service time: 1 ms.
const SERVICE_NS: f64 = 1e6;

/// Returns the waiting times in ns of a million frames that arrive as a Poisson process at `load`.
/// The line sends a byte per nanosecond, so `bytes` is also the service time in ns.
fn waits(load: f64, seed: u64, mut bytes: impl FnMut(&mut Stream) -> f64) -> Vec<f64> {
    let text = r#"{"rate":"8Gbit/s","framing":"none","queue":{"limit":"1000000packets"}}"#;
    let mut pipe = Pipe::new(config(text), Stream::new(seed, "unused"), Time::ZERO);
    let mut draws = Stream::new(seed, "arrivals");
    let (mut clock, mut waits) = (0.0, Vec::with_capacity(1_000_000));
    while waits.len() < 1_000_000 {
        clock += exponential(&mut draws) * SERVICE_NS / load;
        let now = ns(clock as u64);
        while let Some(delivery) = pipe.poll(now) {
            let passage = delivery.passage;
            waits.push(passage.started.since(passage.offered).as_nanos() as f64);
        }
        let bytes = bytes(&mut draws).ceil() as u32;
        pipe.offer(now, FrameInfo::single(bytes), 0u32).unwrap();
    }
    waits
}

fn exponential(draws: &mut Stream) -> f64 {
    -libm::log(1.0 - draws.uniform())
}

/// M/D/1: mean wait ρ·S / 2(1 − ρ) (Pollaczek 1930, Khinchine 1932).
#[test]
fn m_d_1_mean_wait_is_inside_the_99_percent_interval() {
    for (load, seed) in [(0.5, 1), (0.8, 2)] {
        let expected = load * SERVICE_NS / (2.0 * (1.0 - load));
        let waits = waits(load, seed, |_| SERVICE_NS);
        assert_mean(&waits, expected, 0.05 * expected, &format!("ρ = {load}"));
    }
}

/// M/M/1: mean wait ρ·S / (1 − ρ). Lengths are whole bytes, a millionth of the mean.
#[test]
fn m_m_1_mean_wait_is_inside_the_99_percent_interval() {
    for (load, seed) in [(0.5, 1), (0.8, 2)] {
        let expected = load * SERVICE_NS / (1.0 - load);
        let waits = waits(load, seed, |draws| exponential(draws) * SERVICE_NS);
        assert_mean(&waits, expected, 0.08 * expected, &format!("ρ = {load}"));
    }
}
