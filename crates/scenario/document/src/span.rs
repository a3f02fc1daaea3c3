//! Positions in a text, and its lines. Not here: reading the file, or displaying
//! positions.

use serde::Serialize;

/// A range of characters in a text. Lines and columns count from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the character after the last one.
    pub end_line: usize,
    /// Column of the character after the last one.
    pub end_column: usize,
}

impl Span {
    /// The empty range at the beginning of a text.
    pub const START: Span = Span { line: 1, column: 1, end_line: 1, end_column: 1 };

    /// Returns the range from the start of `self` to the end of `last`.
    #[must_use]
    pub const fn to(self, last: Span) -> Span {
        Span { end_line: last.end_line, end_column: last.end_column, ..self }
    }

    /// Returns this range behind `lines` other lines.
    #[must_use]
    pub(crate) const fn below(self, lines: usize) -> Span {
        Span { line: self.line + lines, end_line: self.end_line + lines, ..self }
    }

    /// Returns the empty range at the start of this one.
    #[must_use]
    pub const fn start(self) -> Span {
        Span { end_line: self.line, end_column: self.column, ..self }
    }
}

impl Span {
    /// Returns this range, or the end of the last line that is not empty if the range is behind all
    /// `lines`.
    #[must_use]
    pub(crate) fn within(self, lines: &[&str]) -> Span {
        if self.line <= lines.len() {
            return self;
        }
        let Some(last) = lines.iter().rposition(|line| !line.trim().is_empty()) else {
            return Span::START;
        };
        let (line, column) = (last + 1, lines[last].trim_end().chars().count() + 1);
        Span { line, column, end_line: line, end_column: column }
    }
}

/// Splits a text into lines by YAML's rules: each ends with a line feed, a carriage return, or
/// both.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(end) = rest.find(['\n', '\r']) {
        lines.push(&rest[..end]);
        let length = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[end + length..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}
