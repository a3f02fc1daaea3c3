//! Plain values: what a document contains, without places, comments and styles.

use std::fmt;

use crate::yaml::{Content, NodeId, Plain, Tree};

/// A value in a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value, as behind `key:`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of zero or more.
    Unsigned(u64),
    /// A whole number below zero.
    Negative(i64),
    /// Any other finite number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Keys and values in their order. No key occurs twice.
    Mapping(Vec<(String, Value)>),
}

impl Value {
    /// Returns the value of `node` and of all below it. Aliases and merge keys are written out.
    pub fn of(tree: &Tree, node: NodeId) -> Self {
        match tree.content(node) {
            Content::Scalar { text, plain: true } => Self::plain(text),
            Content::Scalar { text, plain: false } => Self::Text(text.clone()),
            Content::Sequence(elements) => {
                Self::List(elements.iter().map(|element| Self::of(tree, *element)).collect())
            }
            Content::Mapping(entries) => {
                let key = |key| tree.text(key).unwrap_or_default().to_owned();
                let entries = entries.iter();
                Self::Mapping(entries.map(|(k, v)| (key(*k), Self::of(tree, *v))).collect())
            }
        }
    }

    /// Returns the value of a scalar that is written without quotes.
    pub fn plain(text: &str) -> Self {
        match Plain::read(text) {
            Plain::Null => Self::Null,
            Plain::Bool(value) => Self::Bool(value),
            Plain::Unsigned(number) => Self::Unsigned(number),
            // `-0` is zero.
            Plain::Negative(0) => Self::Unsigned(0),
            Plain::Negative(number) => Self::Negative(number),
            Plain::Float(number) => Self::Float(number),
            Plain::Text(text) => Self::Text(text.into()),
        }
    }

    /// Whether this is neither a list nor a mapping.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Mapping(_))
    }

    /// Whether this is a list or a mapping without contents.
    pub fn is_empty_collection(&self) -> bool {
        match self {
            Self::List(elements) => elements.is_empty(),
            Self::Mapping(entries) => entries.is_empty(),
            _ => false,
        }
    }

    /// Returns the value of the entry `key`, if this is a mapping that has it.
    pub fn entry(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Mapping(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Returns the value at `path`.
    pub fn at(&self, path: &[Step]) -> Option<&Self> {
        path.iter().try_fold(self, |value, step| match (value, step) {
            (_, Step::Key(key)) => value.entry(key),
            (Self::List(elements), Step::Index(index)) => elements.get(*index),
            _ => None,
        })
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Unsigned(number)
    }
}

impl From<Vec<Value>> for Value {
    fn from(elements: Vec<Value>) -> Self {
        Self::List(elements)
    }
}

/// A step from a value to one below it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// To the value of this key of a mapping.
    Key(String),
    /// To this element of a list, counted from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.into())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A path as people write it: `topology.links[2].rate`.
pub(crate) struct Path<'a>(pub &'a [Step]);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the document");
        }
        f.write_str("`")?;
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if index == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        f.write_str("`")
    }
}
