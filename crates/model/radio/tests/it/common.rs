//! Helpers that the tests share.

use netloom_mobility::Point;
use netloom_radio::{Antenna, End, Propagation, Radio, RadioConfig, Surroundings};
use netloom_units::{Frequency, Time};

/// The first channel of 802.11b.
pub const CHANNEL_1: Frequency = Frequency::from_kilohertz(2_412_000);

/// Returns a station at a distance on the ground, with an antenna at 1.5 m.
pub fn end(station: u32, metres: f64) -> End<'static> {
    at(station, metres, 0.0)
}

/// Returns a station at a place on the ground, with an antenna at 1.5 m.
pub fn at(station: u32, x: f64, y: f64) -> End<'static> {
    End { station, at: Point::flat(x, y), height: 1.5, antenna: &Antenna::Omni }
}

/// Creates a channel with path loss and nothing else.
pub fn radio(frequency: Frequency, propagation: Propagation) -> Radio {
    made(&RadioConfig { frequency, propagation, ..RadioConfig::default() })
}

/// Creates a channel from a configuration that needs no files and no names.
pub fn made(config: &RadioConfig) -> Radio {
    config.check().unwrap();
    Radio::new(config, &Surroundings::default()).unwrap()
}

/// Returns the loss over a distance.
pub fn loss(radio: &Radio, metres: f64) -> f64 {
    radio.loss(Time::ZERO, &end(0, 0.0), &end(1, metres)).unwrap()
}

/// Asserts that two values are nearly equal.
pub fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, not {expected}");
}

/// Parses a configuration.
pub fn config(json: &str) -> RadioConfig {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}
