//! Values on lines of their own, and whole documents.

use super::flow::flow;
use super::scalar::{Place, needs_escape, scalar, text};
use crate::value::Value;

/// Number of columns that a list within a line may have, its key included.
const WIDTH: usize = 100;

/// Writes a whole document: in block style, but for lists of scalars that fit into a line.
///
/// Reading the text gives `value` again. The exceptions have no form in YAML: what is no number
/// (NaN), and keys of more than about 1000 characters.
pub fn document(value: &Value) -> String {
    let (head, lines) = self::value(value, 0, 0);
    let mut out = head.trim_start().to_owned();
    for line in lines {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&line);
    }
    out + "\n"
}

/// Returns the lines of an entry of a mapping. All but the first are indented by `indent` columns.
pub(crate) fn entry(name: &str, value: &Value, indent: usize) -> Vec<String> {
    let name = text(name, Place::Block);
    let (head, mut lines) = self::value(value, indent + 2, indent + name.chars().count() + 1);
    lines.insert(0, format!("{name}:{head}"));
    lines
}

/// Returns the lines of an element of a list. All but the first are indented by `indent` columns.
pub(crate) fn item(value: &Value, indent: usize) -> Vec<String> {
    let mut lines = match value {
        Value::Mapping(entries) if !entries.is_empty() => mapping(entries, indent + 2),
        Value::List(elements) if !fits(value, indent + 2) => list(elements, indent + 2),
        value => {
            let (head, mut lines) = self::value(value, indent + 2, indent + 1);
            lines.insert(0, head.trim_start().to_owned());
            lines
        }
    };
    // A value has at least one line here: that of its head.
    lines[0] = format!("- {}", lines[0]).trim_end().to_owned();
    lines
}

/// Returns a value behind a key that ends in `column`: what stands on the line of the key, with a
/// space before it, and the lines below, which are indented by `indent` columns.
pub(crate) fn value(value: &Value, indent: usize, column: usize) -> (String, Vec<String>) {
    match value {
        Value::Null => (String::new(), Vec::new()),
        Value::Mapping(entries) if !entries.is_empty() => {
            (String::new(), indented(mapping(entries, indent), indent))
        }
        Value::List(elements) if !fits(value, column + 1) => {
            (String::new(), indented(list(elements, indent), indent))
        }
        Value::Text(text) => match literal(text) {
            Some((header, lines)) => {
                let pad = |line: &str| match line {
                    "" => String::new(),
                    line => format!("{:indent$}{line}", "", indent = indent.max(1)),
                };
                (format!(" {header}"), lines.map(pad).collect())
            }
            None => (format!(" {}", scalar(value, Place::Block)), Vec::new()),
        },
        value => (format!(" {}", flow(value, Place::Block)), Vec::new()),
    }
}

/// Returns the lines of a list or mapping that has contents. All but the first are indented by
/// `indent` columns.
pub(crate) fn lines(value: &Value, indent: usize) -> Vec<String> {
    match value {
        Value::List(elements) => list(elements, indent),
        Value::Mapping(entries) => mapping(entries, indent),
        scalar => vec![flow(scalar, Place::Block)],
    }
}

/// Whether a value may be on one line that begins in `column`: a list of scalars that is short
/// enough, or a value without contents.
pub(crate) fn fits(value: &Value, column: usize) -> bool {
    match value {
        Value::List(elements) if !elements.is_empty() => {
            elements.iter().all(Value::is_scalar)
                && column + flow(value, Place::Block).chars().count() <= WIDTH
        }
        value => value.is_scalar() || value.is_empty_collection(),
    }
}

/// Returns the header and the lines of a text as a literal block scalar, if that can hold it: a
/// text of several lines without odd spaces.
fn literal(text: &str) -> Option<(&'static str, std::str::Split<'_, char>)> {
    let (header, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let is_odd = |line: &str| line.ends_with([' ', '\t']) || line.starts_with('\t');
    let begins_well = !body.starts_with([' ', '\n', '\t']);
    let holds = body.contains('\n')
        && begins_well
        && !body.ends_with('\n')
        && !body.split('\n').any(is_odd)
        && !body.chars().any(|c| c != '\n' && c != '\t' && needs_escape(c));
    holds.then(|| (header, body.split('\n')))
}

fn mapping(entries: &[(String, Value)], indent: usize) -> Vec<String> {
    let lines = entries.iter().enumerate().flat_map(|(index, (name, value))| {
        let mut lines = entry(name, value, indent);
        if index > 0 {
            lines[0] = format!("{:indent$}{}", "", lines[0]);
        }
        lines
    });
    lines.collect()
}

fn list(elements: &[Value], indent: usize) -> Vec<String> {
    let lines = elements.iter().enumerate().flat_map(|(index, value)| {
        let mut lines = item(value, indent);
        if index > 0 {
            lines[0] = format!("{:indent$}{}", "", lines[0]);
        }
        lines
    });
    lines.collect()
}

/// Indents the first of some lines.
fn indented(mut lines: Vec<String>, indent: usize) -> Vec<String> {
    lines[0] = format!("{:indent$}{}", "", lines[0]);
    lines
}
