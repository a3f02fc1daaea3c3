//! Guesses which line a syntax error comes from. The parser notices a missing colon or dash only in
//! a later line; here the lines before are compared with what people mistype.
//!
//! Not here: whether a text is YAML. Lines are looked at only once the parser has refused them.

use crate::dialect::Dialect;
use crate::span::Span;

/// A line that is probably wrong.
pub(super) struct Suspect {
    pub span: Span,
    pub message: &'static str,
    pub help: String,
}

/// A line with something in it.
struct Line<'t> {
    number: usize,
    indent: usize,
    text: &'t str,
}

impl Line<'_> {
    fn blamed(&self, message: &'static str, help: impl Into<String>) -> Suspect {
        let (line, column) = (self.number, self.indent + 1);
        let end_column = column + self.text.chars().count();
        let span = Span { line, column, end_line: line, end_column };
        Suspect { span, message, help: help.into() }
    }

    fn is_element(&self) -> bool {
        self.text.starts_with("- ") || self.text == "-"
    }

    /// Returns the column of what is behind the dashes of list elements, from 0.
    fn content(&self) -> usize {
        self.indent + self.text.len() - self.behind_dashes().len()
    }

    fn behind_dashes(&self) -> &str {
        let mut rest = self.text;
        while let Some(behind) = rest.strip_prefix("- ") {
            rest = behind.trim_start();
        }
        rest
    }

    /// Returns its key, if there is nothing behind it.
    fn empty_key(&self) -> Option<&str> {
        self.behind_dashes().strip_suffix(':')
    }
}

/// Returns the line that probably causes an error which the parser has found in line `found`.
pub(super) fn suspect(lines: &[&str], found: usize, dialect: &Dialect) -> Option<Suspect> {
    if let Some((span, bracket)) = unclosed(lines).filter(|(span, _)| span.line <= found) {
        let help = if bracket == '[' { "close it with `]`" } else { "close it with `}`" };
        let message = "this bracket is never closed";
        return Some(Suspect { span, message, help: help.into() });
    }
    let all = significant(lines);
    let at = all.iter().rposition(|line| line.number <= found)?;
    let next_indent = all.get(at + 1).map(|line| line.indent);
    let by_itself = odd(&all[at], next_indent);
    by_itself
        .or_else(|| at.checked_sub(1).and_then(|before| odd(&all[before], Some(all[at].indent))))
        .or_else(|| misindented(&all, at, dialect))
}

/// Returns the lines with something in them, but for comments and the lines of block texts.
fn significant<'t>(lines: &[&'t str]) -> Vec<Line<'t>> {
    let mut all: Vec<Line<'_>> = Vec::new();
    // Indentation of the key of a block text, whose lines are deeper.
    let mut block: Option<usize> = None;
    for (index, line) in lines.iter().enumerate() {
        let indent = line.chars().take_while(|c| *c == ' ').count();
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if block.is_some_and(|of| indent > of) {
            continue;
        }
        let text = text.split(" #").next().unwrap_or(text).trim_end();
        let ends = text.trim_end_matches(['-', '+']);
        block = (ends.ends_with(": |") || ends.ends_with(": >")).then_some(indent);
        all.push(Line { number: index + 1, indent, text });
    }
    all
}

