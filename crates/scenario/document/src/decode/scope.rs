//! The part of a tree that is decoded.

use std::collections::HashSet;

use crate::yaml::{Content, NodeId, Tree};

/// A tree, and the nodes of it that decoding skips.
pub(super) struct Scope<'a> {
    pub tree: &'a Tree,
    pub pruned: &'a HashSet<NodeId>,
}

impl Scope<'_> {
    pub fn is_pruned(&self, (key, value): &(NodeId, NodeId)) -> bool {
        self.pruned.contains(key) || self.pruned.contains(value)
    }

    /// Whether anything below `node` was pruned.
    pub fn is_incomplete(&self, node: NodeId) -> bool {
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
