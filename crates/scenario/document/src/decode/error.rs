//! The error of a node that could not be decoded.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::span::Span;
use crate::yaml::{Content, NodeId};

/// An error, and the node where it occurred. The node is set as the error passes the innermost
/// deserializer.
#[derive(Debug)]
pub struct DecodeError {
    kind: Kind,
    node: Option<NodeId>,
}

#[derive(Debug)]
enum Kind {
    UnknownKey { key: String, expected: Vec<&'static str> },
    UnknownValue { value: String, expected: &'static [&'static str] },
    MissingKey(&'static str),
    Other(String),
}

impl DecodeError {
    /// Creates an error for a key that is not one of `expected`.
    pub fn unknown_key(key: &str, expected: Vec<&'static str>) -> Self {
        Kind::UnknownKey { key: key.into(), expected }.into()
    }

    /// Sets the node of this error, unless it has one.
    pub fn at(mut self, node: NodeId) -> Self {
        self.node.get_or_insert(node);
        self
    }

    /// Returns the node where the error occurred.
    pub fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// Returns the missing key, if the error is about one.
    pub fn missing_key(&self) -> Option<&'static str> {
        match self.kind {
            Kind::MissingKey(key) => Some(key),
            _ => None,
        }
    }

    /// Returns the unknown key and those expected in its place, if the error is about one.
    pub fn unknown_key_of(&self) -> Option<(&str, &[&'static str])> {
        match &self.kind {
            Kind::UnknownKey { key, expected } => Some((key, expected)),
            _ => None,
        }
    }

    /// Returns how to write what was expected, if that is a list and a mapping was `found`, or the
    /// other way round.
    pub fn expected_container(&self, found: &Content) -> Option<&'static str> {
        let Kind::Other(message) = &self.kind else { return None };
        match found {
            Content::Sequence(_) if message.starts_with(EXPECTED_MAPPING) => {
                Some("write `name: value` here, without dashes and brackets")
            }
            Content::Mapping(_) if message.starts_with(EXPECTED_LIST) => {
                Some("each element of a list begins with a dash: `- name: value`")
            }
            _ => None,
        }
    }

    /// Whether a mapping was expected where something else is.
    pub fn expected_mapping(&self) -> bool {
        matches!(&self.kind, Kind::Other(message) if message.starts_with(EXPECTED_MAPPING))
    }

    /// Converts the error to a finding at `span`.
    pub fn diagnostic(self, span: Span, dialect: &Dialect) -> Diagnostic {
        match self.kind {
            Kind::UnknownKey { ref key, ref expected } => {
                let help = dialect.did_you_mean(key, "the keys here are", expected.iter().copied());
                Diagnostic::error(span, self.to_string()).with_optional_help(help)
            }
            Kind::UnknownValue { ref value, expected } => {
                let help = dialect.did_you_mean(value, "it is one of", expected.iter().copied());
                Diagnostic::error(span, self.to_string()).with_optional_help(help)
            }
            Kind::MissingKey(_) => Diagnostic::error(span, self.to_string()),
            Kind::Other(message) => match message.split_once("; ") {
                Some((message, help)) => Diagnostic::error(span, message).with_help(help),
                None => Diagnostic::error(span, message),
            },
        }
    }
}

impl From<Kind> for DecodeError {
    fn from(kind: Kind) -> Self {
        Self { kind, node: None }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::UnknownKey { key, .. } => write!(f, "unknown key `{key}`"),
            Kind::UnknownValue { value, .. } => write!(f, "unknown value `{value}`"),
            Kind::MissingKey(key) => write!(f, "the key `{key}` is missing"),
            Kind::Other(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Kind::Other(message.to_string()).into()
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::unknown_key(field, expected.to_vec())
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Kind::UnknownValue { value: variant.into(), expected }.into()
    }

    fn missing_field(field: &'static str) -> Self {
        Kind::MissingKey(field).into()
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        if found == Unexpected::UnitVariant {
            return Self::custom("this word needs a value; write a mapping, like `{word: value}`");
        }
        let expected = in_words(&expected.to_string());
        Self::custom(format!("expected {expected}, found {}", found_in_words(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }
}

/// Beginning of the message for something else than a mapping.
const EXPECTED_MAPPING: &str = "expected a mapping, found";
/// Beginning of the message for something else than a list.
const EXPECTED_LIST: &str = "expected a list, like `[a, b]`, found";

/// Describes what serde and its derived code expect, in terms of YAML.
fn in_words(expected: &str) -> String {
    match expected {
        "u8" | "u16" => "a whole number from 0 to 65535".into(),
        "u32" | "u64" | "usize" => "a whole number of zero or more".into(),
        "a boolean" => "`true` or `false`".into(),
        "a string" => "a text".into(),
        "a sequence" => "a list, like `[a, b]`".into(),
        "a map" => "a mapping".into(),
        expected if expected.starts_with("struct ") => "a mapping".into(),
        expected if expected.starts_with("enum ") || expected.starts_with("variant ") => {
            "one of the words that this key knows".into()
        }
        expected => expected.into(),
    }
}

fn found_in_words(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Unsigned(number) => format!("`{number}`"),
        Unexpected::Signed(number) => format!("`{number}`"),
        Unexpected::Float(number) => format!("`{number}`"),
        Unexpected::Str(text) => format!("`{text}`"),
        Unexpected::Unit | Unexpected::Option => "nothing".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a mapping".into(),
        other => other.to_string(),
    }
}
