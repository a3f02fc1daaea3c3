//! Bit error rates: their notation, and the frame error probability that follows from them.

use std::fmt;
use std::str::FromStr;

use netloom_units::UnitError;
use serde::{Deserialize, Serialize};

/// Probability that one bit is wrong, 0 to 1; written as a number like `1e-6`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct BitErrorRate(f64);

impl BitErrorRate {
    /// Creates a bit error rate; `None` if `value` is outside 0 to 1 or not a number.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The value, 0 to 1.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// Probability that a frame of `bytes` bytes has at least one wrong bit,
    /// `1 - (1 - p)^(8·bytes)`. It is exact for tiny `p` too.
    pub fn frame_error_probability(self, bytes: u64) -> f64 {
        match bytes {
            0 => 0.0,
            bytes => -libm::expm1(8.0 * bytes as f64 * libm::log1p(-self.0)),
        }
    }
}

impl FromStr for BitErrorRate {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let value: f64 = text.trim().parse().map_err(|_| UnitError::NotANumber {
            text: text.into(),
            quantity: "bit error rate",
            example: "1e-6".into(),
        })?;
        Self::new(value).ok_or_else(|| UnitError::OutOfRange {
            text: text.into(),
            range: "a bit error rate is between 0 and 1",
        })
    }
}

impl fmt::Display for BitErrorRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0.0 { f.pad("0") } else { f.pad(&format!("{:e}", self.0)) }
    }
}

impl Serialize for BitErrorRate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for BitErrorRate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = BitErrorRate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a bit error rate: a number like `1e-6`")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<BitErrorRate, E> {
                text.parse().map_err(E::custom)
            }
            netloom_units::visit_numbers_as_text!();
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for BitErrorRate {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BitErrorRate".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": ["number", "string"],
            "minimum": 0,
            "maximum": 1,
            "description": "A bit error rate, 0 to 1.",
            "examples": [1e-6],
        })
    }
}
