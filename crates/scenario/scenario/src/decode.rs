//! Decodes a tree to typed values with serde and finds all errors in one pass. A part that cannot
//! be decoded is reported and pruned from the tree, and the rest is decoded again until decoding
//! succeeds.
//!
//! Not here: any knowledge of what a scenario contains.

mod access;
mod deserializer;
mod entries;
mod error;
mod inline;
mod spanned;

use std::collections::HashSet;

use serde::de::DeserializeOwned;

use crate::diagnostic::Diagnostic;
use crate::yaml::{Content, NodeId, Tree};

use deserializer::NodeDeserializer;
use error::DecodeError;

pub(crate) use entries::Entries;
pub(crate) use inline::Inline;
pub(crate) use spanned::Spanned;

/// Number of errors after which decoding stops. A file with more of them is probably not a
/// scenario.
const MAX_ERRORS: usize = 100;

/// Result of decoding a tree.
pub(crate) struct Decoded<T> {
    /// The value without the pruned parts; `None` if the root itself was pruned.
    pub value: Option<T>,
    /// Errors that were found.
    pub errors: Vec<Diagnostic>,
    /// Nodes that were pruned: values and elements, or keys with their values.
    pub pruned: HashSet<NodeId>,
}

/// Decodes the whole of `tree`.
pub(crate) fn decode<T: DeserializeOwned>(tree: &Tree) -> Decoded<T> {
    let mut decoded = Decoded { value: None, errors: Vec::new(), pruned: HashSet::new() };
    while decoded.errors.len() < MAX_ERRORS {
        let scope = Scope { tree, pruned: &decoded.pruned };
        let error = match T::deserialize(NodeDeserializer { scope: &scope, node: tree.root() }) {
            Ok(value) => {
                decoded.value = Some(value);
                break;
            }
            Err(error) => error,
        };
        let node = error.node().unwrap_or(tree.root());
        if !is_consequence(&scope, node, &error) {
            let meant = error.expected_mapping().then(|| in_a_mapping(tree, node)).flatten();
            let finding = error.diagnostic(tree.span(node));
            decoded.errors.push(match meant {
                Some(help) => finding.with_help(help),
                None => finding,
            });
        }
        if decoded.errors.len() == MAX_ERRORS {
            let message = format!("there are more errors than these {MAX_ERRORS}");
            decoded.errors.push(Diagnostic::error(tree.span(node), message));
        }
        // Every round prunes one more node, so the loop terminates.
        if !decoded.pruned.insert(node) || node == tree.root() {
            break;
        }
    }
    decoded
}

/// A tree, and the nodes of it that decoding skips.
pub(crate) struct Scope<'a> {
    pub tree: &'a Tree,
    pub pruned: &'a HashSet<NodeId>,
}

impl Scope<'_> {
    pub fn is_pruned(&self, (key, value): &(NodeId, NodeId)) -> bool {
        self.pruned.contains(key) || self.pruned.contains(value)
    }

    /// Whether anything below `node` was pruned.
    fn is_incomplete(&self, node: NodeId) -> bool {
        let below = |node: &NodeId| self.pruned.contains(node) || self.is_incomplete(*node);
        match self.tree.content(node) {
            Content::Scalar { .. } => false,
            Content::Sequence(elements) => elements.iter().any(below),
            Content::Mapping(entries) => {
                entries.iter().any(|entry| self.is_pruned(entry) || below(&entry.1))
            }
        }
    }
}

/// Returns help for a scalar where a mapping is expected.
fn in_a_mapping(tree: &Tree, node: NodeId) -> Option<String> {
    crate::diagnostic::in_a_mapping(tree.key_of(node)?, tree.text(node)?)
}

/// Whether an error at `node` is only a consequence of what was pruned below it.
fn is_consequence(scope: &Scope<'_>, node: NodeId, error: &DecodeError) -> bool {
    let Some(missing) = error.missing_key() else { return scope.is_incomplete(node) };
    scope.tree.entries(node).iter().filter(|entry| scope.is_pruned(entry)).any(|(key, _)| {
        let key = scope.tree.text(*key).unwrap_or_default();
        key == missing || crate::diagnostic::similar(key, [missing]).is_some()
    })
}
