//! Edits of a document's text that leave everything else as it was: comments, blank lines, quotes,
//! and the style of all that is not edited.
//!
//! | module | contents |
//! |---|---|
//! | `spot` | the value at a path, and what holds it |
//! | `set` | replaces a value |
//! | `insert` | adds an entry or an element |
//! | `remove` | removes an entry or an element |
//! | `patch` | replacements of parts of a text, and its lines |
//! | `meaning` | what a text means, to check that an edit did what it should |
//!
//! Every edit is checked: the new text is read, and must mean the same as before, except for the
//! edited value. Otherwise, the edit is refused, and the text stays as it was.

mod insert;
mod meaning;
mod patch;
mod remove;
mod set;
mod spot;

use crate::diagnostic::Diagnostic;
use crate::dialect::Dialect;
use crate::places::{Place, locate};
use crate::span::Span;
use crate::value::{Path, Step, Value};
use crate::yaml::{Tree, parse};
use meaning::{Edit, Meaning};
use patch::{Form, Text, span};
use spot::Spot;

/// A comment in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its position, from the `#` to the end of the line.
    pub span: Span,
    /// Its text, with the `#`.
    pub text: String,
    /// Whether nothing else is on its line.
    pub is_alone: bool,
}

/// A YAML document that can be edited.
///
/// ```
/// use netloom_document::{Dialect, Document, Value};
///
/// let text = "links:\n  - {rate: 1Mbit/s} # slow\n";
/// let mut document = Document::read(text, &Dialect::PLAIN).unwrap();
/// document.set(&["links".into(), 0.into(), "rate".into()], &Value::from("2Mbit/s")).unwrap();
/// assert_eq!(document.text(), "links:\n  - {rate: 2Mbit/s} # slow\n");
/// ```
#[derive(Debug)]
pub struct Document {
    text: String,
    tree: Tree,
    root: Place,
    comments: Vec<(usize, usize)>,
}

