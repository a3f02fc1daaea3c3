//! A string of another tool as words, and what can be wrong with it.

use std::fmt::Display;

use netloom_units::UnitError;
use thiserror::Error;

/// Longest string that is read; the longest that makes sense has a few hundred characters.
const MAX_LENGTH: usize = 4096;

/// Why a string of another tool was not taken. Messages say what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotationError {
    /// There is nothing in it.
    #[error("the string says nothing; write something like `{0}`")]
    Empty(&'static str),
    /// It is far too long.
    #[error("the string has {0} characters; at most {MAX_LENGTH} are read")]
    TooLong(usize),
    /// A word that does not belong there.
    #[error("`{word}` is not a word of {tool}; {help}")]
    UnknownWord {
        /// The word.
        word: String,
        /// The tool whose words are expected.
        tool: &'static str,
        /// What there is instead.
        help: String,
    },
    /// The string ends where a value should be.
    #[error("`{keyword}` needs {what}")]
    Missing {
        /// The word in front.
        keyword: String,
        /// What should follow.
        what: &'static str,
    },
    /// A value that does not fit.
    #[error("`{value}` behind `{keyword}` is not {what}")]
    BadValue {
        /// The word in front.
        keyword: String,
        /// What was read.
        value: String,
        /// What is expected, and an example.
        what: &'static str,
    },
    /// A quantity that cannot be read.
    #[error("`{keyword}`: {error}")]
    Unit {
        /// The word in front.
        keyword: String,
        /// What is wrong with the quantity.
        error: UnitError,
    },
    /// The same word again.
    #[error("`{0}` is given twice; keep one of them")]
    Twice(&'static str),
    /// Something that the tool does and NetLoom does not, or not in the same way.
    #[error("{what}: {why}; {instead}")]
    Unsupported {
        /// The words.
        what: String,
        /// Why it is not done.
        why: &'static str,
        /// What to write instead.
        instead: &'static str,
    },
    /// Numbers that the model cannot have.
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

    /// Hands every word that is left to `option`, which takes the values behind it. There is at least
    /// one, as in `example`.
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

    /// Takes the next word if it begins like a number.
    pub fn number(&mut self) -> Option<&'a str> {
        self.words.next_if(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    }

    /// Takes the next word if it begins like a number with or without a sign.
    pub fn signed_number(&mut self) -> Option<&'a str> {
        let unsigned = |word: &'a str| word.strip_prefix(['-', '+']).unwrap_or(word);
        self.words
            .next_if(|word| unsigned(word).starts_with(|c: char| c.is_ascii_digit() || c == '.'))
    }

    /// The next word, which `keyword` needs.
    pub fn value(&mut self, keyword: &str, what: &'static str) -> Result<&'a str, NotationError> {
        let missing = || NotationError::Missing { keyword: keyword.into(), what };
        self.next().ok_or_else(missing)
    }
}

/// Fills `slot`, which `keyword` fills only once.
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

/// For `map_err`: a quantity behind `keyword` that cannot be read.
pub(super) fn unit(keyword: &str) -> impl FnOnce(UnitError) -> NotationError {
    let keyword = keyword.to_owned();
    move |error| NotationError::Unit { keyword, error }
}

/// Something that NetLoom does not do, or not in the same way.
pub(super) fn unsupported<T>(
    what: impl Display,
    why: &'static str,
    instead: &'static str,
) -> Result<T, NotationError> {
    Err(NotationError::Unsupported { what: format!("`{what}`"), why, instead })
}
