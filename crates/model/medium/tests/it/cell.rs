//! Saturated stations in sight of each other.

use crate::support::{close, config, mean, medium, saturated, throughput};
use netloom_medium::Phy;
use netloom_medium::arm::Trial;

/// Mbit/s that `n` stations send to one more.
fn cell(phy: Phy, rate: &str, n: u32, rts: bool, seed: u64, seconds: u64) -> f64 {
    let medium = medium(config(phy, rate, rts), &vec![(0.0, 0.0); n as usize + 1], seed);
    let flows = (0..n).map(|from| saturated(from, n, 1500)).collect();
    throughput(&mut Trial::new(medium, flows), seconds)
}

/// What the reference machine has for 1, 2, 5, 10, 20 and 50 stations.
fn compare(phy: Phy, rate: &str, rts: bool, machine: [f64; 6], seeds: u64, seconds: u64) {
    for (n, expected) in [1, 2, 5, 10, 20, 50].into_iter().zip(machine) {
        let measured = mean(seeds, |seed| cell(phy, rate, n, rts, seed, seconds));
        close(&format!("{phy}, {n} stations, RTS {rts}"), measured, expected, 0.015);
    }
}

#[test]
fn b_without_requests() {
    compare(Phy::B, "11Mbit/s", false, [6.22, 6.50, 6.33, 5.96, 5.49, 4.74], 5, 20);
}

#[test]
fn b_with_requests() {
    compare(Phy::B, "11Mbit/s", true, [4.86, 5.10, 5.16, 5.11, 4.99, 4.73], 5, 20);
}

#[test]
fn a_without_requests() {
    compare(Phy::A, "54Mbit/s", false, [30.48, 30.80, 28.92, 26.98, 24.70, 21.10], 5, 10);
}

#[test]
fn a_with_requests() {
    compare(Phy::A, "54Mbit/s", true, [24.91, 25.88, 25.85, 25.44, 24.76, 23.35], 5, 10);
}
