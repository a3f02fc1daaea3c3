//! Helpers of all tests: short notations for times, configurations and arrivals.

pub mod driven;
pub mod packet;
pub mod recount;
pub mod statistics;

use netloom_link::{Dscp, Frame, FrameInfo, Header, Pipe, PipeChange, PipeConfig, Stream};
use netloom_units::Time;

pub fn ns(nanos: u64) -> Time {
    Time::from_nanos(nanos)
}

pub fn ms(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// Parses a change from JSON, with the keys and values of a scenario.
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

/// Polls at every deadline until nothing is left. Returns (frame, release) in order.
pub fn drain(pipe: &mut Pipe<u64>) -> Vec<(u64, Time)> {
    let mut out = Vec::new();
    while let Some(deadline) = pipe.next_deadline() {
        while let Some(delivery) = pipe.poll(deadline) {
            out.push((delivery.frame, delivery.release));
        }
    }
    out
}

/// Returns the numbers of all frames that are due by `now`.
pub fn due(pipe: &mut Pipe<u64>, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| pipe.poll(now)).map(|delivery| delivery.frame).collect()
}

/// A frame that records what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    pub number: u64,
    pub flipped: Vec<u64>,
}

impl Noted {
    pub fn new(number: u64) -> Self {
        Self { number, flipped: Vec::new() }
    }
}

impl Frame for Noted {
    fn header(&self) -> Option<Header> {
        None
    }
    fn mark_congestion(&mut self) {}
    fn remark(&mut self, _: Dscp) {}
    fn flip_bits(&mut self, bits: &[u64]) {
        assert!(self.flipped.is_empty() && !bits.is_empty());
        self.flipped = bits.to_vec();
    }
    fn duplicate(&self) -> Self {
        self.clone()
    }
}

/// Sends frames numbered from 0 one after another through a pipe without rate and delay. Returns
/// for each frame whether it was lost.
pub fn losses(pipe: &mut Pipe<u64>, count: u64) -> Vec<bool> {
    let lost = |number| {
        let at = ns(number);
        pipe.offer(at, FrameInfo::single(100), number).unwrap();
        while pipe.poll_dropped().is_some() {}
        pipe.poll(at).is_none()
    };
    (0..count).map(lost).collect()
}
