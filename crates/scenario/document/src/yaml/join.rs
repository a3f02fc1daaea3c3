//! One document laid over another one, as if both were one text.

use super::{Content, Node, NodeId, Tree};
use crate::span::Span;

/// A value that another one has replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The last key on the way to it.
    pub key: String,
    /// Position of the value that is gone.
    pub was: Span,
    /// Position of the value in its place.
    pub is: Span,
}

impl Tree {
    /// Lays `over` over this document: mappings are joined entry by entry, lists one behind the
    /// other, and any other value of `over` replaces the one below it. The text of `over` begins
    /// behind the first `lines` lines. Returns the replaced values.
    pub fn under(mut self, over: Self, lines: usize) -> (Self, Vec<Replaced>) {
        let offset = self.nodes.len() as u32;
        let moved = |id: NodeId| NodeId(id.0 + offset);
        self.nodes.extend(over.nodes.into_iter().map(|node| Node {
            content: match node.content {
                Content::Scalar { text, plain } => Content::Scalar { text, plain },
                Content::Sequence(all) => Content::Sequence(all.into_iter().map(moved).collect()),
                Content::Mapping(all) => Content::Mapping(
                    all.into_iter().map(|(key, value)| (moved(key), moved(value))).collect(),
                ),
            },
            span: node.span.below(lines),
            ..node
        }));
        let mut replaced = Vec::new();
        self.root = self.joined(self.root, moved(over.root), "", &mut replaced);
        (self, replaced)
    }

    /// Returns a value with another one laid over it. Neither changes, since aliases may refer to
    /// them.
    fn joined(
        &mut self,
        below: NodeId,
        above: NodeId,
        key: &str,
        replaced: &mut Vec<Replaced>,
    ) -> NodeId {
        let content = match (self.content(below), self.content(above)) {
            (Content::Sequence(first), Content::Sequence(then)) => {
                Content::Sequence(first.iter().chain(then).copied().collect())
            }
            (Content::Mapping(first), Content::Mapping(then)) => {
                let (mut all, then) = (first.clone(), then.clone());
                for (name, value) in then {
                    let word = self.text(name).unwrap_or_default().to_owned();
                    let same = all.iter().position(|(key, _)| self.text(*key) == Some(&word));
                    match same {
                        Some(place) => {
                            all[place].1 = self.joined(all[place].1, value, &word, replaced);
                        }
                        None => all.push((name, value)),
                    }
                }
                Content::Mapping(all)
            }
            // A key without a value says nothing yet.
            (Content::Scalar { text, plain: true }, _) if text.is_empty() => return above,
            (_, Content::Scalar { text, plain: true }) if text.is_empty() => return below,
            _ => {
                let (was, is) = (self.span(below), self.span(above));
                replaced.push(Replaced { key: key.into(), was, is });
                return above;
            }
        };
        let [one, other] = [below, above].map(|node| &self.nodes[node.index()]);
        let node = Node {
            content,
            span: one.span,
            expanded: one.expanded.saturating_add(other.expanded),
            depth: one.depth.max(other.depth),
        };
        self.nodes.push(node);
        NodeId(self.nodes.len() as u32 - 1)
    }
}
