//! The type of service templates.

use std::collections::BTreeMap;
use std::fmt;
use std::net::Ipv4Addr;

use netloom_units::Duration;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A program that nodes can run as a service. The texts of `directories`, `files`, `prepare`,
/// `command`, `ready`, `health` and `speaks` are Jinja templates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServiceTemplate {
    /// Description of the service, in one line.
    #[serde(default)]
    pub description: String,
    /// Services that must be ready in the node before this one starts.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Whether the service provides the node's routes. The default of `routing` is then `daemon`.
    #[serde(default)]
    pub routing: bool,
    /// Protocols that the service speaks, each with the data that neighbours need: `bgp: "{{
    /// options.as }}"`. A protocol whose text is empty or `false` is not spoken.
    #[serde(default)]
    pub speaks: BTreeMap<String, String>,
    /// Settings of each protocol that neighbours compare. `validate` reports neighbours whose
    /// settings keep them from meeting.
    #[serde(default)]
    pub compares: BTreeMap<String, Compared>,
    /// Programs that must be installed. `{{ programs.NAME }}` is the path of one.
    #[serde(default)]
    pub programs: BTreeMap<String, Program>,
    /// User that the service switches to, if it does. The user must exist.
    #[serde(default)]
    pub user: Option<String>,
    /// Options that a scenario may set.
    #[serde(default)]
    pub options: BTreeMap<String, ServiceOption>,
    /// Directories of the node that are created empty, even where the machine has such a directory.
    #[serde(default)]
    pub directories: BTreeMap<String, TemplateDirectory>,
    /// Files that are generated. A scenario's `files` take precedence over them.
    #[serde(default)]
    pub files: BTreeMap<String, TemplateFile>,
    /// Commands that must succeed before the service starts.
    #[serde(default)]
    pub prepare: Vec<Vec<String>>,
    /// The program and its arguments. It must stay in the foreground.
    pub command: Vec<String>,
    /// Test that the service is ready. Without it, the service is ready when it has started.
    #[serde(default)]
    pub ready: Option<TemplateTest>,
    /// Test that the service still works, every 10 s. Without it, a service works while it runs.
    #[serde(default)]
    pub health: Option<TemplateTest>,
}

/// Settings of a protocol that the neighbours on a link compare.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Compared {
    /// Option that turns the protocol on, by `true` or by any value. Absent: it is always on.
    #[serde(default)]
    pub when: Option<String>,
    /// The option that holds each setting: `hello: babel_hello`.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// A program that a service needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Debian package that contains the program.
    pub package: String,
    /// Directories to search, in addition to those where programs usually are.
    #[serde(default, rename = "in")]
    pub places: Vec<String>,
}

/// An option of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ServiceOption {
    /// Description of the option.
    #[serde(default)]
    pub description: String,
    /// Type of its values.
    #[serde(default)]
    pub kind: OptionKind,
    /// Smallest number that is valid.
    #[serde(default)]
    pub min: Option<u64>,
    /// Largest number that is valid.
    #[serde(default)]
    pub max: Option<u64>,
    /// Value if the scenario does not set the option.
    #[serde(default)]
    pub default: Option<OptionValue>,
    /// Whether the scenario must set the option.
    #[serde(default)]
    pub required: bool,
    /// Whether interfaces may have values of their own, as `interface.options.NAME`.
    #[serde(default)]
    pub per_interface: bool,
    /// Texts that are valid, or for a list the first words of valid lines. Absent: any.
    #[serde(default)]
    pub one_of: Option<Vec<String>>,
}

/// Type of the values of an option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    /// A line of text.
    #[default]
    Text,
    /// A whole number.
    Number,
    /// A duration like `10s`, or a number of seconds. Templates get the number of seconds, and
    /// `min` and `max` are in seconds.
    Seconds,
    /// A duration like `10ms`, or a number of milliseconds. Templates get the number of
    /// milliseconds, and `min` and `max` are in milliseconds.
    Milliseconds,
    /// `true` or `false`.
    Flag,
    /// A list of lines of text. A single line is a list of one.
    List,
    /// A list of IP prefixes like `10.9.0.0/16`. A single one is a list of one.
    Prefixes,
    /// An area of OSPF: a number, or the same number in four parts like `0.0.0.1`. Templates get
    /// four parts.
    Area,
}

impl OptionKind {
    /// Whether a value is a list.
    pub fn is_list(self) -> bool {
        matches!(self, Self::List | Self::Prefixes)
    }

    /// Returns a text in a form that is equal for equal values: `10s` and `10`, `1` and `0.0.0.1`.
    ///
    /// ```
    /// use netloom_scenario::service::OptionKind;
    ///
    /// assert_eq!(OptionKind::Seconds.canonical("1min"), "60");
    /// assert_eq!(OptionKind::Area.canonical("1"), "0.0.0.1");
    /// ```
    pub fn canonical(self, text: &str) -> String {
        match (self, self.number(text)) {
            (_, Some(Ok(number))) => number.to_string(),
            (Self::Area, _) => area(text).map_or_else(|| text.into(), |area| area.to_string()),
            _ => text.into(),
        }
    }

    /// Returns the number that a text stands for. `None` if values of this kind are no numbers.
    ///
    /// ```
    /// use netloom_scenario::service::OptionKind;
    ///
    /// assert_eq!(OptionKind::Seconds.number("10min"), Some(Ok(600)));
    /// assert_eq!(OptionKind::Seconds.number("600"), Some(Ok(600)));
    /// assert!(OptionKind::Seconds.number("1500ms").is_some_and(|number| number.is_err()));
    /// assert_eq!(OptionKind::Text.number("600"), None);
    /// ```
    pub fn number(self, text: &str) -> Option<Result<u64, String>> {
        let (unit, name) = match self {
            Self::Seconds => (Duration::from_secs(1), "seconds"),
            Self::Milliseconds => (Duration::from_millis(1), "milliseconds"),
            Self::Number => {
                let number = text.parse::<u64>();
                return Some(number.map_err(|_| format!("`{text}` is not a whole number")));
            }
            _ => return None,
        };
        if let Ok(number) = text.parse::<u64>() {
            return Some(Ok(number));
        }
        Some(match text.parse::<Duration>() {
            Ok(time) if time.as_nanos() % unit.as_nanos() == 0 => {
                Ok(time.as_nanos() / unit.as_nanos())
            }
            Ok(_) => Err(format!("`{text}` is not a whole number of {name}")),
            Err(error) => Err(format!("{error}; or write a number of {name}")),
        })
    }
}

/// Parses an area of OSPF, whose number is written like an IPv4 address or as one number.
pub(crate) fn area(text: &str) -> Option<Ipv4Addr> {
    text.parse::<u32>().map(Ipv4Addr::from_bits).ok().or_else(|| text.parse().ok())
}

/// The value of an option, as the user wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// One text.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

/// A directory of a node that a template creates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TemplateDirectory {
    /// User that owns it; the group is that of the same name (default: root).
    #[serde(default)]
    pub owner: Option<String>,
    /// Permissions (default `0755`).
    #[serde(default)]
    pub mode: Option<String>,
}

/// A file of a node that a template generates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TemplateFile {
    /// Content of the file.
    pub content: String,
    /// User that owns it; the group is that of the same name (default: root).
    #[serde(default)]
    pub owner: Option<String>,
    /// Permissions (default `0644`).
    #[serde(default)]
    pub mode: Option<String>,
}

/// A test that a service works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TemplateTest {
    /// A TCP socket listens on this port.
    Port(String),
    /// This path exists.
    Path(String),
    /// This text has appeared in the service's output.
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

#[cfg(feature = "schema")]
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
