//! Code that the tests share: the network, and hand-made segments.

pub mod network;

use netloom_units::{Duration, Time};

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at_ms(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}
