//! Reasons why a text is not a quantity.

use thiserror::Error;

/// A text could not be parsed as a quantity. Every message describes what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnitError {
    /// A number without a unit.
    #[error("`{text}` has no unit; write it with one, like `{example}`")]
    NoUnit {
        /// The text.
        text: String,
        /// A valid text of the same quantity.
        example: String,
    },
    /// A unit that this quantity does not have.
    #[error("`{unit}` is not a unit of {quantity}; {hint}")]
    UnknownUnit {
        /// The unknown unit.
        unit: String,
        /// Name of the quantity, like "rate".
        quantity: &'static str,
        /// A hint at what to write instead.
        hint: String,
    },
    /// The text does not start with a decimal number.
    #[error("`{text}` is not a {quantity}; write a number and a unit, like `{example}`")]
    NotANumber {
        /// The text.
        text: String,
        /// Name of the quantity.
        quantity: &'static str,
        /// A valid text.
        example: String,
    },
    /// The text is not a plain decimal number.
    #[error("`{text}` is not a {quantity}; write a plain number, like `{example}`")]
    NotPlain {
        /// The text.
        text: String,
        /// Name of the quantity.
        quantity: &'static str,
        /// A valid text.
        example: String,
    },
    /// The value is negative.
    #[error("`{text}` is negative; a {quantity} is zero or more")]
    Negative {
        /// The text.
        text: String,
        /// Name of the quantity.
        quantity: &'static str,
    },
    /// The value is finer than the base unit and would have to be rounded.
    #[error("`{text}` is not a whole number of {base}; nothing is rounded silently")]
    TooFine {
        /// The text.
        text: String,
        /// Name of the base unit.
        base: &'static str,
    },
    /// The value is outside the representable or meaningful range.
    #[error("`{text}` is out of range; {range}")]
    OutOfRange {
        /// The text.
        text: String,
        /// A description of the range.
        range: &'static str,
    },
}
