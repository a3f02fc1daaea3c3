//! Replaces a value.

use saphyr_parser::ScalarStyle;

use super::patch::{Form, Patch, Text};
use super::spot::{Holder, Spot};
use crate::places::{Content, Place, Style};
use crate::value::Value;
use crate::write;

/// A value as text behind an indicator.
struct Written {
    /// What is on the line of the indicator, with a space before it.
    head: String,
    /// Whole lines below.
    lines: Vec<String>,
}

/// Returns the replacements that put `value` where the spot is.
pub(super) fn patch(text: &Text<'_>, spot: &Spot<'_>, value: &Value, form: Form) -> Patch {
    if spot.is_in_flow() {
        return in_flow(text, spot, value);
    }
    let written = written(text, spot, value, form);
    if spot.place.is_block() {
        over_lines(text, spot, written)
    } else {
        over_line(text, spot.place, written)
    }
}

/// Inside of `[]` or `{}`.
fn in_flow(text: &Text<'_>, spot: &Spot<'_>, value: &Value) -> Patch {
    let old = spot.place;
    let new = same_quotes(text, old, value, write::Place::Flow)
        .unwrap_or_else(|| write::flow(value, write::Place::Flow));
    if old.is_absent() && old.start == old.end {
        let separator = match spot.holder {
            Holder::Entry { entries, index, .. } if !entries[index].has_colon => ": ",
            _ => " ",
        };
        return vec![(old.end..old.end, format!("{separator}{new}"))];
    }
    vec![(old.start..old.end, format!("{}{new}", anchor(old)).trim_start().to_owned())]
}

/// Over a block list or a block mapping.
fn over_lines(text: &Text<'_>, spot: &Spot<'_>, Written { head, lines }: Written) -> Patch {
    let old = spot.place;
    let end = text.line_end(old.end);
    if begins_on_its_line(text, spot) {
        let new = match head.trim_start() {
            "" => text.joined(&lines),
            head => format!("{head}{}", text.below(&lines)),
        };
        return vec![(old.body..end, new)];
    }
    let start = text.line_start(old.body);
    // A tag goes with the value that it was for.
    let head = if old.has_tag { format!("{}{head}", anchor(old)) } else { head };
    let at = if old.has_tag { old.after } else { old.gap };
    let head = (at..old.gap, head);
    match lines.is_empty() {
        true => vec![head, (text.line_break_before(start)..end, String::new())],
        false => vec![head, (start..end, text.joined(&lines))],
    }
}

/// Over anything else: a scalar, an alias, something in `[]` or `{}`, or nothing.
fn over_line(text: &Text<'_>, old: &Place, Written { head, lines }: Written) -> Patch {
    let head = format!("{}{head}", anchor(old));
    let end = text.line_end(old.end);
    let is_below = text.has_break(old.after..old.start);
    let mut patch = Patch::new();
    if is_below && (head.is_empty() || !lines.is_empty()) {
        let start = text.line_break_before(text.line_start(old.start));
        return vec![(old.after..old.after, head), (start..end, text.below(&lines))];
    }
    if old.start == old.end || head.is_empty() {
        patch.push((old.after..old.end, head));
    } else {
        patch.push((old.start..old.end, head.trim_start().to_owned()));
    }
    patch.push((end..end, text.below(&lines)));
    patch
}

/// Returns the anchor that stays where `old` was, with a space before it.
fn anchor(old: &Place) -> String {
    old.anchor.as_ref().map(|anchor| format!(" &{} ", anchor.name)).unwrap_or_default()
}

/// Whether a block list or mapping begins on the line of what holds it: `- a: 1`.
fn begins_on_its_line(text: &Text<'_>, spot: &Spot<'_>) -> bool {
    matches!(spot.holder, Holder::Document) || !text.has_break(spot.place.after..spot.place.body)
}

/// Returns the value as text, in the style of what it replaces if that is possible.
fn written(text: &Text<'_>, spot: &Spot<'_>, value: &Value, form: Form) -> Written {
    let old = spot.place;
    let (least, usual) = match spot.holder {
        Holder::Document => (0, 0),
        Holder::Item { items, index, .. } => {
            let dash = text.column(items[index].start);
            (dash + 1, dash + 2)
        }
        Holder::Entry { entries, index, .. } => {
            let key = text.column(entries[index].start);
            // A list may be as far to the left as the key that has it.
            (key + usize::from(!matches!(value, Value::List(_))), key + 2)
        }
    };
    let inline = |new: String| Written { head: format!(" {new}"), lines: Vec::new() };
    let is_collection = !value.is_scalar() && !value.is_empty_collection();
    let is_in_brackets = matches!(
        old.content,
        Content::List { style: Style::Flow, .. } | Content::Mapping { style: Style::Flow, .. }
    );
    if (is_in_brackets && is_collection) || (form == Form::OneLine && *value != Value::Null) {
        return inline(write::flow(value, write::Place::Block));
    }
    if let Some(new) = same_quotes(text, old, value, write::Place::Block) {
        return inline(new);
    }
    let is_on_its_line = begins_on_its_line(text, spot);
    let indent = match old.is_block() && !is_on_its_line {
        true => Some(text.column(old.body)).filter(|column| *column >= least).unwrap_or(usual),
        false => usual,
    };
    let column = text.column(old.after);
    if !is_collection || (!old.is_block() && write::fits(value, column + 1)) {
        let (head, lines) = write::value(value, indent, column);
        return Written { head, lines };
    }
    let mut lines = write::lines(value, indent);
    let is_compact = matches!(spot.holder, Holder::Item { .. }) && !old.is_anchored();
    if is_compact && (is_on_its_line || !old.is_block()) {
        let head = format!(" {}", lines.remove(0));
        return Written { head, lines };
    }
    Written { head: String::new(), lines: text.indented(lines, indent) }
}

/// Returns a text in the quotes of the text that it replaces, if that has any.
fn same_quotes(text: &Text<'_>, old: &Place, value: &Value, place: write::Place) -> Option<String> {
    let (Content::Scalar { style, .. }, Value::Text(new)) = (&old.content, value) else {
        return None;
    };
    match style {
        ScalarStyle::DoubleQuoted => Some(write::quoted(new)),
        ScalarStyle::SingleQuoted if write::text(new, place) == *new => Some(format!("'{new}'")),
        // What is longer than a line may not fit into single quotes.
        ScalarStyle::SingleQuoted if !text.has_break(old.body..old.end) => {
            Some(write::single_quoted(new))
        }
        _ => None,
    }
}
