//! Values within a line: `[a, {b: c}]`.

use super::scalar::{Place, scalar, text};
use crate::value::Value;

/// Returns a value on one line. With `place`, a text outside of lists and mappings needs quotes
/// less often.
pub(crate) fn flow(value: &Value, place: Place) -> String {
    match value {
        Value::List(elements) => {
            let elements: Vec<String> = elements.iter().map(|e| flow(e, Place::Flow)).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Mapping(entries) => {
            let entry = |(name, value): &(String, Value)| match value {
                Value::Null => format!("{}: ", key(name)),
                value => format!("{}: {}", key(name), flow(value, Place::Flow)),
            };
            let entries: Vec<String> = entries.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        value => scalar(value, place),
    }
}

/// Returns a key of a mapping within a line.
fn key(name: &str) -> String {
    text(name, Place::Flow)
}
