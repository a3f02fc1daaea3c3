//! What a text means, apart from its form. An alias means that it is an alias.

use std::collections::HashMap;

use crate::places::{Content, Place};
use crate::value::{Step, Value};

/// The meaning of a text, or of a part of it.
#[derive(Debug, PartialEq)]
pub(super) struct Meaning {
    /// Name of the anchor.
    anchor: Option<String>,
    what: What,
}

#[derive(Debug, PartialEq)]
enum What {
    Scalar(Value),
    /// Name of the alias, and how many anchors of this name are before it.
    Alias(String, usize),
    List(Vec<Meaning>),
    Mapping(Vec<(Meaning, Meaning)>),
}

/// A change of a value.
#[derive(Clone, Copy)]
pub(super) enum Edit<'a> {
    /// It becomes this.
    Set(&'a Value),
    /// It gets another entry or element with this number.
    Insert(&'a Step, usize, &'a Value),
    /// It goes.
    Remove,
}

impl Meaning {
    pub fn of(root: &Place) -> Self {
        Self::read(root, &mut HashMap::new())
    }

    /// Reads a part of a text. `anchors` has the number of anchors of each name before it.
    fn read<'a>(place: &'a Place, anchors: &mut HashMap<&'a str, usize>) -> Self {
        if let Some(anchor) = &place.anchor {
            *anchors.entry(&anchor.name).or_default() += 1;
        }
        let anchor = place.anchor.as_ref().map(|anchor| anchor.name.clone());
        let what = match &place.content {
            Content::Scalar { .. } => What::Scalar(place.scalar().unwrap_or(Value::Null)),
            Content::Alias(alias) => {
                let before = anchors.get(alias.name.as_str()).copied().unwrap_or_default();
                What::Alias(alias.name.clone(), before)
            }
            Content::List { items, .. } => {
                What::List(items.iter().map(|item| Self::read(&item.value, anchors)).collect())
            }
            Content::Mapping { entries, .. } => {
                let entries = entries.iter().map(|entry| {
                    (Self::read(&entry.key, anchors), Self::read(&entry.value, anchors))
                });
                What::Mapping(entries.collect())
            }
        };
        Self { anchor, what }
    }

    fn of_value(value: &Value) -> Self {
        let what = match value {
            Value::List(elements) => What::List(elements.iter().map(Self::of_value).collect()),
            Value::Mapping(entries) => {
                let entries = entries.iter();
                What::Mapping(entries.map(|(key, v)| (Self::key(key), Self::of_value(v))).collect())
            }
            scalar => What::Scalar(scalar.clone()),
        };
        Self { anchor: None, what }
    }

    fn key(key: &str) -> Self {
        Self { anchor: None, what: What::Scalar(Value::Text(key.into())) }
    }

    /// Returns the meaning after an edit of the value with these `indices`.
    pub fn edited(mut self, indices: &[usize], edit: Edit<'_>) -> Self {
        self.edit(indices, edit);
        self
    }

    fn edit(&mut self, indices: &[usize], edit: Edit<'_>) {
        match (indices, edit, &mut self.what) {
            ([index], Edit::Remove, What::List(elements)) => drop(elements.remove(*index)),
            ([index], Edit::Remove, What::Mapping(entries)) => drop(entries.remove(*index)),
            ([index, rest @ ..], edit, What::List(elements)) => elements[*index].edit(rest, edit),
            ([index, rest @ ..], edit, What::Mapping(entries)) => {
                entries[*index].1.edit(rest, edit)
            }
            (_, Edit::Set(value), _) => self.what = Self::of_value(value).what,
            (_, Edit::Insert(Step::Key(key), index, value), what) => {
                let entry = (Self::key(key), Self::of_value(value));
                match what {
                    What::Mapping(entries) => entries.insert(index, entry),
                    what => *what = What::Mapping(vec![entry]),
                }
            }
            (_, Edit::Insert(Step::Index(_), index, value), what) => match what {
                What::List(elements) => elements.insert(index, Self::of_value(value)),
                what => *what = What::List(vec![Self::of_value(value)]),
            },
            (_, Edit::Remove, _) => {}
        }
    }
}
