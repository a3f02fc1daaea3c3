//! What a scenario's text writes, and where, without resolving it: for programs that show a network
//! beside its text, also while the text has errors.

use netloom_document::{NodeId, Span, Tree};
use serde::Serialize;

use crate::dialect;
use crate::resolve::names_of;
use crate::spec::{Link, Scenario};

/// The parts of a network that a text writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Outline {
    /// Keys of `nodes`, `media` and `constellations`.
    pub nodes: Vec<WrittenNode>,
    /// Elements of `links` that have two ends.
    pub links: Vec<WrittenLink>,
}

/// A key that stands for one node or more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenNode {
    /// The section of `topology` that has it.
    pub section: &'static str,
    /// The key.
    pub written: String,
    /// The names that it stands for: more than one for a range like `n[1-50]`.
    pub names: Vec<String>,
    /// The value of its `kind`, if it is written there.
    pub kind: Option<String>,
    /// From the key to the end of the value.
    pub span: Span,
}

/// A link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenLink {
    /// Its place among the elements of `links`.
    pub place: usize,
    /// Its own name, if it has one.
    pub name: Option<String>,
    /// Its ends, `node` or `node:interface`.
    pub ends: [String; 2],
    /// Its place in the text.
    pub span: Span,
}

impl Outline {
    /// Reads what a text writes. Of a text that is no YAML, that is nothing.
    pub fn of(text: &str) -> Self {
        let Ok(tree) = dialect::parse(text) else { return Self::default() };
        let Some((_, topology)) = tree.entry(tree.root(), "topology") else {
            return Self::default();
        };
        let sections = ["nodes", "media", "constellations"];
        let nodes = sections.into_iter().flat_map(|section| nodes(&tree, topology, section));
        let links = tree.entry(topology, "links").map_or(&[][..], |(_, all)| tree.elements(all));
        Self {
            nodes: nodes.collect(),
            links: links.iter().enumerate().filter_map(|at| link(&tree, at)).collect(),
        }
    }
}

impl Outline {
    /// Returns the names of the links that the text writes, each with its place in `links`. Links
    /// of a scenario come in the order of its text, those that nobody wrote among them, so each
    /// is found by the nodes at its ends.
    pub fn link_names(&self, scenario: &Scenario) -> Vec<(usize, String)> {
        let mut written = self.links.iter().peekable();
        let mut names = Vec::new();
        for link in &scenario.links {
            if let Some(own) = written.next_if(|written| written.joins(link)) {
                names.push((own.place, link.name.clone()));
            }
        }
        names
    }
}

impl WrittenLink {
    /// Whether its ends are at the same nodes as those of a link.
    pub fn joins(&self, link: &Link) -> bool {
        let node = |end: &str| end.split(':').next().unwrap_or_default().to_owned();
        self.ends.iter().zip(&link.endpoints).all(|(own, other)| node(own) == other.node)
    }
}

fn nodes(tree: &Tree, topology: NodeId, section: &'static str) -> Vec<WrittenNode> {
    let entries = tree.entry(topology, section).map_or(&[][..], |(_, all)| tree.entries(all));
    let node = |&(key, value): &(NodeId, NodeId)| {
        let written = tree.text(key)?.to_owned();
        let names = match section {
            "nodes" => names_of(&written)?,
            _ => vec![written.clone()],
        };
        let kind = tree.entry(value, "kind").and_then(|(_, kind)| tree.text(kind));
        let span = tree.span(key).to(tree.span(value));
        // A value that is an alias stands where its anchor is.
        let span = if span.end_line < span.line { tree.span(key) } else { span };
        Some(WrittenNode { section, written, names, kind: kind.map(Into::into), span })
    };
    entries.iter().filter_map(node).collect()
}

fn link(tree: &Tree, (place, &at): (usize, &NodeId)) -> Option<WrittenLink> {
    let (_, ends) = tree.entry(at, "endpoints")?;
    let [a, b] = tree.elements(ends) else { return None };
    let ends = [tree.text(*a)?.to_owned(), tree.text(*b)?.to_owned()];
    let name = tree.entry(at, "name").and_then(|(_, name)| tree.text(name));
    Some(WrittenLink { place, name: name.map(Into::into), ends, span: tree.span(at) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_found_even_if_it_is_wrong() {
        let outline = Outline::of(
            "name: x\ntopology:\n  nodes:\n    n[1-3]: { kind: router }\n    a:\n  links:\n    \
             - { endpoints: [\"n1:eth1\", nowhere], delay: soon }\n    - { endpoints: [a] }\n",
        );
        let names: Vec<_> =
            outline.nodes.iter().map(|node| (node.names.len(), node.kind.as_deref())).collect();
        assert_eq!(names, [(3, Some("router")), (1, None)]);
        assert_eq!(outline.nodes[0].span.line, 4);
        assert_eq!(outline.links.len(), 1);
        assert_eq!(outline.links[0].ends, ["n1:eth1", "nowhere"]);
        assert_eq!(outline.links[0].span.line, 7);
        assert_eq!(Outline::of("{"), Outline::default());
    }
}
