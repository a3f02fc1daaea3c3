//! A YAML document as a tree in which every node knows its place in the text.
//!
//! The tree is an arena; an alias is the anchored node itself, met again, so a small file cannot
//! become a large tree. Merge keys (`<<`) are resolved here. Not here: what the values mean.

mod anchors;
mod build;
mod scalar;
mod syntax;

use crate::span::Span;

pub(crate) use build::parse;
pub(crate) use scalar::Plain;

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// A number that stands for this node in its tree.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The node that `index` stands for.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Content {
    /// A scalar, and whether it was written plainly, without quotes.
    Scalar { text: String, plain: bool },
    /// A list.
    Sequence(Vec<NodeId>),
    /// Keys and values in the order of the text; no key occurs twice.
    Mapping(Vec<(NodeId, NodeId)>),
}

#[derive(Debug)]
struct Node {
    content: Content,
    span: Span,
    /// How many nodes it has when every alias is written out, itself included.
    expanded: u64,
    depth: u32,
}

/// A YAML document.
#[derive(Debug)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    root: NodeId,
}

impl Tree {
    /// The node of the whole document.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// What `node` is.
    pub fn content(&self, node: NodeId) -> &Content {
        &self.nodes[node.0 as usize].content
    }

    /// Where `node` is written.
    pub fn span(&self, node: NodeId) -> Span {
        self.nodes[node.0 as usize].span
    }

    /// The text of `node` if it is a scalar.
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.content(node) {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Keys and values of `node`; none if it is not a mapping.
    pub fn entries(&self, node: NodeId) -> &[(NodeId, NodeId)] {
        match self.content(node) {
            Content::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of `node`; none if it is not a list.
    pub fn elements(&self, node: NodeId) -> &[NodeId] {
        match self.content(node) {
            Content::Sequence(elements) => elements,
            _ => &[],
        }
    }

    /// The key and the value of the entry `key` of `node`.
    pub fn entry(&self, node: NodeId, key: &str) -> Option<(NodeId, NodeId)> {
        self.entries(node).iter().copied().find(|(name, _)| self.text(*name) == Some(key))
    }

    /// The value at the end of `path`, a key for each level, from `node` on.
    pub fn find(&self, node: NodeId, path: &[&str]) -> Option<NodeId> {
        path.iter().try_fold(node, |node, key| self.entry(node, key).map(|(_, value)| value))
    }
}
