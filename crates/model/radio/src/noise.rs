//! Powers as dBm and as milliwatts, and the power of noise.

use netloom_units::{Frequency, Gain};

/// The power density of thermal noise at 290 K, in dBm/Hz, as textbooks round it.
const THERMAL: f64 = -174.0;

/// The power of noise in a channel, in dBm: −174 + 10·log₁₀(B/Hz) + noise figure.
pub fn noise_floor(bandwidth: Frequency, figure: Gain) -> f64 {
    THERMAL + 10.0 * libm::log10(bandwidth.hertz() as f64) + figure.decibels()
}

/// `dbm` dBm in mW. A ratio in dB becomes a plain ratio.
pub fn milliwatts(dbm: f64) -> f64 {
    libm::pow(10.0, dbm / 10.0)
}

/// `milliwatts` mW in dBm; −∞ for no power. A plain ratio becomes one in dB.
pub fn dbm(milliwatts: f64) -> f64 {
    10.0 * libm::log10(milliwatts)
}
