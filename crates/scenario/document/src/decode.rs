//! Decodes a tree to typed values with serde and finds all errors in one pass. A part that cannot
//! be decoded is reported and pruned from the tree, and the rest is decoded again until decoding
//! succeeds.
//!
//! Not here: any knowledge of what a document contains.

mod deserializer;
mod entries;
mod error;
mod inline;
mod scope;
mod shape;
mod spanned;

use std::collections::HashSet;

use serde::de::DeserializeOwned;

use crate::diagnostic::Diagnostic;
use crate::yaml::{NodeId, Tree};

use deserializer::NodeDeserializer;
use error::DecodeError;
use scope::Scope;

pub use entries::Entries;
pub use inline::Inline;
pub(crate) use inline::NAME as INLINE;
pub use spanned::Spanned;

/// Number of errors after which decoding stops. A file with more of them is probably of
/// another kind.
const MAX_ERRORS: usize = 100;

/// Result of decoding a tree.
pub struct Decoded<T> {
    /// The value without the pruned parts; `None` if the root itself was pruned.
    pub value: Option<T>,
    /// Errors that were found.
    pub errors: Vec<Diagnostic>,
    /// Those of them that are about the shape of the document, the likeliest cause of others first:
    /// parts in the wrong place, lists in place of mappings. Until they are mended, other findings
    /// say little.
    pub shape: Vec<Diagnostic>,
    /// Nodes that were pruned: values and elements, or keys with their values.
    pub pruned: HashSet<NodeId>,
}

/// Decodes the whole of `tree`.
pub fn decode<T: DeserializeOwned>(tree: &Tree) -> Decoded<T> {
    let mut decoded =
        Decoded { value: None, errors: Vec::new(), shape: Vec::new(), pruned: HashSet::new() };
    let mut shape = Vec::new();
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
            shape.extend(shape::finding(&scope, node, &error));
            let meant = error.expected_mapping().then(|| in_a_mapping(tree, node)).flatten();
            let finding = error.diagnostic(tree.span(node), tree.dialect());
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
    shape.sort_by_key(|(rank, finding)| (*rank, finding.span));
    // What is at the bottom of a mistake is enough to mend it.
    shape.dedup_by_key(|(rank, finding)| (*rank, finding.help.clone()));
    decoded.shape = shape.into_iter().map(|(_, finding)| finding).collect();
    decoded
}

/// Returns help for a scalar where a mapping is expected.
fn in_a_mapping(tree: &Tree, node: NodeId) -> Option<String> {
    (tree.dialect().in_a_mapping)(tree.key_of(node)?, tree.text(node)?)
}

/// Whether an error at `node` is only a consequence of what was pruned below it.
fn is_consequence(scope: &Scope<'_>, node: NodeId, error: &DecodeError) -> bool {
    let Some(missing) = error.missing_key() else { return scope.is_incomplete(node) };
    scope.tree.entries(node).iter().filter(|entry| scope.is_pruned(entry)).any(|(key, _)| {
        let key = scope.tree.text(*key).unwrap_or_default();
        key == missing || scope.tree.dialect().similar(key, [missing]).is_some()
    })
}
