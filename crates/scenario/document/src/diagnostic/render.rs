//! Findings as text for a terminal: message, position, source line with the position underlined,
//! help.

use std::fmt::Write;

use super::finding::{Diagnostic, Severity};
use crate::span::{Span, lines};

/// Longest part of a source line that is shown, in characters.
const MAX_WIDTH: usize = 120;
/// Largest number of findings that are shown.
const MOST: usize = 50;

/// A file: its name, its lines, and the number of lines of all files before it.
struct Source<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
    before: usize,
}

/// Returns the file in which a position is.
fn source_of<'s, 't>(sources: &'s [Source<'t>], span: Span) -> &'s Source<'t> {
    let behind = sources.partition_point(|source| source.before < span.line);
    &sources[behind.saturating_sub(1)]
}

/// Formats `findings`, of which `lists_all` shows those that are too many. `files` are the names
/// and texts of the files that make up the document.
pub(super) fn render(findings: &[Diagnostic], lists_all: &str, files: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut sources = Vec::with_capacity(files.len());
    let mut before = 0;
    for (name, text) in files {
        let lines = lines(text);
        let length = lines.len();
        sources.push(Source { name, lines, before });
        before += length;
    }
    if sources.is_empty() {
        return out;
    }
    let file = sources.iter().map(|source| source.name).collect::<Vec<_>>().join(" with ");
    for finding in shown(findings) {
        one(&mut out, finding, &sources);
        out.push('\n');
    }
    let more = findings.len().saturating_sub(MOST);
    if more > 0 {
        let _ = writeln!(out, "and {more} more{lists_all}\n");
    }
    if !findings.is_empty() {
        let _ = writeln!(out, "{file}: {}", summary(findings));
    }
    out
}

/// Returns the findings to show, ordered by position. If there are too many, errors take precedence
/// over warnings.
fn shown(findings: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    let mut errors = MOST.min(number(findings, Severity::Error));
    let mut warnings = MOST - errors;
    findings.iter().filter(move |finding| {
        let left = match finding.severity {
            Severity::Error => &mut errors,
            Severity::Warning => &mut warnings,
        };
        let is_shown = *left > 0;
        *left -= usize::from(is_shown);
        is_shown
    })
}

/// Returns the number of findings of a severity.
fn number(findings: &[Diagnostic], severity: Severity) -> usize {
    findings.iter().filter(|finding| finding.severity == severity).count()
}

fn one(out: &mut String, finding: &Diagnostic, sources: &[Source<'_>]) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}: {}", finding.severity, finding.message);
    let margin = margin(finding);
    excerpt(out, margin, "-->", finding.span, sources);
    for related in &finding.related {
        let _ = writeln!(out, "{:margin$} = note: {}", "", related.message);
        excerpt(out, margin, ":::", related.span, sources);
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(out, "{:margin$} = help: {help}", "");
    }
}

/// Width of the margin, which fits the largest line number shown.
fn margin(finding: &Diagnostic) -> usize {
    let related = finding.related.iter().map(|related| related.span.line);
    let largest = related.fold(finding.span.line, usize::max);
    largest.to_string().len()
}

/// Writes the position, and its line with an underline.
fn excerpt(out: &mut String, margin: usize, arrow: &str, span: Span, sources: &[Source<'_>]) {
    let Source { name, lines, before } = source_of(sources, span);
    let (line, column) = (span.line - before, span.column);
    let _ = writeln!(out, "{:margin$}{arrow} {name}:{line}:{column}", "");
    let Some(source) = lines.get(line - 1) else { return };
    let (shown, skipped) = window(source, column);
    let _ = writeln!(out, "{:margin$} |", "");
    let _ = writeln!(out, "{line:margin$} | {shown}");
    let indent = column - 1 - skipped;
    let width = underline_width(span, source).min(shown.chars().count().max(indent) - indent);
    let _ = writeln!(out, "{:margin$} | {:indent$}{}", "", "", "^".repeat(width.max(1)));
}

/// Returns the part of a line around `column` that fits, with tabs as single spaces, and the number
/// of characters left out before it.
fn window(source: &str, column: usize) -> (String, usize) {
    let skipped = if column > MAX_WIDTH { column - 1 - MAX_WIDTH / 2 } else { 0 };
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    let shown: String = source.chars().skip(skipped).take(MAX_WIDTH).map(visible).collect();
    (shown.trim_end().to_string(), skipped)
}

/// Returns the number of characters of `source` that `span` covers, at least one.
fn underline_width(span: Span, source: &str) -> usize {
    if span.end_line == span.line {
        return span.end_column.saturating_sub(span.column);
    }
    source.trim_end().chars().count().saturating_sub(span.column - 1)
}

fn summary(findings: &[Diagnostic]) -> String {
    let count = |number: usize, what: &str| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        number => Some(format!("{number} {what}s")),
    };
    let (errors, warnings) =
        (number(findings, Severity::Error), number(findings, Severity::Warning));
    let parts = [count(errors, "error"), count(warnings, "warning")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
