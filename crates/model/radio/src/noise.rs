//! Conversion between dBm and milliwatts, and the power of noise.

use netloom_units::{Frequency, Gain};

/// Power density of thermal noise at 290 K, in dBm/Hz, rounded as in textbooks.
const THERMAL: f64 = -174.0;

/// Returns the power of noise in a channel, in dBm: −174 + 10·log₁₀(B/Hz) + noise figure.
pub fn noise_floor(bandwidth: Frequency, figure: Gain) -> f64 {
    THERMAL + 10.0 * libm::log10(bandwidth.hertz() as f64) + figure.decibels()
}

/// Converts dBm to mW, and so also a ratio in dB to a plain ratio.
pub fn milliwatts(dbm: f64) -> f64 {
    libm::pow(10.0, dbm / 10.0)
}

/// Converts mW to dBm, and so also a plain ratio to one in dB. Returns −∞ for 0.
pub fn dbm(milliwatts: f64) -> f64 {
    10.0 * libm::log10(milliwatts)
}
