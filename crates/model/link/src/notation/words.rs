//! Splitting a string of another tool into words, and the errors of such strings.

use std::fmt::Display;

use netloom_units::UnitError;
use thiserror::Error;

/// Largest length of a string in bytes. The longest reasonable one has a few hundred characters.
const MAX_LENGTH: usize = 4096;

/// The reason why a string of another tool is refused. Messages suggest an alternative.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotationError {
    /// The string is empty.
    #[error("the string says nothing; write something like `{0}`")]
    Empty(&'static str),
    /// The string is far too long.
    #[error("the string has {0} characters; at most {MAX_LENGTH} are read")]
    TooLong(usize),
    /// A word is not expected in its place.
    #[error("`{word}` is not a word of {tool}; {help}")]
    UnknownWord {
        /// The word.
        word: String,
        /// Tool whose words are expected.
        tool: &'static str,
        /// Advice on valid words.
        help: String,
    },
    /// The string ends where a value is expected.
    #[error("`{keyword}` needs {what}")]
    Missing {
        /// Keyword in front of the value.
        keyword: String,
        /// Description of the value.
        what: &'static str,
    },
    /// A value is not valid.
    #[error("`{value}` behind `{keyword}` is not {what}")]
    BadValue {
        /// Keyword in front of the value.
        keyword: String,
        /// The value.
        value: String,
        /// Description of a valid value, with an example.
        what: &'static str,
    },
    /// A quantity cannot be parsed.
    #[error("`{keyword}`: {error}")]
    Unit {
        /// Keyword in front of the quantity.
        keyword: String,
        /// Fault of the quantity.
        error: UnitError,
    },
    /// A keyword is given twice.
    #[error("`{0}` is given twice; keep one of them")]
    Twice(&'static str),
    /// A feature of the tool that NetLoom does not support, or not in the same way.
    #[error("{what}: {why}; {instead}")]
    Unsupported {
        /// The words of the feature.
        what: String,
        /// Reason why it is not supported.
        why: &'static str,
        /// Alternative.
        instead: &'static str,
    },
    /// The numbers are not valid in the model.
    #[error("{0}")]
    Model(String),
    /// Words that contradict each other or make no sense alone.
    #[error("{0}")]
    Senseless(&'static str),
}

/// The words of a string, one after the other.
#[derive(Debug)]
pub(super) struct Words<'a> {
    words: std::iter::Peekable<std::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    pub fn new(text: &'a str) -> Result<Self, NotationError> {
        if text.len() > MAX_LENGTH {
            return Err(NotationError::TooLong(text.chars().count()));
        }
        Ok(Self { words: text.split_whitespace().peekable() })
    }

    pub fn next(&mut self) -> Option<&'a str> {
        self.words.next()
    }

    /// Calls `option` with every remaining word. `option` takes the values behind the word. An
    /// empty string is an error, whose message shows `example`.
    pub fn options(
        &mut self,
        example: &'static str,
        mut option: impl FnMut(&'a str, &mut Self) -> Result<(), NotationError>,
    ) -> Result<(), NotationError> {
        let mut word = self.next().ok_or(NotationError::Empty(example))?;
        loop {
            option(word, self)?;
            match self.next() {
                Some(next) => word = next,
                None => return Ok(()),
            }
        }
    }

    /// Takes the next word if it is `word`.
    pub fn take(&mut self, word: &str) -> bool {
        self.words.next_if(|next| *next == word).is_some()
    }

    /// Takes the next word if it looks like a number.
    pub fn number(&mut self) -> Option<&'a str> {
        self.words.next_if(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    }

    /// Takes the next word if it looks like a number with or without a sign.
    pub fn signed_number(&mut self) -> Option<&'a str> {
        let unsigned = |word: &'a str| word.strip_prefix(['-', '+']).unwrap_or(word);
        self.words
            .next_if(|word| unsigned(word).starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    }

    /// Takes the next word, the value that `keyword` needs.
    pub fn value(&mut self, keyword: &str, what: &'static str) -> Result<&'a str, NotationError> {
        let missing = || NotationError::Missing { keyword: keyword.into(), what };
        self.next().ok_or_else(missing)
    }
}

/// Fills `slot`; an error if `keyword` has filled it before.
pub(super) fn once<T>(
    slot: &mut Option<T>,
    keyword: &'static str,
    value: T,
) -> Result<(), NotationError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(NotationError::Twice(keyword)),
    }
}

/// Converts an error of the quantity behind `keyword`, for `map_err`.
pub(super) fn unit(keyword: &str) -> impl FnOnce(UnitError) -> NotationError {
    let keyword = keyword.to_owned();
    move |error| NotationError::Unit { keyword, error }
}

/// Returns the error for a feature that NetLoom does not support, or not in the same way.
pub(super) fn unsupported<T>(
    what: impl Display,
    why: &'static str,
    instead: &'static str,
) -> Result<T, NotationError> {
    Err(NotationError::Unsupported { what: format!("`{what}`"), why, instead })
}
