//! Probabilities.

use std::fmt;
use std::str::FromStr;

use crate::decimal::split;
use crate::{UnitError, text_quantity};

/// A probability from 0 to 1 inclusive. Its notation is in percent.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Probability(f64);

impl Probability {
    /// The probability 0.
    pub const ZERO: Probability = Probability(0.0);

    /// Returns a probability of `value`. `None` if it is outside 0 to 1 or not a number.
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero turns a negative zero into zero.
        (0.0..=1.0).contains(&value).then_some(Self(value + 0.0))
    }

    /// Returns the value, 0 to 1.
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
        let value = hundredth(number).ok_or_else(not_a_number)?;
        match unit {
            "%" => {}
            "" if value == 0.0 => return Ok(Self::ZERO),
            "" => {
                let example = match Self::new(value * 100.0) {
                    // Most people mean a fraction, which other tools accept.
                    Some(fraction) if value > 0.0 => {
                        format!("{fraction}` for the fraction {number}, or `{number}%")
                    }
                    _ => format!("{number}%"),
                };
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
        Self::new(value).ok_or_else(|| UnitError::OutOfRange {
            text: text.into(),
            range: "a probability is between 0% and 100%",
        })
    }
}

impl fmt::Display for Probability {
    /// Prints percent with as many digits as are needed to parse the same probability again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}%", hundredfold(&self.0.to_string())))
    }
}

/// Returns a hundredth of the decimal `number`, rounded once. A division afterwards would round
/// twice, so that some probabilities would have no notation.
fn hundredth(number: &str) -> Option<f64> {
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let is_decimal = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !is_decimal(mantissa) {
        return None;
    }
    format!("{mantissa}e{}", exponent.checked_sub(2)?).parse().ok()
}

/// Returns a hundred times a plain decimal, by moving its point two places to the right.
fn hundredfold(decimal: &str) -> String {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let fraction = format!("{fraction:0<2}");
    let (shifted, rest) = fraction.split_at(2);
    let whole = format!("{whole}{shifted}");
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    if rest.is_empty() { whole.into() } else { format!("{whole}.{rest}") }
}

text_quantity!(
    Probability,
    "probability",
    r"^[0-9]+(\.[0-9]+)?(e-?[0-9]+)? *%$",
    "A probability in percent.",
    "1%"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_number_alone_both_meanings_are_named() {
        let error = |text: &str| text.parse::<Probability>().unwrap_err().to_string();
        let expected =
            "`0.01` has no unit; write it with one, like `1%` for the fraction 0.01, or `0.01%`";
        assert_eq!(error("0.01"), expected);
        assert_eq!(error("3"), "`3` has no unit; write it with one, like `3%`");
    }

    #[test]
    fn every_probability_is_printed_as_it_is_read() {
        // Some of these cannot be obtained by dividing a percentage by 100.
        let awkward = [1.0 - 0.001, 1.0 - 0.003, 0.64 + f64::EPSILON, 1e-300, f64::MIN_POSITIVE];
        let even = (0..=1000).map(|n| f64::from(n) / 1000.0);
        for value in awkward.into_iter().chain(even) {
            let probability = Probability::new(value).unwrap();
            let text = probability.to_string();
            assert_eq!(text.parse::<Probability>().unwrap(), probability, "{text}");
        }
        for text in ["0%", "1%", "0.1%", "12.5%", "99.9%", "100%", "0.00001%"] {
            assert_eq!(text.parse::<Probability>().unwrap().to_string(), text);
        }
        assert_eq!(Probability::new(-0.0).unwrap().to_string(), "0%");
        assert_eq!("1e-3%".parse::<Probability>().unwrap().to_string(), "0.001%");
        for text in ["inf%", "nan%", "1e%", "e1%", "1e1e1%", "%", "1e-99999999999%", ".%"] {
            assert!(text.parse::<Probability>().is_err(), "{text}");
        }
    }
}
