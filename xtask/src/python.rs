//! Types of the Python package, from the schemas: `TypedDict`s, which only type checkers read.
//! Those of scenarios' files are in one module; that of the API has the others, and names these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Longest line.
const WIDTH: usize = 100;

/// Words of Python that no field of a class may be called.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Keyword arguments of the package: their class, the definition that has them, and the keys of it
/// that are arguments of their own.
const ARGUMENTS: [(&str, &str, &[&str]); 8] = [
    ("ScenarioKeys", "Scenario", &["name"]),
    ("NodeKeys", "Node", &[]),
    ("LinkKeys", "Link", &["endpoints"]),
    ("MediumKeys", "Medium", &[]),
    ("TrafficKeys", "TrafficHead", &["name", "from", "to", "for"]),
    ("ProcessKeys", "Process", &["name", "node", "command"]),
    ("LinkChangeKeys", "Properties", &[]),
    ("MediumChangeKeys", "MediumProperties", &[]),
];

/// The text of each class or other name of a module. Classes come before names for several of them.
type Classes = BTreeMap<String, String>;

/// Returns the modules of types of scenarios' files, and of the engine's API.
pub fn modules(schema: &Value, document: &Value) -> Result<[String; 2]> {
    let files = of_scenarios(schema)?;
    let definitions = document["components"]["schemas"].as_object().context("schemas")?.clone();
    let mut api = Types::new(definitions).classes()?;
    let shared = shared(&files, &api);
    api.retain(|key, _| !shared.contains(key));
    let mut imports = String::from("\nfrom ._types import (\n");
    for name in shared.iter().map(|key| name(key)) {
        writeln!(imports, "    {name} as {name},")?;
    }
    imports += ")\n";
    Ok([
        page("Types of scenarios' files", "", &files),
        page("Types of the engine's API", &imports, &api),
    ])
}

fn of_scenarios(schema: &Value) -> Result<Classes> {
    let mut definitions = schema["$defs"].as_object().context("definitions")?.clone();
    let mut root = schema.as_object().context("a schema")?.clone();
    root.remove("$defs");
    root.remove("title");
    definitions.insert("Scenario".into(), Value::Object(root));
    let mut types = Types::new(definitions);
    for (name, of, without) in ARGUMENTS {
        let mut keys = types.definitions[of].clone();
        keys["required"] = json!([]);
        keys["description"] = json!(format!("Keys of `{of}` as keyword arguments."));
        let properties = keys["properties"].as_object_mut().context(name)?;
        properties.retain(|key, _| !without.contains(&key.as_str()) && is_name(key));
        types.definitions.insert(name.into(), keys);
    }
    types.classes()
}

/// Returns what two modules have in common: texts that are the same, as are all that they name.
fn shared(one: &Classes, other: &Classes) -> BTreeSet<String> {
    let is_same = |key: &&String| one.get(*key) == other.get(*key);
    let mut shared: BTreeSet<String> = other.keys().filter(is_same).cloned().collect();
    loop {
        let differ: BTreeSet<&str> =
            other.keys().filter(|key| !shared.contains(*key)).map(|key| name(key)).collect();
        // Every other piece is a description.
        let types = |text: &str| text.split("\"\"\"").step_by(2).collect::<String>();
        let names_one = |text: &str| {
            types(text)
                .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                .any(|word| differ.contains(word))
        };
        let (before, texts) = (shared.len(), other);
        shared.retain(|key| !names_one(&texts[key]));
        if shared.len() == before {
            return shared;
        }
    }
}

/// Returns the name in a key of [`Classes`].
fn name(key: &str) -> &str {
    key.trim_start_matches(['!', '~'])
}

fn page(title: &str, imports: &str, classes: &Classes) -> String {
    let texts: String = classes.values().map(String::as_str).collect();
    format!(
        "\"\"\"{title}. `make generate` makes this file; only type checkers read it.\"\"\"\n\n\
         # ruff: noqa: E501, UP, RUF\n\
         from typing import Any, Literal, TypeAlias, TypedDict\n\n\
         from typing_extensions import Required\n{imports}{texts}"
    )
}

struct Types {
    definitions: Map<String, Value>,
    classes: Classes,
    written: BTreeSet<String>,
}

impl Types {
    fn new(definitions: Map<String, Value>) -> Self {
        Self { definitions, classes: Classes::new(), written: BTreeSet::new() }
    }

    fn classes(mut self) -> Result<Classes> {
        for (name, schema) in self.definitions.clone() {
            self.definition(&name, &schema)?;
        }
        Ok(self.classes)
    }

