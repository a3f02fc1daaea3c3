//! The value at a path, and what holds it.

use super::patch::span;
use crate::diagnostic::Diagnostic;
use crate::places::{Content, Entry, Item, Place, Style};
use crate::value::{Step, Value};

/// A value in the text.
pub(super) struct Spot<'a> {
    pub place: &'a Place,
    pub holder: Holder<'a>,
    /// Number of the entry or element at each level.
    pub indices: Vec<usize>,
}

/// What holds a value.
#[derive(Clone, Copy)]
pub(super) enum Holder<'a> {
    /// Nothing: it is the whole document.
    Document,
    /// An element of a list.
    Item { style: Style, items: &'a [Item], index: usize },
    /// An entry of a mapping.
    Entry { style: Style, entries: &'a [Entry], index: usize },
}

/// Why an edit is impossible: a finding whose message lacks what was attempted.
pub(super) struct Refusal(pub Diagnostic);

impl Refusal {
    /// Creates the refusal of an edit of `place`.
    pub fn new(text: &str, place: &Place, message: impl Into<String>) -> Self {
        Self(Diagnostic::error(span(text, place.start, place.end), message))
    }

    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self(self.0.with_help(help))
    }

    /// Returns the finding for an attempt.
    pub fn of(mut self, attempt: &str) -> Diagnostic {
        self.0.message = format!("{attempt}: {}", self.0.message);
        self.0
    }
}

impl<'a> Spot<'a> {
    /// Finds the value at `path`.
    pub fn find(root: &'a Place, text: &str, path: &[Step]) -> Result<Self, Refusal> {
        let mut spot = Self { place: root, holder: Holder::Document, indices: Vec::new() };
        for step in path {
            spot = spot.step(root, text, step)?;
        }
        Ok(spot)
    }

    fn step(mut self, root: &'a Place, text: &str, step: &Step) -> Result<Self, Refusal> {
        let above = self.place;
        check_alias(root, text, above)?;
        match (&above.content, step) {
            (Content::Mapping { style, entries }, Step::Key(key)) => {
                let found = entries.iter().position(|entry| entry.key.text() == Some(key));
                let index = found.ok_or_else(|| missing(root, text, above, key))?;
                self.place = &entries[index].value;
                self.holder = Holder::Entry { style: *style, entries, index };
                self.indices.push(index);
            }
            (Content::List { style, items }, Step::Index(index)) => {
                let (index, count) = (*index, items.len());
                let item = items.get(index).ok_or_else(|| {
                    let message = format!("the list has {count} elements, and none at {index}");
                    Refusal::new(text, above, message)
                })?;
                self.place = &item.value;
                self.holder = Holder::Item { style: *style, items, index };
                self.indices.push(index);
            }
            (_, Step::Key(key)) => {
                let message = format!("there is no mapping here that could have `{key}`");
                return Err(Refusal::new(text, above, message));
            }
            (_, Step::Index(index)) => {
                let message = format!("there is no list here that could have an element {index}");
                return Err(Refusal::new(text, above, message));
            }
        }
        Ok(self)
    }

    /// Whether the value is inside of `[]` or `{}`.
    pub fn is_in_flow(&self) -> bool {
        match self.holder {
            Holder::Document => false,
            Holder::Item { style, .. } | Holder::Entry { style, .. } => style != Style::Block,
        }
    }
}

/// Refuses an edit below an alias.
pub(super) fn check_alias(root: &Place, text: &str, place: &Place) -> Result<(), Refusal> {
    let Some(alias) = place.alias() else { return Ok(()) };
    let mut anchored = None;
    root.walk(&mut |other| {
        if other.anchor.as_ref().is_some_and(|anchor| anchor.id == alias.id) {
            anchored = Some(span(text, other.start, other.end));
        }
    });
    let message = format!("`*{}` is an alias, and what it stands for is elsewhere", alias.name);
    let mut refusal = Refusal::new(text, place, message);
    if let Some(span) = anchored {
        refusal.0 = refusal.0.with_related(span, "it stands for this");
    }
    Err(refusal.with_help("edit that, or replace the alias as a whole"))
}

/// Returns why a mapping does not have a key.
fn missing(root: &Place, text: &str, mapping: &Place, key: &str) -> Refusal {
    if let Some(merge) = merged_from(root, mapping, key) {
        let message = format!("`{key}` comes from the merge key of this mapping");
        return Refusal::new(text, merge, message)
            .with_help("edit what is merged, or insert the key here, which takes precedence");
    }
    Refusal::new(text, mapping, format!("this mapping has no `{key}`"))
}

/// Returns the value of the merge key by which `mapping` has `key`.
fn merged_from<'a>(root: &'a Place, mapping: &'a Place, key: &str) -> Option<&'a Place> {
    let Content::Mapping { entries, .. } = &mapping.content else { return None };
    let merges = entries.iter().filter(|entry| entry.key.text() == Some("<<"));
    merges.map(|entry| &entry.value).find(|value| {
        let mut has_key = false;
        let mut visit = |source: &Place| {
            let source = source.alias().and_then(|alias| anchored(root, alias.id));
            let Some(Content::Mapping { entries, .. }) = source.map(|source| &source.content)
            else {
                return;
            };
            has_key |= entries.iter().any(|entry| entry.key.text() == Some(key));
        };
        value.walk(&mut visit);
        has_key
    })
}

/// Returns the value with an anchor.
fn anchored(root: &Place, id: usize) -> Option<&Place> {
    let mut found = None;
    root.walk(&mut |place| {
        if place.anchor.as_ref().is_some_and(|anchor| anchor.id == id) {
            found = Some(place);
        }
    });
    found
}

/// Whether nothing is written here, or `null`: what a list or a mapping can be made of.
pub(super) fn is_null(place: &Place) -> bool {
    place.scalar() == Some(Value::Null)
}
