//! Generates the reference of link properties from the JSON Schema of the types: every property
//! with its default, its forms, and the keys of its tables.

use std::collections::BTreeSet;
use std::fmt::Write;

use netloom_link::PipeConfig;
use serde_json::{Map, Value};

const HEAD: &str = "\
# Properties of a link

*Made from the types by `make generate`; do not edit. What the properties do, exactly, is in
[links.md](links.md), [queues.md](queues.md) and [background.md](background.md).*

Each of these keys may stand in a link (for both directions), in its `forward` or `reverse`, under
`defaults.link`, in `set` of the timeline, and in `netloom set LINK KEY=VALUE`. Every one can be
changed while the network runs.

```
            state, pipe_mtu,  queue     rate, framing, burst    loss, ber, corrupt     delay, jitter,
            condition         limit,    mac_overhead            duplicate              reorder
                              discipline
                   │            │             │                     │                      │
             ┌─────▼─────┐ ┌────▼────┐ ┌──────▼────────┐ ┌──────────▼──────────┐ ┌─────────▼──────────┐
 a frame ───▶│ admission │▶│  queue  │▶│ serialization │▶│       channel       │▶│    propagation     │───▶ released
 arrives     └─────┬─────┘ └────┬────┘ └──────┬────────┘ └──────────┬──────────┘ └────────────────────┘
                   ▼            ▼             ▼                     ▼
            down, mtu,   queue_full, aqm    loss            loss, bit_error            (dropped as)
            policed
```
";

/// Properties in the order of the pipeline, then other parts of the schema.
const ORDER: &[&str] = &[
    "rate",
    "burst",
    "framing",
    "mac_overhead",
    "condition",
    "queue",
    "background",
    "delay",
    "jitter",
    "reorder",
    "loss",
    "ber",
    "bit_errors",
    "corrupt",
    "duplicate",
    "pipe_mtu",
    "state",
    "in_flight",
];

/// The page.
pub fn page(schema: &Value) -> anyhow::Result<String> {
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let properties = definitions
        .get("Properties")
        .and_then(|pipe| pipe["properties"].as_object())
        .ok_or_else(|| anyhow::anyhow!("the schema has no type `Properties`"))?;
    let defaults = serde_json::to_value(PipeConfig::default())?;
    let page = Page { definitions: &definitions, defaults: &defaults };
    let known = ORDER.iter().copied().filter(|key| properties.contains_key(*key));
    let others = properties.keys().map(String::as_str).filter(|key| !ORDER.contains(key));
    let keys: Vec<&str> = known.chain(others).collect();
    let mut text = HEAD.to_owned();
    text.push_str("\n| property | default |\n|---|---|\n");
    for key in &keys {
        writeln!(text, "| [`{key}`](#{key}) | {} |", page.default(key))?;
    }
    for key in keys {
        writeln!(text, "\n## `{key}`\n\n{}\n", words(&properties[key]))?;
        let start = text.len();
        page.describe(&mut text, &properties[key], &mut BTreeSet::new())?;
        if key == "background" {
            // The models have a page of their own.
            let end = text[start..].find("\n\n").map_or(text.len(), |end| start + end);
            text.truncate(end);
            text.push_str("\n\nThe keys of the models are in [traffic.md](traffic.md#models).\n");
        }
    }
    Ok(text.replace("\n\n\n", "\n\n").trim_end().to_owned() + "\n")
}

struct Page<'a> {
    definitions: &'a Map<String, Value>,
    defaults: &'a Value,
}

impl<'a> Page<'a> {
    fn default(&self, key: &str) -> String {
        match self.defaults.get(key) {
            None => "".into(),
            Some(Value::String(text)) => format!("`{text}`"),
            Some(Value::Array(list)) if list.is_empty() => "none".into(),
            Some(Value::Object(map)) => {
                let entries = map.iter().map(|(key, value)| match value {
                    Value::String(text) => format!("{key}: {text}"),
                    value => format!("{key}: {value}"),
                });
                format!("`{{{}}}`", entries.collect::<Vec<_>>().join(", "))
            }
            Some(value) => format!("`{value}`"),
        }
    }

    /// The type behind `$ref` and its name, or the schema itself.
    fn resolve(&self, schema: &'a Value) -> (Option<&'a str>, &'a Value) {
        let name = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
        match name.and_then(|name| Some((name, self.definitions.get(name)?))) {
            Some((name, schema)) => (Some(name), schema),
            None => (None, schema),
        }
    }

