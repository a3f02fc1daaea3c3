//! Probabilities.

use std::fmt;
use std::str::FromStr;

use crate::decimal::split;
use crate::{UnitError, text_quantity};

/// A probability, 0 to 1 inclusive; written in percent.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Probability(f64);

impl Probability {
    /// Never.
    pub const ZERO: Probability = Probability(0.0);

    /// A probability of `value`; `None` outside 0 to 1 or not a number.
    pub fn new(value: f64) -> Option<Self> {
        (0.0..=1.0).contains(&value).then_some(Self(value))
    }

    /// The value, 0 to 1.
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl FromStr for Probability {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        let not_a_number = || UnitError::NotANumber {
            text: text.into(),
            quantity: "probability",
            example: "1%".into(),
        };
        if text.starts_with('-') {
            return Err(UnitError::Negative { text: text.into(), quantity: "probability" });
        }
        let (number, unit) = match text.strip_suffix('%') {
            Some(number) => (number.trim_end(), "%"),
            None => split(text),
        };
        let value: f64 = number.parse().map_err(|_| not_a_number())?;
        match unit {
            "%" => {}
            "" if value == 0.0 => return Ok(Self::ZERO),
            "" => {
                let example = format!("{number}%");
                return Err(UnitError::NoUnit { text: text.into(), example });
            }
            unit => {
                return Err(UnitError::UnknownUnit {
                    unit: unit.into(),
                    quantity: "probability",
                    hint: "write percent, like `1%`".into(),
                });
            }
        }
        Self::new(value / 100.0).ok_or_else(|| UnitError::OutOfRange {
            text: text.into(),
            range: "a probability is between 0% and 100%",
        })
    }
}

impl fmt::Display for Probability {
    /// Percent with as many digits as it takes to read the same probability back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 * 100.0;
        let short = format!("{percent:.6}");
        let short = short.trim_end_matches('0').trim_end_matches('.');
        if short.parse::<f64>().is_ok_and(|value| value / 100.0 == self.0) {
            return f.pad(&format!("{short}%"));
        }
        f.pad(&format!("{percent}%"))
    }
}

text_quantity!(
    Probability,
    "probability",
    r"^[0-9]+(\.[0-9]+)?(e-?[0-9]+)? *%$",
    "A probability in percent.",
    "1%"
);
