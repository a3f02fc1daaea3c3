//! Lengths, and coordinates, which are lengths with a sign. Both are in whole micrometres.

use std::fmt;
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{UnitError, text_quantity};

/// A length in whole micrometres, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Length(u64);

/// A coordinate in whole micrometres: a length with a sign, up to 10⁹ m in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Coordinate(i64);

const LENGTH: Quantity = Quantity {
    name: "length",
    base: "micrometres",
    example: "250m",
    units: &[("km", 1_000_000_000), ("m", 1_000_000), ("cm", 10_000), ("mm", 1000), ("um", 1)],
    aliases: &[("µm", "um"), ("μm", "um")],
    ambiguous: &[
        ("ft", "a foot is `0.3048m`"),
        ("mi", "a mile is `1609.344m`"),
        ("M", "did you mean `m`?"),
        ("meters", "write `m`"),
        ("metres", "write `m`"),
    ],
};

/// Largest coordinate: 10⁹ m, so that a float of metres resolves a fraction of a micrometre.
const FARTHEST: u64 = 1_000_000_000_000_000;

impl Length {
    /// The length 0.
    pub const ZERO: Length = Length(0);

    /// Returns a length of `micrometres` µm.
    pub const fn from_micrometres(micrometres: u64) -> Self {
        Self(micrometres)
    }

    /// Returns a length of `metres` m.
    pub const fn from_metres(metres: u64) -> Self {
        Self(metres * 1_000_000)
    }

    /// Returns the length in micrometres.
    pub const fn as_micrometres(self) -> u64 {
        self.0
    }

    /// Returns the length in metres, as the nearest float.
    pub fn metres(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl FromStr for Length {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        LENGTH.parse(text).map(Self)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&LENGTH.print(self.0))
    }
}

text_quantity!(
    Length,
    "length",
    r"^[0-9]+(\.[0-9]+)? *(um|µm|mm|cm|m|km)$",
    "A length with its unit: um, mm, cm, m or km.",
    "250m"
);

impl Coordinate {
    /// The origin.
    pub const ZERO: Coordinate = Coordinate(0);

    /// Returns the coordinate `micrometres` µm. `None` beyond 10⁹ m.
    pub const fn from_micrometres(micrometres: i64) -> Option<Self> {
        if micrometres.unsigned_abs() > FARTHEST { None } else { Some(Self(micrometres)) }
    }

    /// Returns the coordinate in micrometres.
    pub const fn as_micrometres(self) -> i64 {
        self.0
    }

    /// Returns the coordinate in metres, as the nearest float.
    pub fn metres(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl FromStr for Coordinate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (sign, length) = match trimmed.strip_prefix('-') {
            Some(length) => (-1, length),
            None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let length = LENGTH.parse(length)?;
        i64::try_from(length).ok().and_then(|length| Self::from_micrometres(sign * length)).ok_or(
            UnitError::OutOfRange {
                text: text.into(),
                range: "a coordinate is at most 1000000km either way",
            },
        )
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        f.pad(&format!("{sign}{}", Length(self.0.unsigned_abs())))
    }
}

text_quantity!(
    Coordinate,
    "coordinate",
    r"^[-+]?[0-9]+(\.[0-9]+)? *(um|µm|mm|cm|m|km)$",
    "A length with a sign and its unit, like `-12.5m`.",
    "12.5m"
);
