//! Collects findings, and finds their positions in the file.

use std::collections::HashSet;
use std::rc::Rc;

use netloom_document::{Diagnostic, NodeId, Severity, Span, Tree};
use netloom_link::FileError;

use super::bad_file::bad_file;
use crate::dialect::{did_you_mean, similar};
use crate::files::Unreadable;
use crate::raw::{Level, Lint, RawLint};

/// Largest number of findings with a suggested spelling: each is compared with all names.
const MOST_GUESSES: usize = 100;

/// Largest number of findings that are kept: a range of names can cause one for each name.
const MOST_FINDINGS: usize = 100_000;

/// Largest number of names in one range.
pub(super) const MOST_NAMES: usize = 1_000_000;

/// Largest number of names in all ranges of a file together.
pub(super) const MOST_IN_FILE: usize = 4 * MOST_NAMES;

/// The findings so far, and the tree that they are about.
pub(super) struct Report<'a> {
    tree: &'a Tree,
    pruned: &'a HashSet<NodeId>,
    findings: Vec<Diagnostic>,
    guesses: usize,
    has_error: bool,
    /// Number of names that ranges may still stand for.
    names_left: usize,
    node_names: Rc<NodeNames>,
    /// Whether links are missing that could not be computed.
    lacks_links: bool,
    levels: RawLint,
}

/// The names of nodes in the file.
#[derive(Debug, Default)]
pub(super) struct NodeNames {
    names: Vec<String>,
    known: HashSet<String>,
    /// Constellations whose satellites could not be made. Nobody knows how many there are.
    unmade: Vec<String>,
}

impl NodeNames {
    /// Whether `name` is one of them, or may be that of a satellite.
    pub fn contains(&self, name: &str) -> bool {
        let is_satellite = |constellation: &String| {
            name.strip_prefix(constellation.as_str()).is_some_and(|rest| rest.starts_with('-'))
        };
        self.known.contains(name) || self.unmade.iter().any(is_satellite)
    }

    /// Returns all names in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

impl<'a> Report<'a> {
    pub fn new(tree: &'a Tree, pruned: &'a HashSet<NodeId>) -> Self {
        Self {
            tree,
            pruned,
            findings: Vec::new(),
            guesses: 0,
            has_error: false,
            names_left: MOST_IN_FILE,
            node_names: Rc::default(),
            lacks_links: false,
            levels: RawLint::default(),
        }
    }

    /// Lowers findings to these levels.
    pub fn with_levels(self, levels: RawLint) -> Self {
        Self { levels, ..self }
    }

    /// Adds an error that the file may lower to a warning. Returns whether it does.
    pub fn lowerable(&mut self, lint: Lint, mut finding: Diagnostic) -> bool {
        let (key, level) = self.levels.level(lint);
        finding.message += &format!(" [{key}]");
        let is_lowered = level == Level::Warn;
        if is_lowered {
            finding.severity = Severity::Warning;
        } else {
            let show = format!("to see what happens, lower it: `lint: {{ {key}: warn }}`");
            let help = finding.help.map_or(show.clone(), |help| format!("{help}; {show}"));
            finding.help = Some(help);
        }
        self.error(finding);
        is_lowered
    }

    /// Takes `count` names out of those that ranges may stand for. Returns whether there are so
    /// many left.
    pub fn take_names(&mut self, count: usize) -> bool {
        let left = self.names_left.checked_sub(count);
        self.names_left = left.unwrap_or(self.names_left);
        left.is_some()
    }

    /// Adds a finding. After very many, only a first error counts.
    pub fn error(&mut self, finding: Diagnostic) {
        let is_first_error = finding.severity == Severity::Error && !self.has_error;
        if self.findings.len() >= MOST_FINDINGS && !is_first_error {
            return;
        }
        self.has_error |= finding.severity == Severity::Error;
        self.findings.push(finding);
    }

    /// Returns help for a `word` that is not one of `candidates`, which `what` introduces. `None`
    /// after many wrong words, when nobody would read it.
    pub fn did_you_mean<'c>(
        &mut self,
        word: &str,
        what: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Option<String> {
        self.guesses += 1;
        (self.guesses <= MOST_GUESSES).then(|| did_you_mean(word, what, candidates))?
    }

