//! Speeds in whole micrometres per second.

use std::fmt;
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{UnitError, text_quantity};

/// A speed in whole µm/s, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Speed(u64);

const SPEED: Quantity = Quantity {
    name: "speed",
    base: "um/s",
    example: "5m/s",
    units: &[("km/s", 1_000_000_000), ("m/s", 1_000_000), ("mm/s", 1000), ("um/s", 1)],
    aliases: &[("µm/s", "um/s"), ("μm/s", "um/s")],
    ambiguous: &[
        ("km/h", "3.6 km/h are `1m/s`, 50 km/h some `13.889m/s`"),
        ("kmh", "3.6 km/h are `1m/s`, 50 km/h some `13.889m/s`"),
        ("mph", "a mile an hour is `0.44704m/s`"),
        ("kn", "a knot is some `0.514444m/s`"),
        ("ft/s", "a foot a second is `0.3048m/s`"),
        ("m", "a speed is a length a second: write `m/s`"),
    ],
};

impl Speed {
    /// The speed 0.
    pub const ZERO: Speed = Speed(0);

    /// Returns a speed of `micrometres` µm/s.
    pub const fn from_micrometres_per_second(micrometres: u64) -> Self {
        Self(micrometres)
    }

    /// Returns the speed in µm/s.
    pub const fn micrometres_per_second(self) -> u64 {
        self.0
    }

    /// Returns the speed in m/s, as the nearest float.
    pub fn metres_per_second(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl FromStr for Speed {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        SPEED.parse(text).map(Self)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&SPEED.print(self.0))
    }
}

text_quantity!(
    Speed,
    "speed",
    r"^[0-9]+(\.[0-9]+)? *(um/s|µm/s|mm/s|m/s|km/s)$",
    "A speed with its unit: um/s, mm/s, m/s or km/s.",
    "5m/s"
);