impl Document {
    /// Reads a document.
    ///
    /// # Errors
    /// Those of [`parse`](crate::parse()), and forms that cannot be edited. These are rare: keys
    /// that are marked by `?` and have no value, for example.
    pub fn read(text: &str, dialect: &'static Dialect) -> Result<Self, Diagnostic> {
        let tree = parse(text, dialect)?;
        let (root, comments) = locate(text).ok_or_else(|| {
            Diagnostic::error(Span::START, "this document is written in a form that has no editor")
                .with_help("write it without `?`, and without tags and anchors of keys")
        })?;
        Ok(Self { text: text.to_owned(), tree, root, comments })
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the tree of the text.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the comments, in the order of the text.
    pub fn comments(&self) -> Vec<Comment> {
        let comments = self.comments.iter().map(|&(start, end)| {
            let line = self.text[..start].rsplit(['\n', '\r']).next().unwrap_or_default();
            Comment {
                span: span(&self.text, start, end),
                text: self.text[start..end].to_owned(),
                is_alone: line.trim().is_empty(),
            }
        });
        comments.collect()
    }

    /// Returns the value at `path`. Aliases and merge keys are written out.
    pub fn value(&self, path: &[Step]) -> Option<Value> {
        let node = path.iter().try_fold(self.tree.root(), |node, step| match step {
            Step::Key(key) => self.tree.entry(node, key).map(|(_, value)| value),
            Step::Index(index) => self.tree.elements(node).get(*index).copied(),
        })?;
        Some(Value::of(&self.tree, node))
    }

    /// Replaces the value at `path`. An alias is replaced itself. An anchor stays, so that aliases
    /// of the value change with it.
    ///
    /// # Errors
    /// There is nothing at `path`; it leads through an alias or a merge key; or the value holds an
    /// anchor that is used elsewhere. The text is then as before.
    pub fn set(&mut self, path: &[Step], value: &Value) -> Result<(), Diagnostic> {
        let attempt = || format!("cannot set {}", Path(path));
        let spot = Spot::find(&self.root, &self.text, path).map_err(|e| e.of(&attempt()))?;
        let is_kept = |place: &Place| std::ptr::eq(place, spot.place) && place.is_anchored();
        self.check_anchors(spot.place, &is_kept, &attempt())?;
        let text = Text::new(&self.text);
        let new = [Form::Usual, Form::OneLine]
            .map(|form| text.patched(set::patch(&text, &spot, value, form)));
        let meaning = Meaning::of(&self.root).edited(&spot.indices, Edit::Set(value));
        let at = span(&self.text, spot.place.start, spot.place.end);
        self.accept(&new, &meaning, &attempt(), at)
    }

    /// Inserts a value at `path`: as the last entry of a mapping that does not have this key, or
    /// before the element of a list that has this index. The index may be the length of the list.
    /// What holds the value must exist. `key:` and `key: {}` hold nothing yet.
    ///
    /// # Errors
    /// The mapping has the key; nothing can hold the value; or `path` leads through an alias or a
    /// merge key. The text is then as before.
    pub fn insert(&mut self, path: &[Step], value: &Value) -> Result<(), Diagnostic> {
        let attempt = format!("cannot insert {}", Path(path));
        let Some((step, above)) = path.split_last() else {
            return Err(Diagnostic::error(Span::START, "cannot insert the document: it is there")
                .with_help("set it"));
        };
        let spot = Spot::find(&self.root, &self.text, above).map_err(|error| error.of(&attempt))?;
        let text = Text::new(&self.text);
        let patch = |form| insert::patch(&text, &self.root, &spot, step, value, form);
        let (usual, index) = patch(Form::Usual).map_err(|error| error.of(&attempt))?;
        let (one_line, _) = patch(Form::OneLine).map_err(|error| error.of(&attempt))?;
        let new = [usual, one_line].map(|patch| text.patched(patch));
        let edit = Edit::Insert(step, index, value);
        let meaning = Meaning::of(&self.root).edited(&spot.indices, edit);
        let at = span(&self.text, spot.place.start, spot.place.end);
        self.accept(&new, &meaning, &attempt, at)
    }

    /// Removes the value at `path`, with its key, and with the comments on its lines. Comments on
    /// lines of their own before it stay. What held nothing else is then `{}` or `[]`.
    ///
    /// # Errors
    /// There is nothing at `path`; it leads through an alias or a merge key; it is the whole
    /// document; or the value holds an anchor that is used elsewhere. The text is then as before.
    pub fn remove(&mut self, path: &[Step]) -> Result<(), Diagnostic> {
        let attempt = format!("cannot remove {}", Path(path));
        let spot = Spot::find(&self.root, &self.text, path).map_err(|error| error.of(&attempt))?;
        self.check_anchors(spot.place, &|_| false, &attempt)?;
        let text = Text::new(&self.text);
        let patch =
            remove::patch(&text, &self.root, &spot, path).map_err(|error| error.of(&attempt))?;
        let new = [text.patched(patch)];
        let meaning = Meaning::of(&self.root).edited(&spot.indices, Edit::Remove);
        let at = span(&self.text, spot.place.start, spot.place.end);
        self.accept(&new, &meaning, &attempt, at)
    }

    /// Fails if an anchor in `place` is used outside of it, apart from anchors that are kept.
    fn check_anchors(
        &self,
        place: &Place,
        is_kept: &dyn Fn(&Place) -> bool,
        attempt: &str,
    ) -> Result<(), Diagnostic> {
        let mut lost = Vec::new();
        place.walk(&mut |inner| {
            if !is_kept(inner) {
                lost.extend(inner.anchor.iter());
            }
        });
        let mut error = None;
        self.root.walk(&mut |user| {
            let Some(alias) = user.alias() else { return };
            let is_outside = user.start < place.start || user.start >= place.end;
            if is_outside && error.is_none() && lost.iter().any(|anchor| anchor.id == alias.id) {
                let name = &alias.name;
                let message = format!("{attempt}: its anchor `&{name}` is used elsewhere");
                error = Some(
                    Diagnostic::error(span(&self.text, place.start, place.end), message)
                        .with_related(span(&self.text, user.start, user.end), "used here")
                        .with_help(format!("replace `*{name}` first")),
                );
            }
        });
        error.map_or(Ok(()), Err)
    }

    /// Takes over the first of some new texts that means what it should.
    fn accept(
        &mut self,
        new: &[String],
        meaning: &Meaning,
        attempt: &str,
        at: Span,
    ) -> Result<(), Diagnostic> {
        let mut first_error = None;
        for text in new {
            let error = match Self::read(text, self.tree.dialect()) {
                Ok(read) if Meaning::of(&read.root) == *meaning => {
                    *self = read;
                    return Ok(());
                }
                Ok(_) => {
                    let message = format!("{attempt}: it is written in a form that has no editor");
                    Diagnostic::error(at, message).with_help("edit it by hand")
                }
                Err(error) => {
                    let why = error.message;
                    let message = format!("{attempt}: the document would be wrong: {why}");
                    Diagnostic::error(at, message).with_optional_help(error.help)
                }
            };
            first_error.get_or_insert(error);
        }
        first_error.map_or(Ok(()), Err)
    }
}
