//! YAML syntax errors in terms of a person who writes a document.

use saphyr_parser::{Marker, ScanError};

use super::suspect::{Suspect, suspect};
use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::span::Span;

/// Parts of the parser's messages, each with a hint where to look.
const HINTS: &[(&str, &str)] = &[
    (
        "mapping values are not allowed",
        "a text with `: ` in it needs quotes; check the indentation too",
    ),
    (
        "cannot start any token",
        "indent with spaces, not tabs; quote a text that starts with `@`, `%` or `` ` ``",
    ),
    ("tab", "indent with spaces, not tabs"),
    ("quoted scalar", "a quote that was opened is not closed"),
    ("simple key", "a key needs a colon and a space behind it: `key: value`"),
    ("illegal placement of ':'", "an opened `[` or `{` is probably not closed"),
    ("',' or ']'", "a list that was opened with `[` is not closed, or a comma is missing"),
    ("',' or '}'", "a mapping that was opened with `{` is not closed, or a comma is missing"),
    (
        "unknown anchor",
        "an alias `*name` needs an anchor `&name` before it; quote a text that starts with `*`",
    ),
    (
        "did not find expected <block end>",
        "this line is indented differently from the lines it belongs to",
    ),
    ("expected node content", "a value is missing, or a `[` or `{` is not closed"),
    ("block sequence entries are not allowed", "put a list on lines of its own, below its key"),
    (
        "invalid indentation",
        "this line is indented differently from those it belongs to, or a `[` or `{` before it is \
         not closed",
    ),
    ("did not find expected key", "this line is indented differently from the lines it belongs to"),
];

/// Parts of the messages that name the mistake where it is.
const POINTS_AT_ITSELF: &[&str] = &["tab", "quoted scalar", "cannot start any token", "anchor"];

/// Rejects control characters: the parser takes some of them for the end of the text.
pub(super) fn check_characters(lines: &[&str]) -> Result<(), Diagnostic> {
    let is_wrong = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}');
    for (index, line) in lines.iter().enumerate() {
        let Some(column) = line.chars().position(is_wrong) else { continue };
        let (line, column) = (index + 1, column + 1);
        let span = Span { line, column, end_line: line, end_column: column + 1 };
        let message = "there is a control character here, which no text file has";
        return Err(Diagnostic::error(span, message).with_help("save the file as UTF-8 text"));
    }
    Ok(())
}

/// Converts an error of the parser for a text with these `lines` to a finding. If the mistake is
/// probably in a line before, that is its position.
pub(super) fn error(error: &ScanError, lines: &[&str], dialect: &Dialect) -> Diagnostic {
    let info = error.info();
    let noticed = place(error.marker()).within(lines);
    if !POINTS_AT_ITSELF.iter().any(|part| info.contains(part))
        && let Some(Suspect { span, message, help }) = suspect(lines, noticed.line, dialect)
    {
        let finding = Diagnostic::error(span, format!("this is not valid YAML: {message}"));
        let finding = finding.with_help(help);
        let later = span.line < noticed.line;
        return if later { finding.with_related(noticed, "noticed here") } else { finding };
    }
    let help = HINTS.iter().find(|(part, _)| info.contains(part)).map(|(_, hint)| *hint);
    Diagnostic::error(noticed, format!("this is not valid YAML: {info}"))
        .with_optional_help(help.map(Into::into))
}

/// Converts a marker, whose columns count from 0, to a position.
pub(super) fn place(marker: &Marker) -> Span {
    let (line, column) = (marker.line().max(1), marker.col() + 1);
    Span { line, column, end_line: line, end_column: column }
}

/// Converts the range between two markers.
pub(super) fn span(span: &saphyr_parser::Span) -> Span {
    place(&span.start).to(place(&span.end))
}
