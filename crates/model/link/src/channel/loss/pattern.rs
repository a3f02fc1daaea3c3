//! Loss of exactly given frames: patterns in the scenario and traces in files, which repeat.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use netloom_units::{DataError, DataFormat, check_count, lines};

/// The frames that are lost: one digit a frame, `1` for a loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossPattern {
    /// Shared, because configurations are copied with every change.
    lost: Arc<[bool]>,
}

impl LossPattern {
    /// Creates a pattern from the fate of each frame: `true` if it is lost. The pattern repeats.
    ///
    /// # Errors
    /// The pattern is empty, or longer than [`MAX_VALUES`](crate::MAX_VALUES).
    pub fn new(lost: Vec<bool>) -> Result<Self, String> {
        check_count(lost.len(), "a loss pattern")?;
        Ok(Self { lost: lost.into() })
    }

    /// The fate of each frame: `true` if it is lost.
    pub fn lost(&self) -> &[bool] {
        &self.lost
    }
}

impl FromStr for LossPattern {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut lost = Vec::new();
        read_digits(text, &mut lost)?;
        Self::new(lost)
    }
}

/// Appends the fates that the digits of `text` stand for.
fn read_digits(text: &str, lost: &mut Vec<bool>) -> Result<(), String> {
    for digit in text.chars().filter(|digit| !digit.is_whitespace()) {
        lost.push(match digit {
            '0' => false,
            '1' => true,
            other => {
                return Err(format!(
                    "`{other}` is not part of a loss pattern; write `0` for a frame that passes \
                     and `1` for one that is lost"
                ));
            }
        });
    }
    Ok(())
}

impl fmt::Display for LossPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lost.iter().try_for_each(|lost| f.write_str(if *lost { "1" } else { "0" }))
    }
}

impl Serialize for LossPattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LossPattern {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for LossPattern {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LossPattern".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "One digit a frame: `0` passes, `1` is lost.",
            "pattern": "^[01 ]+$",
            "examples": ["0001"],
        })
    }
}

impl DataFormat for LossPattern {
    const WHAT: &'static str = "loss trace";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut lost = Vec::new();
        for (number, line) in lines(text) {
            read_digits(line, &mut lost).map_err(|message| DataError::at(number, message))?;
        }
        Self::new(lost).map_err(DataError::Whole)
    }
}

/// A pattern with its current position.
#[derive(Debug)]
pub(crate) struct Replay {
    pattern: LossPattern,
    next: usize,
}

impl Replay {
    pub fn new(pattern: LossPattern) -> Self {
        Self { pattern, next: 0 }
    }

    /// Returns whether the next frame is lost.
    pub fn next(&mut self) -> bool {
        let lost = self.pattern.lost[self.next];
        self.next = (self.next + 1) % self.pattern.lost.len();
        lost
    }
}