/// Returns what is wrong with a line by itself, if the next one is indented by `next`.
fn odd(line: &Line<'_>, next: Option<usize>) -> Option<Suspect> {
    let text = line.text;
    if text.starts_with(['–', '—', '−', '•']) {
        let help = "write `- `: a hyphen and a space";
        return Some(line.blamed("this dash is no hyphen, with which a list element begins", help));
    }
    if let Some(word) = text.strip_prefix('-')
        && word.starts_with(|c: char| c.is_alphabetic() || "\"'[{".contains(c))
    {
        let help = format!("write `- {word}`");
        return Some(line.blamed("the dash of a list element has no space behind it", help));
    }
    if text == "-" && next.is_none_or(|next| next <= line.indent) {
        return Some(line.blamed("a dash has nothing behind it", "write the element, or leave it"));
    }
    let rest = line.behind_dashes();
    let is_plain = !rest.starts_with(['"', '\'', '[', '{', '&', '*', '!', '|', '>', '%', '@', '`']);
    if !is_plain || rest.contains(": ") || rest.ends_with(':') || rest.ends_with([']', '}', ',']) {
        return None;
    }
    if let Some((key, value)) = rest.split_once(':').filter(|(key, _)| is_word(key)) {
        let help = format!("write `{key}: {value}`");
        return Some(line.blamed("the colon of a key has no space behind it", help));
    }
    if let Some((key, value)) = rest.split_once('=').filter(|(key, _)| is_word(key.trim())) {
        let help = format!("write `{}: {}`", key.trim(), value.trim());
        return Some(line.blamed("a key is followed by `=`", help));
    }
    // A list of texts is not wrong, unless what is below belongs to one of them.
    let is_text = line.is_element() && next.is_none_or(|next| next <= line.indent);
    let first = rest.split(' ').next().unwrap_or(rest);
    if is_text || !is_word(first) {
        return None;
    }
    let value = rest[first.len()..].trim();
    let help = format!("write `{first}: {value}`").replace(": `", ":`");
    Some(line.blamed("a key has no colon behind it", help))
}

/// Whether it can be a key.
fn is_word(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '.';
    !text.is_empty() && text.chars().all(is_part)
}

/// Returns the line whose indentation makes that of line `at` wrong.
fn misindented(all: &[Line<'_>], at: usize, dialect: &Dialect) -> Option<Suspect> {
    let here = &all[at];
    let before = all[..at].last()?;
    let deeper = before.is_element() && !here.is_element() && here.indent > before.content();
    let sibling = all.get(at + 1).filter(|next| !next.is_element());
    if deeper && sibling.is_some_and(|next| next.indent == here.indent) {
        let help = "indent it so that its first key is above the others";
        return Some(before.blamed("this line is not indented as deep as those below it", help));
    }
    let parent = all[..at].iter().rposition(|line| line.indent < here.indent)?;
    let first = &all[parent + 1];
    if here.is_element() && !first.is_element() && first.number < here.number {
        let help = format!("write `- {}`", first.text);
        return Some(first.blamed("the first element of this list has no dash", help));
    }
    let (above, parent) = (parent.checked_sub(1).map(|above| &all[above])?, &all[parent]);
    let (outer, inner) = (above.empty_key()?, parent.empty_key()?);
    let is_section = dialect.sections.contains(&(inner, outer));
    (is_section && above.indent == parent.indent).then(|| {
        let help = format!("`{inner}` belongs under `{outer}`");
        parent.blamed("this line is not indented deep enough", help)
    })
}

/// Returns the first bracket that is never closed.
fn unclosed(lines: &[&str]) -> Option<(Span, char)> {
    let mut open: Vec<(Span, char)> = Vec::new();
    for line in significant(lines) {
        let mut quote = None;
        let mut before = ' ';
        for (place, c) in line.text.char_indices() {
            // Elsewhere it is part of a text, like a command.
            let starts = || {
                let before = line.text[..place].trim_end();
                before.is_empty() || before.ends_with([':', '-'])
            };
            match (quote, c) {
                (Some(end), _) => quote = (c != end).then_some(end),
                (None, '"' | '\'') if " [{,:".contains(before) => quote = Some(c),
                (None, '[' | '{') if !open.is_empty() || starts() => {
                    let column = line.indent + line.text[..place].chars().count() + 1;
                    let (line, end_column) = (line.number, column + 1);
                    open.push((Span { line, column, end_line: line, end_column }, c));
                }
                (None, ']' | '}') => _ = open.pop(),
                _ => {}
            }
            before = c;
        }
    }
    open.first().copied()
}
