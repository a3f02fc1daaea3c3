//! Places in a scenario file. Not here: reading the file, or drawing the places.

use schemars::JsonSchema;
use serde::Serialize;

/// A range of characters in a text. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Span {
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the character behind the last one.
    pub end_line: usize,
    /// Column of the character behind the last one.
    pub end_column: usize,
}

impl Span {
    /// The very beginning of a text.
    pub const START: Span = Span { line: 1, column: 1, end_line: 1, end_column: 1 };

    /// From the start of `self` to the end of `last`.
    #[must_use]
    pub const fn to(self, last: Span) -> Span {
        Span { end_line: last.end_line, end_column: last.end_column, ..self }
    }

    /// The empty range at the start of this one.
    #[must_use]
    pub const fn start(self) -> Span {
        Span { end_line: self.line, end_column: self.column, ..self }
    }
}
