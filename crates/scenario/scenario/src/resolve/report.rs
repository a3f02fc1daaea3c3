//! Where findings are gathered, and how a place is found for them.

use std::collections::HashSet;
use std::rc::Rc;

use netloom_link::FileError;

use super::properties::bad_file;
use crate::diagnostic::{Diagnostic, did_you_mean, similar};
use crate::files::Unreadable;
use crate::span::Span;
use crate::yaml::{NodeId, Tree};

/// The most findings that say what was probably meant: each is sought among all names.
const MOST_GUESSES: usize = 100;

/// The findings so far, and the tree that they are about.
pub(super) struct Report<'a> {
    tree: &'a Tree,
    pruned: &'a HashSet<NodeId>,
    findings: Vec<Diagnostic>,
    guesses: usize,
    node_names: Rc<NodeNames>,
}

/// The names of nodes that are written.
#[derive(Debug, Default)]
pub(super) struct NodeNames {
    names: Vec<String>,
    known: HashSet<String>,
}

impl NodeNames {
    /// Whether `name` is among them.
    pub fn contains(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

impl<'a> Report<'a> {
    pub fn new(tree: &'a Tree, pruned: &'a HashSet<NodeId>) -> Self {
        Self { tree, pruned, findings: Vec::new(), guesses: 0, node_names: Rc::default() }
    }

    /// Adds a finding.
    pub fn error(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
    }

    /// Help for a `word` that should have been one of `candidates`, which `what` names in plural;
    /// none where so many words are wrong that nobody reads it.
    pub fn did_you_mean<'c>(
        &mut self,
        word: &str,
        what: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<String> {
        self.guesses += 1;
        (self.guesses <= MOST_GUESSES).then(|| did_you_mean(word, what, candidates))?
    }

    /// Adds a finding for each file that could not be read: at its name in the mapping `node`, or
    /// at `span`.
    pub fn bad_files(&mut self, errors: Vec<FileError<Unreadable>>, node: NodeId, span: Span) {
        for error in errors {
            let at = self.scalar(node, &error.file).unwrap_or(span);
            self.error(bad_file(error, at));
        }
    }

    /// All findings.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.findings
    }

    /// The place of the last key of `path`, from `node` on.
    pub fn key(&self, node: NodeId, path: &[&str]) -> Option<Span> {
        let (last, path) = path.split_last()?;
        let (key, _) = self.tree.entry(self.tree.find(node, path)?, last)?;
        Some(self.tree.span(key))
    }

    /// The place of the value at the end of `path`, from `node` on.
    pub fn value(&self, node: NodeId, path: &[&str]) -> Option<Span> {
        self.node(node, path).map(|node| self.tree.span(node))
    }

    /// The value at the end of `path`, from `node` on.
    pub fn node(&self, node: NodeId, path: &[&str]) -> Option<NodeId> {
        self.tree.find(node, path)
    }

    /// The place of `node`.
    pub fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }

    /// The place of the value at the end of `path`, from the beginning of the file on.
    pub fn value_in_file(&self, path: &[&str]) -> Option<Span> {
        self.value(self.tree.root(), path)
    }

    /// The place of the last key of `path`, from the beginning of the file on.
    pub fn key_in_file(&self, path: &[&str]) -> Option<Span> {
        self.key(self.tree.root(), path)
    }

    /// All keys written at `path`, those of entries that could not be decoded included.
    pub fn written_keys(&self, path: &[&str]) -> impl Iterator<Item = &'a str> + use<'a> {
        let tree = self.tree;
        let entries = tree.find(tree.root(), path).map_or(&[][..], |node| tree.entries(node));
        entries.iter().filter_map(|(key, _)| tree.text(*key))
    }

    /// From now on, these are the names of nodes that are written.
    pub fn set_node_names(&mut self, names: Vec<String>) {
        let known = names.iter().cloned().collect();
        self.node_names = Rc::new(NodeNames { names, known });
    }

    /// The names of nodes that are written, those of nodes that could not be decoded included.
    pub fn node_names(&self) -> Rc<NodeNames> {
        self.node_names.clone()
    }

    /// The keys of the mapping `node` and their places.
    pub fn keys(&self, node: NodeId) -> impl Iterator<Item = (&'a str, Span)> + use<'a> {
        let tree = self.tree;
        let entries = tree.entries(node).iter();
        entries.filter_map(move |(key, _)| Some((tree.text(*key)?, tree.span(*key))))
    }

    /// How many elements are written in the list `node`, those that could not be decoded included.
    pub fn written_elements(&self, node: NodeId) -> usize {
        self.tree.elements(node).len()
    }

    /// Whether anything directly in `node` could not be decoded, so that what is absent may have
    /// been meant.
    pub fn is_incomplete(&self, node: NodeId) -> bool {
        let entries = self.tree.entries(node).iter().flat_map(|(key, value)| [key, value]);
        entries.chain(self.tree.elements(node)).any(|child| self.pruned.contains(child))
    }

    /// Whether anything in `node`, at any depth, could not be decoded.
    pub fn is_incomplete_below(&self, node: NodeId) -> bool {
        let below = |child: &NodeId| self.is_incomplete_below(*child);
        self.is_incomplete(node)
            || self.tree.entries(node).iter().any(|(_, value)| below(value))
            || self.tree.elements(node).iter().any(below)
    }

    /// The place of the first scalar in `node`, at any depth, that reads `text`.
    pub fn scalar(&self, node: NodeId, text: &str) -> Option<Span> {
        if self.tree.text(node) == Some(text) {
            return Some(self.tree.span(node));
        }
        let values = self.tree.entries(node).iter().map(|(_, value)| value);
        values.chain(self.tree.elements(node)).find_map(|child| self.scalar(*child, text))
    }

    /// Reports that `node`, at `span`, lacks `key`, unless it is there and could not be decoded.
    pub fn missing(&mut self, node: NodeId, span: Span, key: &str, help: &str) {
        let is_meant = |(name, value): &(NodeId, NodeId)| {
            let is_pruned = self.pruned.contains(name) || self.pruned.contains(value);
            let name = self.tree.text(*name).unwrap_or_default();
            is_pruned && (name == key || similar(name, [key]).is_some())
        };
        if !self.tree.entries(node).iter().any(is_meant) {
            let message = format!("the key `{key}` is missing");
            self.error(Diagnostic::error(span, message).with_help(help));
        }
    }

    /// The node of the whole file.
    pub fn root(&self) -> NodeId {
        self.tree.root()
    }

    /// The same for the node at the end of `path`, which may itself be what could not be decoded.
    pub fn is_incomplete_in_file(&self, path: &[&str]) -> bool {
        let mut node = self.tree.root();
        for key in path {
            match self.tree.entry(node, key) {
                Some((key, value))
                    if self.pruned.contains(&key) || self.pruned.contains(&value) =>
                {
                    return true;
                }
                Some((_, value)) => node = value,
                None => break,
            }
        }
        self.is_incomplete(node)
    }
}
