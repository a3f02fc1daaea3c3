//! Why a text is not a quantity.

use thiserror::Error;

/// A text that could not be read as a quantity. Every message says what would be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnitError {
    /// A number without a unit.
    #[error("`{text}` has no unit; write it with one, like `{example}`")]
    NoUnit {
        /// What was read.
        text: String,
        /// A valid text of the same quantity.
        example: String,
    },
    /// A unit that this quantity does not have.
    #[error("`{unit}` is not a unit of {quantity}; {hint}")]
    UnknownUnit {
        /// The unit that was read.
        unit: String,
        /// The quantity's name, like "rate".
        quantity: &'static str,
        /// What to write instead.
        hint: String,
    },
    /// The text does not start with a decimal number.
    #[error("`{text}` is not a {quantity}; write a number and a unit, like `{example}`")]
    NotANumber {
        /// What was read.
        text: String,
        /// The quantity's name.
        quantity: &'static str,
        /// A valid text.
        example: String,
    },
    /// The text is not a plain decimal number.
    #[error("`{text}` is not a {quantity}; write a plain number, like `{example}`")]
    NotPlain {
        /// What was read.
        text: String,
        /// The quantity's name.
        quantity: &'static str,
        /// A valid text.
        example: String,
    },
    /// The value is negative.
    #[error("`{text}` is negative; a {quantity} is zero or more")]
    Negative {
        /// What was read.
        text: String,
        /// The quantity's name.
        quantity: &'static str,
    },
    /// The value is finer than the base unit and would have to be rounded.
    #[error("`{text}` is not a whole number of {base}; nothing is rounded silently")]
    TooFine {
        /// What was read.
        text: String,
        /// The base unit's name.
        base: &'static str,
    },
    /// The value is outside the representable or meaningful range.
    #[error("`{text}` is out of range; {range}")]
    OutOfRange {
        /// What was read.
        text: String,
        /// The range in words.
        range: &'static str,
    },
}
