//! Which errors are about the shape of a document: a part in the wrong place, or a list in place of
//! a mapping. Other errors follow from these, so a document is mended in this order.
//!
//! Not here: errors of syntax, which end the parser.

use super::error::DecodeError;
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::yaml::{Content, NodeId, Plain, Tree};

/// How likely an error of the shape causes others, the likeliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// A section of the document is in the wrong place, or its name is misspelt.
    Section,
    /// A section is a list in place of a mapping, or the other way round.
    Container,
    /// A key whose indentation is wrong: it belongs to what is above it.
    Indentation,
}

/// Returns the finding for `error` at `node`, if it is about the shape.
pub(super) fn finding(
    scope: &Scope<'_>,
    node: NodeId,
    error: &DecodeError,
) -> Option<(Rank, Diagnostic)> {
    let tree = scope.tree;
    if let Some((key, expected)) = error.unknown_key_of() {
        let found = Diagnostic::error(tree.span(node), error.to_string());
        return unknown(scope, node, key, expected)
            .map(|(rank, help)| (rank, found.with_help(help)));
    }
    let expected = error.expected_container(tree.content(node))?;
    let sections = tree.dialect().sections;
    let key = tree.key_of(node);
    if node != tree.root() && !sections.iter().any(|(section, _)| Some(*section) == key) {
        return None;
    }
    if let Some((key, place)) = misplaced(tree, node) {
        let name = tree.text(key).unwrap_or_default();
        let message = format!("`{name}` is in the wrong place");
        let found = Diagnostic::error(tree.span(key), message).with_help(belongs(name, place));
        return Some((Rank::Section, found));
    }
    let found = Diagnostic::error(tree.span(node), error.to_string()).with_help(expected);
    Some((Rank::Container, found))
}

/// Returns rank and help for an unknown key.
fn unknown(
    scope: &Scope<'_>,
    node: NodeId,
    key: &str,
    expected: &[&'static str],
) -> Option<(Rank, String)> {
    let tree = scope.tree;
    let sections = tree.dialect().sections;
    let (mapping, index) = tree.place_of_key(node)?;
    let value = tree.entries(mapping)[index].1;
    if let Some((_, place)) = sections.iter().find(|(section, _)| *section == key) {
        return Some((Rank::Section, belongs(key, place)));
    }
    let is_large = !matches!(tree.content(value), Content::Scalar { .. });
    if let Some(meant) = tree.dialect().similar(key, expected.iter().copied()) {
        let is_section = sections.iter().any(|(section, _)| *section == meant);
        return (is_section && is_large)
            .then(|| (Rank::Section, format!("did you mean `{meant}`?")));
    }
    let line = tree.span(node).line;
    // All keys below an empty one are one mistake.
    let mut before = tree.entries(mapping)[..index].iter().rev();
    let above = before.find(|entry| !scope.is_pruned(entry)).copied();
    // Within brackets, indentation means nothing.
    let above = above.filter(|(key, _)| tree.span(*key).line < line);
    let above = above.map(|(key, value)| (tree.text(key).unwrap_or_default(), value));
    if let Some((above, _)) = above.filter(|(_, value)| is_empty(tree, *value)) {
        let help = format!("`{above}` has nothing below it: indent what belongs to it deeper");
        return Some((Rank::Indentation, help));
    }
    if !is_large && !is_empty(tree, value) {
        return None;
    }
    let holder = tree.entry_with(mapping).map(|(_, key)| key);
    let holder = holder.filter(|key| index == 0 && tree.span(*key).line < line);
    let holder = holder.and_then(|key| tree.text(key));
    let help = match (above, holder) {
        (Some((above, value)), _) if !tree.entries(value).is_empty() => {
            format!("if it belongs to `{above}`, indent it as deep as what is there")
        }
        (_, Some(holder)) => format!("if it belongs beside `{holder}`, indent it as deep as that"),
        _ => return None,
    };
    Some((Rank::Indentation, help))
}

/// Returns the key of `node` and the place where it belongs, if it is a section that has slipped
/// into another one.
fn misplaced(tree: &Tree, node: NodeId) -> Option<(NodeId, &'static str)> {
    let sections = tree.dialect().sections;
    let (mapping, key) = tree.entry_with(node)?;
    let around = tree.key_of(mapping)?;
    sections.iter().find(|(section, _)| *section == around)?;
    let (_, place) = sections.iter().find(|(section, _)| Some(*section) == tree.text(key))?;
    (*place != around).then_some((key, *place))
}

fn belongs(key: &str, place: &str) -> String {
    match place {
        "" => format!("`{key}` belongs to the top level: do not indent it"),
        place => format!("`{key}` belongs under `{place}`"),
    }
}

/// Whether the value is missing.
fn is_empty(tree: &Tree, node: NodeId) -> bool {
    matches!(tree.content(node), Content::Scalar { text, plain: true }
        if Plain::read(text) == Plain::Null)
}
