//! Bit errors of DSSS and CCK (IEEE 802.11-2007 clauses 15 and 18). The formulas are those of
//! Pursley & Taipale 1987 and of Proakis. A channel is 22 MHz wide. The code has 11 million chips a
//! second, and each chip is treated as a bit at 11 Mbit/s.

use std::f64::consts::{PI, SQRT_2};
use std::sync::OnceLock;

/// Returns the probability of a wrong bit with DBPSK at 1 Mbit/s: ½e^(−22γ).
pub(super) fn dbpsk(sinr: f64) -> f64 {
    0.5 * libm::exp(-22.0 * sinr)
}

/// Returns the probability of a wrong bit with DQPSK at 2 Mbit/s, at most ½.
pub(super) fn dqpsk(sinr: f64) -> f64 {
    // Energy of a bit, divided by the density of noise.
    let ratio = 11.0 * sinr;
    if ratio <= 0.0 {
        return 0.5;
    }
    let factor = (SQRT_2 + 1.0) / libm::sqrt(8.0 * PI * SQRT_2);
    (factor / libm::sqrt(ratio) * libm::exp(-(2.0 - SQRT_2) * ratio)).min(0.5)
}

/// Returns the logarithm of the probability that a bit survives at 5.5 Mbit/s. A symbol has four
/// bits.
pub(super) fn cck5(sinr: f64) -> f64 {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let exact = |sinr: f64| libm::log1p(-wrong_symbol(sinr * 8.0)) / 4.0;
    TABLE.get_or_init(|| Table::new(exact)).value(sinr)
}

/// Returns the logarithm of the probability that a bit survives at 11 Mbit/s. A symbol of eight
/// bits is treated as two symbols of four bits, each with half the energy.
pub(super) fn cck11(sinr: f64) -> f64 {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let exact = |sinr: f64| libm::log1p(-wrong_symbol(sinr * 4.0)) * 2.0 / 8.0;
    TABLE.get_or_init(|| Table::new(exact)).value(sinr)
}

/// Returns the probability that one of 16 biorthogonal symbols is decoded as another one. `ratio`
/// is a symbol's energy, divided by the density of noise. The probability is 1 − (1/√2π) ∫ (2Φ(x+b)
/// − 1)⁷ e^(−x²/2) dx from −b on, with b = √(2·ratio).
fn wrong_symbol(ratio: f64) -> f64 {
    // The integrand is smooth and vanishes at both ends. For such functions the trapezoidal rule
    // converges fast.
    const STEPS: u32 = 400;
    const END: f64 = 9.0;
    let b = libm::sqrt(2.0 * ratio);
    let step = (END + b) / f64::from(STEPS);
    let sum: f64 = (1..STEPS)
        .map(|index| {
            let x = f64::from(index) * step - b;
            // 2Φ(y) − 1 = erf(y/√2)
            let within = libm::erf((x + b) / SQRT_2);
            let square = within * within;
            square * square * square * within * libm::exp(-x * x / 2.0)
        })
        .sum();
    (1.0 - sum * step / libm::sqrt(2.0 * PI)).clamp(0.0, 1.0)
}

/// A function of the ratio in dB. It is computed at evenly spaced points and is linear between
/// them.
struct Table(Vec<f64>);

impl Table {
    /// The first point, in dB.
    const FIRST: f64 = -20.0;
    /// Number of points in one dB.
    const DENSITY: f64 = 20.0;
    /// Number of points. They reach up to +20 dB.
    const POINTS: u32 = 801;

    fn new(function: impl Fn(f64) -> f64) -> Self {
        let ratio = |index: u32| crate::milliwatts(Self::FIRST + f64::from(index) / Self::DENSITY);
        Self((0..Self::POINTS).map(|index| function(ratio(index))).collect())
    }

    fn value(&self, ratio: f64) -> f64 {
        let place = (crate::dbm(ratio) - Self::FIRST) * Self::DENSITY;
        if place <= 0.0 {
            return self.0[0];
        }
        let index = place as usize;
        match (self.0.get(index), self.0.get(index + 1)) {
            (Some(low), Some(high)) => low + (high - low) * (place - index as f64),
            _ => 0.0,
        }
    }
}
