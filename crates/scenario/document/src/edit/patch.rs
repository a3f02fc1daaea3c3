//! Replacements of parts of a text, and its lines. Positions are offsets in bytes.

use std::ops::Range;

use crate::span::Span;

/// Replacements of parts of a text. They do not overlap.
pub(super) type Patch = Vec<(Range<usize>, String)>;

/// Form of a value in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// On lines of its own, where its neighbours are.
    Usual,
    /// On one line. A block scalar would take an indented comment behind it for its own text.
    OneLine,
}

/// A text that is edited.
pub(super) struct Text<'a> {
    pub text: &'a str,
    /// How its lines end.
    line_break: &'static str,
}

impl<'a> Text<'a> {
    pub fn new(text: &'a str) -> Self {
        let line_break = match text.find(['\n', '\r']) {
            Some(end) if text[end..].starts_with("\r\n") => "\r\n",
            Some(end) if text[end..].starts_with('\r') => "\r",
            _ => "\n",
        };
        Self { text, line_break }
    }

    /// Returns the start of the line of a position.
    pub fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
    }

    /// Returns the end of the line of a position, before the line break.
    pub fn line_end(&self, at: usize) -> usize {
        self.text[at..].find(['\n', '\r']).map_or(self.text.len(), |length| at + length)
    }

    /// Returns the start of the next line, or the end of the text.
    pub fn next_line(&self, at: usize) -> usize {
        let end = self.line_end(at);
        match &self.text[end..] {
            rest if rest.starts_with("\r\n") => end + 2,
            "" => end,
            _ => end + 1,
        }
    }

    /// Returns the number of characters before a position in its line.
    pub fn column(&self, at: usize) -> usize {
        let before = &self.text[self.line_start(at)..at];
        before.chars().filter(|c| *c != '\u{feff}').count()
    }

    /// Whether there is only white space before a position in its line.
    pub fn is_first(&self, at: usize) -> bool {
        self.text[self.line_start(at)..at].trim_matches([' ', '\u{feff}']).is_empty()
    }

    /// Whether a line ends in a range.
    pub fn has_break(&self, range: Range<usize>) -> bool {
        self.text[range].contains(['\n', '\r'])
    }

    /// Joins lines. Each is preceded by a line break.
    pub fn below(&self, lines: &[String]) -> String {
        lines.iter().flat_map(|line| [self.line_break, line]).collect()
    }

    /// Joins lines by line breaks.
    pub fn joined(&self, lines: &[String]) -> String {
        lines.join(self.line_break)
    }

    /// Indents the first of some lines.
    pub fn indented(&self, mut lines: Vec<String>, indent: usize) -> Vec<String> {
        if let Some(first) = lines.first_mut() {
            first.insert_str(0, &" ".repeat(indent));
        }
        lines
    }

    /// Returns the range of whole lines, from that of `start` to that of `end`. If they end the
    /// text without a line break, the one before them is in the range.
    pub fn whole_lines(&self, start: usize, end: usize) -> Range<usize> {
        let (start, next) = (self.line_start(start), self.next_line(end));
        let ends_text = next == self.text.len() && !self.text.ends_with(['\n', '\r']);
        if ends_text && start > 0 { self.line_break_before(start)..next } else { start..next }
    }

    /// Returns the start of the line break before the start of a line.
    pub fn line_break_before(&self, start: usize) -> usize {
        let before = &self.text[..start];
        let before = before.strip_suffix("\r\n").or_else(|| before.strip_suffix(['\n', '\r']));
        before.unwrap_or_default().len()
    }

    /// Returns the text with all replacements.
    pub fn patched(&self, mut patch: Patch) -> String {
        patch.sort_by_key(|(range, _)| (range.start, range.end));
        let mut new = String::with_capacity(self.text.len() + 64);
        let mut done = 0;
        for (range, replacement) in patch {
            new.push_str(&self.text[done..range.start.max(done)]);
            new.push_str(&replacement);
            done = range.end.max(done);
        }
        new.push_str(&self.text[done..]);
        new
    }
}

/// Returns a range of bytes as a position.
pub(super) fn span(text: &str, start: usize, end: usize) -> Span {
    let place = |at: usize| {
        let lines = crate::span::lines(&text[..at]);
        let is_new = text[..at].ends_with(['\n', '\r']) || at == 0;
        let last = lines.last().filter(|_| !is_new).map_or(0, |line| line.chars().count());
        (lines.len() + usize::from(is_new), last + 1)
    };
    let ((line, column), (end_line, end_column)) = (place(start), place(end));
    Span { line, column, end_line, end_column }
}
