//! Code that the tests share: a network of bridges in virtual time, random networks, and a legacy
//! bridge.

pub mod legacy;
pub mod network;
pub mod plan;

use netloom_spanning_tree::{BridgeId, PathCost, Priority};
use netloom_units::{Duration, Time};
use proptest::test_runner::{Config, RngSeed};

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub fn at(millis: u64) -> Time {
    Time::ZERO + ms(millis)
}

pub fn cost(number: u32) -> PathCost {
    PathCost::try_from(number).unwrap()
}

/// Returns the identifier with this priority and an address that ends with `number`.
pub fn id(priority: u16, number: u8) -> BridgeId {
    BridgeId::new(Priority::try_from(priority).unwrap(), [2, 0, 0, 0, 0, number])
}

/// Returns a configuration that runs the same cases each time.
pub fn cases(cases: u32) -> Config {
    Config { rng_seed: RngSeed::Fixed(17), failure_persistence: None, ..Config::with_cases(cases) }
}