    /// Adds a finding for each file that could not be read. Its position is that of the file's name
    /// in the mapping `node`, or else `span`.
    pub fn bad_files(&mut self, errors: Vec<FileError<Unreadable>>, node: NodeId, span: Span) {
        for error in errors {
            let at = self.scalar(node, &error.file).unwrap_or(span);
            self.error(bad_file(error, at));
        }
    }

    /// Returns all findings.
    pub fn finish(self) -> Vec<Diagnostic> {
        self.findings
    }

    /// Returns the position of the last key of `path`, starting at `node`.
    pub fn key(&self, node: NodeId, path: &[&str]) -> Option<Span> {
        let (last, path) = path.split_last()?;
        let (key, _) = self.tree.entry(self.tree.find(node, path)?, last)?;
        Some(self.tree.span(key))
    }

    /// Returns the position of the value at the end of `path`, starting at `node`.
    pub fn value(&self, node: NodeId, path: &[&str]) -> Option<Span> {
        self.node(node, path).map(|node| self.tree.span(node))
    }

    /// Returns the value at the end of `path`, starting at `node`.
    pub fn node(&self, node: NodeId, path: &[&str]) -> Option<NodeId> {
        self.tree.find(node, path)
    }

    /// Returns the position of `node`.
    pub fn span(&self, node: NodeId) -> Span {
        self.tree.span(node)
    }

    /// Returns the position of the value at the end of `path`, starting at the root.
    pub fn value_in_file(&self, path: &[&str]) -> Option<Span> {
        self.value(self.tree.root(), path)
    }

    /// Returns the position of the last key of `path`, starting at the root.
    pub fn key_in_file(&self, path: &[&str]) -> Option<Span> {
        self.key(self.tree.root(), path)
    }

    /// Returns all keys at `path`, including those of entries that could not be decoded.
    pub fn written_keys(&self, path: &[&str]) -> impl Iterator<Item = &'a str> + use<'a> {
        let tree = self.tree;
        let entries = tree.find(tree.root(), path).map_or(&[][..], |node| tree.entries(node));
        entries.iter().filter_map(|(key, _)| tree.text(*key))
    }

    /// Sets the names of nodes in the file, and of constellations that could not be made.
    pub fn set_node_names(&mut self, names: Vec<String>, unmade: Vec<String>) {
        let known = names.iter().cloned().collect();
        self.node_names = Rc::new(NodeNames { names, known, unmade });
    }

    /// Records that links are missing which could not be computed.
    pub fn lack_links(&mut self) {
        self.lacks_links = true;
    }

    /// Returns the names of nodes in the file, including those of nodes that could not be decoded.
    pub fn node_names(&self) -> Rc<NodeNames> {
        self.node_names.clone()
    }

    /// Returns the keys of the mapping `node` and their positions.
    pub fn keys(&self, node: NodeId) -> impl Iterator<Item = (&'a str, Span)> + use<'a> {
        let tree = self.tree;
        let entries = tree.entries(node).iter();
        entries.filter_map(move |(key, _)| Some((tree.text(*key)?, tree.span(*key))))
    }

    /// Returns the number of elements of the list `node`, including those that could not be
    /// decoded.
    pub fn written_elements(&self, node: NodeId) -> usize {
        self.tree.elements(node).len()
    }

    /// Whether anything directly in `node` could not be decoded. Something absent may then be in
    /// that part.
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

    /// Returns the position of the first scalar in `node`, at any depth, whose text is `text`.
    pub fn scalar(&self, node: NodeId, text: &str) -> Option<Span> {
        if self.tree.text(node) == Some(text) {
            return Some(self.tree.span(node));
        }
        let values = self.tree.entries(node).iter().map(|(_, value)| value);
        values.chain(self.tree.elements(node)).find_map(|child| self.scalar(*child, text))
    }

    /// Reports that `node`, at `span`, lacks `key`, unless the key exists and could not be decoded.
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

    /// Returns the root node of the file.
    pub fn root(&self) -> NodeId {
        self.tree.root()
    }

    /// Whether anything directly in the node at the end of `path` could not be decoded, or that
    /// node itself.
    pub fn is_incomplete_in_file(&self, path: &[&str]) -> bool {
        match path {
            ["topology", "nodes"] if !self.node_names.unmade.is_empty() => return true,
            ["topology", "links"] if self.lacks_links => return true,
            _ => {}
        }
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
