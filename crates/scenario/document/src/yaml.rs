//! A YAML document as a tree whose nodes have their positions in the text.
//!
//! The tree is an arena. An alias refers to the anchored node itself, so a small file cannot become
//! a large tree. Merge keys (`<<`) are resolved here. Not here: the meaning of the values.

mod anchors;
mod build;
mod join;
mod put;
mod scalar;
mod suspect;
mod syntax;

use crate::dialect::Dialect;
use crate::span::Span;

pub use build::{parse, parse_all, parse_with};
pub use join::Replaced;
pub use put::{Assignments, Setting};
pub use scalar::Plain;

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The node of a value that is in no tree.
    pub const NONE: Self = Self(u32::MAX);

    /// Returns a number that identifies this node in its tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the node with this number.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// Content of a node.
#[derive(Debug)]
pub enum Content {
    /// A scalar.
    Scalar {
        /// The text, without quotes and escapes.
        text: String,
        /// Whether it was written without quotes.
        plain: bool,
    },
    /// A list.
    Sequence(Vec<NodeId>),
    /// Keys and values in the order of the text. No key occurs twice.
    Mapping(Vec<(NodeId, NodeId)>),
}

#[derive(Debug)]
struct Node {
    content: Content,
    span: Span,
    /// Number of nodes below it, itself included, if every alias is expanded.
    expanded: u64,
    depth: u32,
}

/// A YAML document.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    root: NodeId,
    dialect: &'static Dialect,
}

impl Tree {
    /// Returns the words of this kind of document.
    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// Returns the root node of the document.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// Returns the content of `node`.
    pub fn content(&self, node: NodeId) -> &Content {
        &self.nodes[node.0 as usize].content
    }

    /// Returns the position of `node` in the text.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0 as usize].span
    }

    /// Returns the text of `node` if it is a scalar.
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.content(node) {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the keys and values of `node`, or nothing if it is not a mapping.
    pub fn entries(&self, node: NodeId) -> &[(NodeId, NodeId)] {
        match self.content(node) {
            Content::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the elements of `node`, or nothing if it is not a list.
    pub fn elements(&self, node: NodeId) -> &[NodeId] {
        match self.content(node) {
            Content::Sequence(elements) => elements,
            _ => &[],
        }
    }

    /// Returns the key and the value of the entry `key` of `node`.
    pub fn entry(&self, node: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        self.entries(node).iter().copied().find(|(name, _)| self.text(*name) == Some(key))
    }

    /// Returns the mapping that has the key `node`, and which of its entries that is.
    pub(crate) fn place_of_key(&self, node: NodeId) -> Option<(NodeId, usize)> {
        self.mappings().find_map(|(mapping, entries)| {
            Some((mapping, entries.iter().position(|(key, _)| *key == node)?))
        })
    }

    /// Returns the mapping and the key of the entry whose value is `node`.
    pub(crate) fn entry_with(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        self.mappings().find_map(|(mapping, entries)| {
            let (key, _) = entries.iter().find(|(_, value)| *value == node)?;
            Some((mapping, *key))
        })
    }

    /// Returns all mappings and their entries.
    fn mappings(&self) -> impl Iterator<Item = (NodeId, &[(NodeId, NodeId)])> {
        self.nodes.iter().enumerate().filter_map(|(index, node)| match &node.content {
            Content::Mapping(entries) => Some((NodeId::from_index(index), &entries[..])),
            _ => None,
        })
    }

    /// Returns the key of the entry whose value is `node`.
    pub fn key_of(&self, node: NodeId) -> Option<&str> {
        self.entry_with(node).and_then(|(_, key)| self.text(key))
    }

    /// Returns the value at the end of `path`, which has one key for each level below `node`.
    pub fn find(&self, node: NodeId, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(node, |node, key| self.entry(node, key).map(|(_, value)| value))
    }
}
