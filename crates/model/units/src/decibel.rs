//! Quantities on a logarithmic scale: gains and losses in dB, attenuations in dB/m, powers in dBm.
//! All are in whole millionths.

use std::fmt;
use std::str::FromStr;

use crate::decimal::{Quantity, split};
use crate::{UnitError, text_quantity};

/// Units in one decibel.
const PARTS: u64 = 1_000_000;

/// Largest amount: 1000 dB in either direction.
const MOST: u64 = 1000 * PARTS;

/// A gain in whole millionths of a dB, of either sign. For an antenna it is in dBi.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Gain(i64);

/// A loss in whole millionths of a dB, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Loss(u64);

/// A loss per metre of the path, in whole millionths of a dB/m, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Attenuation(u64);

/// A power in whole millionths of a dBm (dB above 1 mW).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Power(i64);

const GAIN: Quantity = Quantity {
    name: "gain",
    base: "millionths of a dB",
    example: "3dB",
    units: &[("dB", PARTS)],
    aliases: &[("dBi", "dB")],
    ambiguous: &[
        ("dBd", "a gain of 0 dBd is `2.15dBi`"),
        ("dBm", "a gain is in `dB`; powers are in `dBm`"),
    ],
};

const LOSS: Quantity = Quantity {
    name: "loss",
    base: "millionths of a dB",
    example: "9dB",
    units: &[("dB", PARTS)],
    aliases: &[],
    ambiguous: &[("dBm", "a loss is in `dB`; powers are in `dBm`")],
};

const ATTENUATION: Quantity = Quantity {
    name: "attenuation",
    base: "millionths of a dB/m",
    example: "0.4dB/m",
    units: &[("dB/m", PARTS)],
    aliases: &[],
    ambiguous: &[
        ("dB", "an attenuation is a loss for each metre: write `dB/m`"),
        ("dB/km", "1000 dB/km are `1dB/m`"),
    ],
};

const POWER: Quantity = Quantity {
    name: "power",
    base: "millionths of a dBm",
    example: "16dBm",
    units: &[("dBm", PARTS)],
    aliases: &[],
    ambiguous: &[("dB", "a power is in `dBm`; gains and losses are in `dB`")],
};

/// Units of power that are not on the logarithmic scale, in milliwatts.
const WATTS: &[(&str, f64)] =
    &[("kW", 1e6), ("W", 1e3), ("mW", 1.0), ("uW", 1e-3), ("µW", 1e-3), ("nW", 1e-6), ("pW", 1e-9)];

impl Gain {
    /// Neither gain nor loss.
    pub const ZERO: Gain = Gain(0);

    /// Returns a gain of `millionths` of a dB.
    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    /// Returns the gain in dB, as the nearest float.
    pub fn decibels(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }
}

impl Loss {
    /// No loss.
    pub const ZERO: Loss = Loss(0);

    /// Returns a loss of `millionths` of a dB.
    pub const fn from_millionths(millionths: u64) -> Self {
        Self(millionths)
    }

    /// Returns the loss in dB, as the nearest float.
    pub fn decibels(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }
}

impl Attenuation {
    /// No loss.
    pub const ZERO: Attenuation = Attenuation(0);

    /// Returns an attenuation of `millionths` of a dB/m.
    pub const fn from_millionths(millionths: u64) -> Self {
        Self(millionths)
    }

    /// Returns the attenuation in dB/m, as the nearest float.
    pub fn decibels_per_metre(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }
}

impl Power {
    /// Returns a power of `millionths` of a dBm.
    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    /// Returns the power in dBm, as the nearest float.
    pub fn dbm(self) -> f64 {
        self.0 as f64 / PARTS as f64
    }
}

/// Parses a number with a sign.
fn signed(quantity: &Quantity, text: &str) -> Result<i64, UnitError> {
    let trimmed = text.trim();
    let (sign, amount) = match trimmed.strip_prefix('-') {
        Some(amount) => (-1, amount),
        None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let amount = limited(quantity.parse(amount)?, text)?;
    // The amount is at most 10⁹.
    Ok(sign * amount as i64)
}

fn limited(amount: u64, text: &str) -> Result<u64, UnitError> {
    if amount <= MOST {
        return Ok(amount);
    }
    Err(UnitError::OutOfRange { text: text.into(), range: "at most 1000 dB either way" })
}

/// Returns `millionths` as a decimal with as many places as it needs.
fn decimal(millionths: u64) -> String {
    let (whole, rest) = (millionths / PARTS, millionths % PARTS);
    match rest {
        0 => whole.to_string(),
        rest => format!("{whole}.{rest:06}").trim_end_matches('0').to_string(),
    }
}

fn signed_decimal(millionths: i64) -> String {
    let sign = if millionths < 0 { "-" } else { "" };
    format!("{sign}{}", decimal(millionths.unsigned_abs()))
}

impl FromStr for Gain {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        signed(&GAIN, text).map(Self)
    }
}

impl FromStr for Loss {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        limited(LOSS.parse(text)?, text).map(Self)
    }
}

impl FromStr for Attenuation {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        limited(ATTENUATION.parse(text)?, text).map(Self)
    }
}

impl FromStr for Power {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let trimmed = text.trim();
        let (number, unit) = split(trimmed);
        if let (Some((_, worth)), Ok(number)) =
            (WATTS.iter().find(|(name, _)| *name == unit), number.parse::<f64>())
        {
            return Err(UnitError::UnknownUnit {
                unit: unit.into(),
                quantity: POWER.name,
                hint: in_dbm(trimmed, number * worth),
            });
        }
        if unit.is_empty() && number == "0" {
            // 0 dBm is a milliwatt. For other quantities, zero means nothing and needs no unit.
            return Err(UnitError::NoUnit { text: text.into(), example: "0dBm".into() });
        }
        signed(&POWER, text).map(Self)
    }
}

/// Returns the notation in dBm of `text`, which is `milliwatts` mW.
fn in_dbm(text: &str, milliwatts: f64) -> String {
    if milliwatts <= 0.0 {
        return "powers are in `dBm`, and no power has none; write `radio: off`".into();
    }
    let dbm = libm::round(10.0 * libm::log10(milliwatts) * 100.0) / 100.0;
    // Adding zero turns a negative zero into zero.
    format!("powers are in `dBm`: {text} is `{}dBm`", dbm + 0.0)
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}dB", signed_decimal(self.0)))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}dB", decimal(self.0)))
    }
}

impl fmt::Display for Attenuation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}dB/m", decimal(self.0)))
    }
}

impl fmt::Display for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}dBm", signed_decimal(self.0)))
    }
}

text_quantity!(
    Gain,
    "gain",
    r"^[-+]?[0-9]+(\.[0-9]+)? *dBi?$",
    "A gain in dB, or dBi of an antenna.",
    "3dB"
);

text_quantity!(Loss, "loss", r"^[0-9]+(\.[0-9]+)? *dB$", "A loss in dB.", "9dB");

text_quantity!(
    Attenuation,
    "attenuation",
    r"^[0-9]+(\.[0-9]+)? *dB/m$",
    "A loss for each metre, in dB/m.",
    "0.4dB/m"
);

text_quantity!(
    Power,
    "power",
    r"^[-+]?[0-9]+(\.[0-9]+)? *dBm$",
    "A power in dBm, dB above a milliwatt.",
    "16dBm"
);
