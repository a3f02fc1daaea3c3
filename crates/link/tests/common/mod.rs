//! What the tests share: short ways to say times, configurations and arrivals.
#![allow(dead_code)]

use netloom_link::{FrameInfo, Pipe, PipeChange, PipeConfig, Stream};
use netloom_units::Time;

pub fn ns(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

pub fn ms(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// A configuration from `key: value` pairs, as a scenario would say them.
pub fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).expect("a valid change")
}

pub fn config(text: &str) -> PipeConfig {
    let mut config = PipeConfig::default();
    change(text).apply_to(&mut config);
    config
}

pub fn pipe(text: &str) -> Pipe<u64> {
    Pipe::new(config(text), Stream::new(1, "test/forward"), Time::ZERO)
}

/// Offers `count` frames of `bytes` at `at`, numbered from `first`.
pub fn burst(pipe: &mut Pipe<u64>, at: Time, first: u64, count: u64, bytes: u32) {
    for number in first..first + count {
        let _ = pipe.offer(at, FrameInfo::single(bytes), number);
    }
}

/// Polls at every deadline until nothing is left; (frame, release) in order.
pub fn drain(pipe: &mut Pipe<u64>) -> Vec<(u64, Time)> {
    let mut out = Vec::new();
    while let Some(deadline) = pipe.next_deadline() {
        while let Some(delivery) = pipe.poll(deadline) {
            out.push((delivery.frame, delivery.release));
        }
    }
    out
}

/// Everything due by `now`, numbers only.
pub fn due(pipe: &mut Pipe<u64>, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| pipe.poll(now)).map(|delivery| delivery.frame).collect()
}

pub mod packet;