    /// Describes the forms of a type, and the keys of its tables at any depth. Each type is
    /// described once.
    fn describe(
        &self,
        text: &mut String,
        schema: &'a Value,
        seen: &mut BTreeSet<&'a str>,
    ) -> anyhow::Result<()> {
        let (name, schema) = self.resolve(schema);
        if name.is_some_and(|name| !seen.insert(name)) {
            return Ok(());
        }
        let mut below = Vec::new();
        if let Some(properties) = schema["properties"].as_object() {
            text.push_str("| key | value | meaning |\n|---|---|---|\n");
            let required = schema["required"].as_array();
            for (key, value) in properties {
                let needed = required.is_some_and(|keys| keys.iter().any(|name| name == key));
                let needed = if needed { " (required)" } else { "" };
                writeln!(text, "| `{key}`{needed} | {} | {} |", self.kind(value), words(value))?;
                below.push((key.clone(), value));
            }
            text.push('\n');
        } else if let Some(variants) = variants(schema) {
            text.push_str("| written as | value | meaning |\n|---|---|---|\n");
            for variant in variants {
                for (key, value) in variant["properties"].as_object().into_iter().flatten() {
                    let (kind, meaning) = (self.kind(value), words(variant));
                    writeln!(text, "| `{{{key}: …}}` | {kind} | {meaning} |")?;
                    below.push((key.clone(), value));
                }
            }
            text.push('\n');
        } else if let Some(choices) = schema["anyOf"].as_array() {
            for choice in choices.iter().filter(|choice| !is_file_content(choice)) {
                self.describe(text, choice, seen)?;
            }
        } else if schema["type"] == "array" {
            self.describe(text, &schema["items"], seen)?;
        } else if let Some(examples) = schema["examples"].as_array() {
            let examples = examples.iter().map(example).collect::<Vec<_>>().join(", ");
            writeln!(text, "Example: {examples}.\n")?;
        }
        for (key, value) in below {
            if self.has_table(value, &mut BTreeSet::new()) && !self.was_seen(value, seen) {
                writeln!(text, "`{key}`:\n")?;
                self.describe(text, value, seen)?;
            }
        }
        Ok(())
    }

    fn was_seen(&self, schema: &'a Value, seen: &BTreeSet<&'a str>) -> bool {
        let (name, resolved) = self.resolve(schema);
        match name {
            Some(name) => seen.contains(name),
            None => resolved["type"] == "array" && self.was_seen(&resolved["items"], seen),
        }
    }

    /// Whether there are keys anywhere in a type.
    fn has_table(&self, schema: &'a Value, seen: &mut BTreeSet<&'a str>) -> bool {
        let (name, schema) = self.resolve(schema);
        if name.is_some_and(|name| !seen.insert(name)) || is_file_content(schema) {
            return false;
        }
        let has_keys = |schema: &Value| {
            schema["properties"].as_object().is_some_and(|properties| !properties.is_empty())
        };
        has_keys(schema)
            || variants(schema).is_some()
            || schema["anyOf"].as_array().is_some_and(|choices| {
                choices
                    .iter()
                    .filter(|choice| !is_file_content(choice))
                    .any(|choice| self.has_table(choice, seen))
            })
            || (schema["type"] == "array" && self.has_table(&schema["items"], seen))
    }

    /// Describes a type in a word or two.
    fn kind(&self, schema: &'a Value) -> String {
        let (name, schema) = self.resolve(schema);
        if let Some(examples) = schema["examples"].as_array().filter(|list| !list.is_empty()) {
            return format!("like {}", examples.iter().map(example).collect::<Vec<_>>().join(", "));
        }
        if let Some(words) = enumeration(schema) {
            return words;
        }
        match (name, schema["type"].as_str()) {
            (Some(name), _) if name.starts_with("DataOf") => "a file or a list".into(),
            (_, Some("integer")) => "a whole number".into(),
            (_, Some("array")) => "a list".into(),
            (_, Some("boolean")) => "`true` or `false`".into(),
            (_, Some("string")) => "a text".into(),
            (_, Some("number")) => "a number".into(),
            (_, Some("object")) => "a table".into(),
            _ => "see below".into(),
        }
    }
}

/// The tables of a type that is one of several tables.
fn variants(schema: &Value) -> Option<Vec<&Value>> {
    let choices = schema["oneOf"].as_array()?;
    let tables: Vec<&Value> = choices.iter().filter(|choice| choice["type"] == "object").collect();
    (!tables.is_empty()).then_some(tables)
}

/// The words of a type that is one of several words.
fn enumeration(schema: &Value) -> Option<String> {
    let choices = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())?;
    let words: Vec<String> =
        choices.iter().filter_map(|one| one["const"].as_str()).map(quoted).collect();
    (!words.is_empty() && words.len() == choices.len()).then(|| words.join(", "))
}

/// Whether the schema is that of a file's contents on the way to the engine, which people do not
/// write.
fn is_file_content(schema: &Value) -> bool {
    schema["$ref"].as_str().is_some_and(|path| path.contains("/FileContent"))
        || schema["description"] == "How a file's content travels with its name."
}

fn example(value: &Value) -> String {
    value.as_str().map_or_else(|| format!("`{value}`"), quoted)
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

/// A description in one line that is safe in a table.
fn words(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|")
}
