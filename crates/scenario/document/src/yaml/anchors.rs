//! Merge keys: `<<: *defaults` adds the entries of another mapping to this one.

use std::collections::HashSet;

use super::{Content, Node, NodeId};
use crate::diagnostic::Diagnostic;

/// Entries of a mapping that is being parsed.
pub(super) type Entries = Vec<(NodeId, NodeId)>;

/// Replaces merge keys by the entries that they refer to. Entries of the mapping itself take
/// precedence over merged ones, and earlier merged ones over later ones.
pub(super) fn merge(nodes: &[Node], entries: Entries) -> Result<Entries, Diagnostic> {
    let is_merge = |(key, _): &(NodeId, NodeId)| match &nodes[key.0 as usize].content {
        Content::Scalar { text, plain: true } => text == "<<",
        _ => false,
    };
    let (merges, mut entries): (Entries, Entries) = entries.into_iter().partition(is_merge);
    if merges.is_empty() {
        return Ok(entries);
    }
    let mut present: HashSet<&str> =
        entries.iter().filter_map(|(key, _)| text(nodes, *key)).collect();
    for (_, value) in merges {
        for source in sources(nodes, value)? {
            for &(key, value) in source {
                if text(nodes, key).is_none_or(|key| present.insert(key)) {
                    entries.push((key, value));
                }
            }
        }
    }
    Ok(entries)
}

/// Returns the mappings that a merge key's value refers to: one, or a list of them.
fn sources(nodes: &[Node], value: NodeId) -> Result<Vec<&Entries>, Diagnostic> {
    let wanted = |node: NodeId| match &nodes[node.0 as usize].content {
        Content::Mapping(entries) => Ok(entries),
        _ => Err(Diagnostic::error(
            nodes[node.0 as usize].span,
            "a merge key `<<` takes a mapping or a list of mappings",
        )
        .with_help("give the mapping an anchor, `&name`, and merge it with `<<: *name`")),
    };
    match &nodes[value.0 as usize].content {
        Content::Sequence(elements) => elements.iter().map(|node| wanted(*node)).collect(),
        _ => Ok(vec![wanted(value)?]),
    }
}

pub(super) fn text(nodes: &[Node], node: NodeId) -> Option<&str> {
    match &nodes[node.0 as usize].content {
        Content::Scalar { text, .. } => Some(text),
        _ => None,
    }
}
