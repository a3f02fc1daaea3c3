//! Removes an entry of a mapping, or an element of a list.

use std::ops::Range;

use super::patch::{Form, Patch, Text};
use super::set;
use super::spot::{Holder, Refusal, Spot};
use crate::places::{Place, Style};
use crate::value::{Step, Value};

/// Parts of a list or mapping: what is removed, what is before it and what is behind it.
struct Parts {
    before: Option<Range<usize>>,
    part: Range<usize>,
    behind: Option<Range<usize>>,
}

/// Returns the replacements that remove the spot at `path`.
pub(super) fn patch(
    text: &Text<'_>,
    root: &Place,
    spot: &Spot<'_>,
    path: &[Step],
) -> Result<Patch, Refusal> {
    let (style, parts, empty) = match spot.holder {
        Holder::Document => {
            return Err(Refusal::new(text.text, spot.place, "it is the whole document"));
        }
        Holder::Item { style, items, index } => {
            let part = |at: usize| items.get(at).map(|item| item.start..item.value.end);
            (style, parts(part, index), Value::List(Vec::new()))
        }
        Holder::Entry { style, entries, index } => {
            let part = |at: usize| entries.get(at).map(|entry| entry.start..entry.value.end);
            (style, parts(part, index), Value::Mapping(Vec::new()))
        }
    };
    if parts.before.is_none() && parts.behind.is_none() && style != Style::Flow {
        let holder = Spot::find(root, text.text, &path[..path.len() - 1])?;
        return Ok(set::patch(text, &holder, &empty, Form::Usual));
    }
    let (range, comma) = match style {
        Style::Block => (in_block(text, &parts), None),
        _ => in_flow(text, &parts),
    };
    let comma = comma.map(|comma| comma..comma + 1);
    Ok([range].into_iter().chain(comma).map(|range| (range, String::new())).collect())
}

fn parts(part: impl Fn(usize) -> Option<Range<usize>>, index: usize) -> Parts {
    let before = index.checked_sub(1).and_then(&part);
    Parts { before, part: part(index).unwrap_or_default(), behind: part(index + 1) }
}

/// Whole lines; or, if something stands before it on its line, as in `- a: 1`, up to the next part.
fn in_block(text: &Text<'_>, Parts { part, behind, .. }: &Parts) -> Range<usize> {
    if text.is_first(part.start) {
        return text.whole_lines(part.start, part.end);
    }
    match behind {
        Some(behind) if text.next_line(part.end) == text.line_start(behind.start) => {
            part.start..behind.start
        }
        // Comments or blank lines between the two stay.
        _ => {
            let before = text.text[..part.start].trim_end_matches(' ').len();
            before..text.line_end(part.end)
        }
    }
}

/// With one of the commas beside it, and with the whole lines if nothing else is on them. Returns
/// the range, and the position of a comma outside of it.
fn in_flow(
    text: &Text<'_>,
    Parts { before, part, behind }: &Parts,
) -> (Range<usize>, Option<usize>) {
    let comma_behind = comma(text.text, part.end);
    let end = comma_behind.map_or(part.end, |comma| comma + 1);
    let rest = text.text[end..text.line_end(end)].trim_start();
    let is_last = rest.is_empty() || rest.starts_with('#');
    if text.is_first(part.start) && is_last && !text.has_break(part.end..end) {
        return (text.whole_lines(part.start, end), None);
    }
    match (before, behind) {
        (_, Some(behind)) if !text.has_break(part.end..behind.start) => {
            (part.start..behind.start, None)
        }
        (Some(before), None) if !text.has_break(before.end..part.start) => {
            (before.end..part.end, None)
        }
        // The comma before the last part stays: it may be at the end of a list.
        _ => (part.start..part.end, comma_behind),
    }
}

/// Returns the position of the comma behind a position, if only white space and comments are
/// between them.
fn comma(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text[at..].trim_start();
        at = text.len() - rest.len();
        match rest.chars().next()? {
            ',' => return Some(at),
            '#' => at += rest.find(['\n', '\r'])?,
            _ => return None,
        }
    }
}
