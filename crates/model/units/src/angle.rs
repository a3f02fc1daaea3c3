//! Angles in whole millionths of a degree.

use std::fmt;
use std::str::FromStr;

use crate::decimal::Quantity;
use crate::{UnitError, text_quantity};

/// An angle in whole millionths of a degree, up to 360° in either direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Angle(i64);

/// Units in one degree.
const PARTS: u64 = 1_000_000;

const ANGLE: Quantity = Quantity {
    name: "angle",
    base: "millionths of a degree",
    example: "25deg",
    units: &[("deg", PARTS)],
    aliases: &[("°", "deg")],
    ambiguous: &[("rad", "angles are in `deg`: a radian is some `57.29578deg`")],
};

impl Angle {
    /// The angle 0°.
    pub const ZERO: Angle = Angle(0);

    /// Returns an angle of `degrees` whole degrees.
    pub const fn from_degrees(degrees: i16) -> Self {
        Self(degrees as i64 * PARTS as i64)
    }

    /// Returns the angle in degrees, as the nearest float.
    pub fn degrees(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }

    /// Returns the angle in radians, as the nearest float.
    pub fn radians(self) -> f64 {
        self.degrees().to_radians()
    }
}

impl FromStr for Angle {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (sign, amount) = match trimmed.strip_prefix('-') {
            Some(amount) => (-1, amount),
            None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        match ANGLE.parse(amount)? {
            amount if amount <= 360 * PARTS => Ok(Self(sign * amount as i64)),
            _ => Err(UnitError::OutOfRange {
                text: text.into(),
                range: "an angle is at most 360deg either way",
            }),
        }
    }
}

impl fmt::Display for Angle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}deg", self.degrees()))
    }
}

text_quantity!(
    Angle,
    "angle",
    r"^[-+]?[0-9]+(\.[0-9]+)? *(deg|°)$",
    "An angle in degrees.",
    "25deg"
);