    /// Writes a definition: a class of an object, or another name for anything else.
    fn definition(&mut self, name: &str, schema: &Value) -> Result<()> {
        let choices = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array);
        match (schema.get("properties"), choices) {
            (Some(_), None) => self.class(name, schema, None),
            (Some(_), Some(choices)) => self.choices_of(name, schema, choices),
            (None, _) => {
                let written = self.written_type(schema)?;
                let about = about(schema, 0);
                self.classes.insert(
                    name.into(),
                    format!("\n{name}: TypeAlias = {}\n{about}", quoted(&written)),
                );
                Ok(())
            }
        }
    }

    /// Writes an object that has keys of its own, and those of one of several choices.
    fn choices_of(&mut self, name: &str, schema: &Value, choices: &[Value]) -> Result<()> {
        let base = format!("{name}Base");
        self.class(&base, schema, None)?;
        let mut names = Vec::new();
        for choice in choices {
            match choice["title"].as_str() {
                Some(title) if choice.get("properties").is_some() => {
                    self.class(title, choice, Some(&base))?;
                    names.push(title.to_owned());
                }
                _ => names.push(self.written_type(choice)?),
            }
        }
        let text = format!("\n{name}: TypeAlias = {}\n", quoted(&names.join(" | ")));
        self.classes.insert(name.into(), text);
        Ok(())
    }

    fn class(&mut self, name: &str, schema: &Value, base: Option<&str>) -> Result<()> {
        if !self.written.insert(name.to_owned()) {
            return Ok(());
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = schema["properties"].as_object().context("properties")?;
        let mut fields = Vec::new();
        for (key, property) in properties {
            let mut written = self.written_type(property)?;
            if required.contains(&key.as_str()) {
                written = format!("Required[{written}]");
            }
            fields.push((key, written, property));
        }
        let mut text = String::from("\n");
        if fields.iter().all(|(key, ..)| is_name(key)) {
            let base = base.unwrap_or("TypedDict");
            writeln!(text, "class {name}({base}, total=False):")?;
            let head = about(schema, 4);
            text += &head;
            if fields.is_empty() && head.is_empty() {
                text += "    pass\n";
            }
            for (key, written, property) in fields {
                writeln!(text, "    {key}: {}", quoted(&written))?;
                text += &about(property, 4);
            }
        } else {
            // A class has no field of such a name.
            let entries = fields
                .iter()
                .map(|(key, written, _)| format!("    \"{key}\": {},\n", quoted(written)));
            let entries: String = entries.collect();
            writeln!(text, "{name} = TypedDict(\"{name}\", {{\n{entries}}}, total=False)")?;
            text += &about(schema, 0);
        }
        // Classes come before the names for several of them.
        self.classes.insert(format!("!{}{name}", if base.is_some() { "~" } else { "" }), text);
        Ok(())
    }

    fn written_type(&mut self, schema: &Value) -> Result<String> {
        if let Some(reference) = schema["$ref"].as_str() {
            return Ok(reference.rsplit('/').next().unwrap_or(reference).to_owned());
        }
        if let Some(constant) = schema.get("const") {
            return Ok(literal(std::slice::from_ref(constant)));
        }
        if let Some(values) = schema["enum"].as_array() {
            return Ok(literal(values));
        }
        let choices = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array);
        if let Some(choices) = choices {
            let mut names: Vec<String> = Vec::new();
            for choice in choices {
                let name = self.written_type(choice)?;
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            return Ok(names.join(" | "));
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.clone(),
            Value::Null => return Ok("Any".into()),
            kind => vec![kind.clone()],
        };
        let names = kinds.iter().filter_map(Value::as_str).map(|kind| self.of_kind(kind, schema));
        Ok(names.collect::<Result<Vec<_>>>()?.join(" | "))
    }

    fn of_kind(&mut self, kind: &str, schema: &Value) -> Result<String> {
        Ok(match kind {
            "string" => "str".into(),
            "integer" => "int".into(),
            "number" => "float".into(),
            "boolean" => "bool".into(),
            "null" => "None".into(),
            "array" => match schema.get("items") {
                Some(items) if items.is_object() => format!("list[{}]", self.written_type(items)?),
                _ => "list[Any]".into(),
            },
            "object" => match (schema.get("properties"), schema.get("additionalProperties")) {
                (Some(_), _) => {
                    let title = schema["title"].as_str().context("an object without a title")?;
                    self.class(title, schema, None)?;
                    title.into()
                }
                (None, Some(entry)) if entry.is_object() => {
                    format!("dict[str, {}]", self.written_type(entry)?)
                }
                _ => "dict[str, Any]".into(),
            },
            other => anyhow::bail!("no Python type for `{other}`"),
        })
    }
}

/// Whether a class of Python can have a field of this name.
fn is_name(key: &str) -> bool {
    let is_word = key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    is_word && !key.starts_with(|letter: char| letter.is_ascii_digit()) && !KEYWORDS.contains(&key)
}

fn literal(values: &[Value]) -> String {
    let values = values.iter().map(|value| match value {
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Null => "None".into(),
        other => other.to_string().replace('"', "'"),
    });
    let values: Vec<String> = values.collect();
    format!("Literal[{}]", values.join(", "))
}

/// Writes a type so that it may name classes that come later.
fn quoted(written: &str) -> String {
    format!("\"{written}\"")
}

/// Writes the description of a schema.
fn about(schema: &Value, indent: usize) -> String {
    let Some(text) = schema["description"].as_str() else { return String::new() };
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "'''");
    let (margin, mut lines) = (" ".repeat(indent), Vec::new());
    let mut line = format!("{margin}\"\"\"");
    for word in text.split_whitespace() {
        let fits = line.chars().count() + word.chars().count() + 4 < WIDTH;
        if !fits && line.trim().len() > 3 {
            lines.push(std::mem::replace(&mut line, margin.clone()));
        }
        if !line.ends_with("\"\"\"") && line != margin {
            line.push(' ');
        }
        line += word;
    }
    let end = if line.ends_with('"') { " \"\"\"" } else { "\"\"\"" };
    lines.push(line + end);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_something_else_is_not_shared() {
        let module = |inner: &str| -> Classes {
            [
                ("!A", "class A(TypedDict):\n    b: \"B\"\n"),
                ("B", inner),
                ("!C", "class C(TypedDict):\n    \"\"\"Not a B.\"\"\"\n"),
            ]
            .map(|(key, text)| (key.into(), text.into()))
            .into()
        };
        assert_eq!(shared(&module("B: int"), &module("B: int")).len(), 3);
        let shared = shared(&module("B: int"), &module("B: str"));
        assert_eq!(shared.into_iter().collect::<Vec<_>>(), ["!C"]);
    }
}
