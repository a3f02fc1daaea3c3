//! The type of templates.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A program that nodes can run as a service. Texts of `directories`, `files`, `prepare`,
/// `command`, `ready`, `health` and `speaks` are Jinja templates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceTemplate {
    /// What it is, in a line.
    #[serde(default)]
    pub description: String,
    /// Services that must be ready in the node before this one is started.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Whether it makes the node's routes: `routing` is then `daemon` where nobody says otherwise.
    #[serde(default)]
    pub routing: bool,
    /// Protocols that it speaks, and what neighbours are to know: `bgp: "{{ options.as }}"`. One
    /// whose text is empty or `false` is not spoken.
    #[serde(default)]
    pub speaks: BTreeMap<String, String>,
    /// Programs that must be there; `{{ programs.NAME }}` is where one was found.
    #[serde(default)]
    pub programs: BTreeMap<String, Program>,
    /// The user that it becomes, if it does: such a user must be there.
    #[serde(default)]
    pub user: Option<String>,
    /// What a scenario may say about it.
    #[serde(default)]
    pub options: BTreeMap<String, ServiceOption>,
    /// Directories of the node that are made new and empty, whatever the machine has there.
    #[serde(default)]
    pub directories: BTreeMap<String, TemplateDirectory>,
    /// Files that are made. A scenario's `files` win over these.
    #[serde(default)]
    pub files: BTreeMap<String, TemplateFile>,
    /// Commands that must succeed before it is started.
    #[serde(default)]
    pub prepare: Vec<Vec<String>>,
    /// The program and its arguments; it must stay in the foreground.
    pub command: Vec<String>,
    /// How to tell that it is ready; without it, it is ready when it is started.
    #[serde(default)]
    pub ready: Option<TemplateTest>,
    /// How to tell later, every 10 s, that it still does its work; without it, while it runs.
    #[serde(default)]
    pub health: Option<TemplateTest>,
}

/// A program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The Debian package that has it.
    pub package: String,
    /// Directories where it may be, beside those where programs usually are.
    #[serde(default, rename = "in")]
    pub places: Vec<String>,
}

/// Something that a scenario may say about a service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServiceOption {
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// What its values look like.
    #[serde(default)]
    pub kind: OptionKind,
    /// Smallest number.
    #[serde(default)]
    pub min: Option<u64>,
    /// Largest number.
    #[serde(default)]
    pub max: Option<u64>,
    /// Its value where the scenario says nothing.
    #[serde(default)]
    pub default: Option<OptionValue>,
    /// Whether the scenario must say it.
    #[serde(default)]
    pub required: bool,
}

/// What the values of an option look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    /// A line of text.
    #[default]
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A list of lines of text; one alone is a list of one.
    List,
}

/// The value of an option, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// One text.
    Text(String),
    /// Several.
    List(Vec<String>),
}

/// A directory of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateDirectory {
    /// The user, and the group of the same name, that it belongs to (default: root).
    #[serde(default)]
    pub owner: Option<String>,
    /// Who may do what (default `0755`).
    #[serde(default)]
    pub mode: Option<String>,
}

/// A file of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateFile {
    /// What is in it.
    pub content: String,
    /// The user, and the group of the same name, that it belongs to (default: root).
    #[serde(default)]
    pub owner: Option<String>,
    /// Who may do what (default `0644`).
    #[serde(default)]
    pub mode: Option<String>,
}

/// How to tell that a service works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TemplateTest {
    /// A TCP socket listens on this port.
    Port(String),
    /// This path exists.
    Path(String),
    /// This text has appeared in its output.
    Output(String),
    /// This program with these arguments succeeds.
    Command(Vec<String>),
}

impl<'de> Deserialize<'de> for OptionValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = OptionValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, `true`, `false`, or a list of texts")
            }
            fn visit_str<E>(self, text: &str) -> Result<OptionValue, E> {
                Ok(OptionValue::Text(text.into()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<OptionValue, E> {
                Ok(OptionValue::Text(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<OptionValue, E> {
                Ok(OptionValue::Text(number.to_string()))
            }
            fn visit_bool<E>(self, flag: bool) -> Result<OptionValue, E> {
                Ok(OptionValue::Text(flag.to_string()))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<OptionValue, E> {
                Err(E::custom(format!(
                    "`{number}` may be a text or a number; put it in quotes if it is a text"
                )))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<OptionValue, A::Error> {
                let mut texts: Vec<String> = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(OptionValue::List(texts))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl JsonSchema for OptionValue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OptionValue".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A text, a number, `true`, `false`, or a list of texts.",
            "anyOf": [
                { "type": ["string", "integer", "boolean"] },
                { "type": "array", "items": { "type": ["string", "number", "boolean"] } },
            ],
        })
    }
}
