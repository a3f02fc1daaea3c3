//! Adds an entry to a mapping, or an element to a list.

use super::patch::{Form, Patch, Text};
use super::set;
use super::spot::{Refusal, Spot, check_alias, is_null};
use crate::places::{Content, Entry, Item, Place, Style};
use crate::value::{Step, Value};
use crate::write;

/// Returns the replacements that add a value to what is at the spot, and its number there.
pub(super) fn patch(
    text: &Text<'_>,
    root: &Place,
    spot: &Spot<'_>,
    step: &Step,
    value: &Value,
    form: Form,
) -> Result<(Patch, usize), Refusal> {
    let place = spot.place;
    check_alias(root, text.text, place)?;
    match (&place.content, step) {
        (Content::Mapping { style, entries }, Step::Key(key)) => {
            if entries.iter().any(|entry| entry.key.text() == Some(key)) {
                let message = format!("this mapping has `{key}` already");
                return Err(Refusal::new(text.text, place, message).with_help("set it"));
            }
            let patch = match style {
                Style::Block => block_entry(text, entries, key, value, form),
                Style::Flow => flow_entry(place, entries, key, value),
                Style::Bare => {
                    return Err(Refusal::new(text.text, place, "this mapping has no braces")
                        .with_help("write it in `{}`"));
                }
            };
            Ok((vec![patch], entries.len()))
        }
        (Content::List { style, items }, Step::Index(index)) => {
            let count = items.len();
            if *index > count {
                let message = format!("the list has {count} elements");
                return Err(Refusal::new(text.text, place, message)
                    .with_help(format!("the next element is {count}")));
            }
            let patch = match style {
                Style::Block => block_item(text, items, *index, value, form),
                _ => flow_item(place, items, *index, value),
            };
            Ok((vec![patch], *index))
        }
        (_, Step::Key(key)) if is_null(place) => {
            let mapping = Value::Mapping(vec![(key.clone(), value.clone())]);
            Ok((set::patch(text, spot, &mapping, form), 0))
        }
        (_, Step::Index(0)) if is_null(place) => {
            Ok((set::patch(text, spot, &Value::List(vec![value.clone()]), form), 0))
        }
        (_, Step::Key(_)) => Err(Refusal::new(text.text, place, "this is no mapping")),
        (_, Step::Index(_)) => Err(Refusal::new(text.text, place, "this is no list")),
    }
}

/// An edit of one part of the text.
type Splice = (std::ops::Range<usize>, String);

/// Behind the last entry, on lines of its own.
fn block_entry(text: &Text<'_>, entries: &[Entry], key: &str, value: &Value, form: Form) -> Splice {
    let indent = entries.first().map_or(0, |entry| text.column(entry.start));
    let end = entries.last().map_or(0, |entry| text.line_end(entry.value.end));
    let lines = match form {
        Form::Usual => write::entry(key, value, indent),
        Form::OneLine => {
            let value = write::flow(value, write::Place::Block);
            vec![format!("{}: {value}", write::text(key, write::Place::Block))]
        }
    };
    let lines = text.indented(lines, indent);
    (end..end, text.below(&lines))
}

fn flow_entry(mapping: &Place, entries: &[Entry], key: &str, value: &Value) -> Splice {
    let value = write::flow(value, write::Place::Flow);
    let new = format!("{}: {value}", write::text(key, write::Place::Flow));
    match entries.last() {
        Some(last) => (last.value.end..last.value.end, format!(", {new}")),
        None => (mapping.body + 1..mapping.body + 1, new),
    }
}

/// Behind the element before it, so that comments stay with the element below them.
fn block_item(text: &Text<'_>, items: &[Item], index: usize, value: &Value, form: Form) -> Splice {
    let start = items.first().map_or(0, |item| item.start);
    let indent = text.column(start);
    let lines = match form {
        Form::Usual => write::item(value, indent),
        Form::OneLine => vec![format!("- {}", write::flow(value, write::Place::Block))],
    };
    if index == 0 {
        // The dash of the element that was the first is now on the next line.
        let next = format!("{:indent$}", "");
        let lines: Vec<String> = lines.into_iter().chain([next]).collect();
        return (start..start, text.joined(&lines));
    }
    let end = text.line_end(items[index - 1].value.end);
    (end..end, text.below(&text.indented(lines, indent)))
}

fn flow_item(list: &Place, items: &[Item], index: usize, value: &Value) -> Splice {
    let new = write::flow(value, write::Place::Flow);
    match (items.get(index), items.last()) {
        (Some(next), _) => (next.start..next.start, format!("{new}, ")),
        (None, Some(last)) => (last.value.end..last.value.end, format!(", {new}")),
        (None, None) => (list.body + 1..list.body + 1, new),
    }
}
