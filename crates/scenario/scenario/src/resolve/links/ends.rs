//! The ends of links: the node and the interface of each.

use std::collections::HashMap;

use netloom_document::{Diagnostic, Span, Spanned};

use super::super::names;
use super::super::nodes::NodeDraft;
use super::super::ranges;
use super::super::report::Report;
use crate::raw::{RawEndpoint, RawLink};
use crate::spec::{Interface, NodeKind};

/// One end of a link.
pub(crate) struct End<'a> {
    /// Index of the node.
    pub node: usize,
    pub node_name: &'a str,
    pub interface: String,
}

impl End<'_> {
    /// Returns the names of the node and of the interface.
    pub fn parts(&self) -> (&str, &str) {
        (self.node_name, &self.interface)
    }
}

/// An end whose interface may not be chosen yet.
struct OpenEnd<'a> {
    node: usize,
    raw: &'a Spanned<RawEndpoint>,
}

/// Returns the ends of every link, or `None` for a link whose ends are invalid. Interfaces are
/// added to the nodes in the order in which the links name them.
pub(super) fn resolve<'a>(
    links: &'a [Spanned<RawLink>],
    nodes: &mut [NodeDraft<'a>],
    report: &mut Report<'_>,
) -> Vec<Option<[End<'a>; 2]>> {
    let index: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(index, node)| (node.name.value.as_str(), index)).collect();
    let mut open = Vec::new();
    for link in links {
        let endpoints = link.head.endpoints.iter().flat_map(|endpoints| &endpoints.value);
        let ends: Vec<Option<OpenEnd<'a>>> =
            endpoints.map(|raw| find(raw, &index, report)).collect();
        if !link.head.joins_medium {
            check_no_medium(&ends, nodes, report);
        }
        open.push((is_pair(link, &ends, report), ends));
    }
    // Reserve the names that are written in the file before choosing any.
    let mut used: HashMap<(usize, &str), Span> = HashMap::new();
    for end in open.iter().flat_map(|(_, ends)| ends).flatten() {
        reserve(end, nodes, &mut used, report);
    }
    let mut next = vec![1; nodes.len()];
    let mut resolved = Vec::new();
    for (is_pair, ends) in open {
        let mut ends = ends.into_iter().map(|end| {
            let OpenEnd { node, raw } = end?;
            if raw.interface.is_none() && nodes[node].outside().is_some() {
                let word = raw.node.as_str();
                let message = format!("`{word}` needs the name of a device of the machine");
                let help = format!("write it behind a colon, like `{word}:NAME`");
                report.error(Diagnostic::error(raw.span, message).with_help(help));
                return None;
            }
            let interface = raw.interface.clone().unwrap_or_else(|| {
                choose(&mut next[node], |name| used.contains_key(&(node, name)))
            });
            add_interface(&mut nodes[node], &interface);
            Some(End { node, node_name: &raw.value.node, interface })
        });
        let (first, second) = (ends.next().flatten(), ends.next().flatten());
        resolved.push(first.zip(second).filter(|_| is_pair).map(|(first, second)| [first, second]));
    }
    resolved
}

fn find<'a>(
    raw: &'a Spanned<RawEndpoint>,
    index: &HashMap<&str, usize>,
    report: &mut Report<'_>,
) -> Option<OpenEnd<'a>> {
    if let Some(node) = index.get(raw.node.as_str()) {
        return Some(OpenEnd { node: *node, raw });
    }
    let known = report.node_names();
    if !known.contains(raw.node.as_str()) {
        let message = format!("there is no node `{}`", raw.node);
        let help = ranges::no_pattern(&raw.node)
            .map(|help| format!("{help}; write a link for each, or join them by a switch"))
            .or_else(|| report.did_you_mean(raw.node.as_str(), "the nodes are", known.iter()));
        report.error(Diagnostic::error(raw.span, message).with_optional_help(help));
    }
    None
}

/// Reports ends at media: nodes are on a medium as its members, not by links.
fn check_no_medium(ends: &[Option<OpenEnd<'_>>], nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
    for end in ends.iter().flatten().filter(|end| nodes[end.node].kind == NodeKind::Medium) {
        let message = format!("`{}` is a medium, and no link ends at one", end.raw.node);
        let help = "name the node among the medium's `members`";
        report.error(Diagnostic::error(end.raw.span, message).with_help(help));
    }
}

/// Whether a link has two ends at different nodes.
fn is_pair(link: &Spanned<RawLink>, ends: &[Option<OpenEnd<'_>>], report: &mut Report<'_>) -> bool {
    let Some(endpoints) = &link.head.endpoints else {
        let help = "name the two ends, like `endpoints: [\"a:eth1\", \"b:eth1\"]`";
        report.missing(link.id, link.span, "endpoints", help);
        return false;
    };
    // Links that media and constellations create are not in the file.
    let written = report.written_elements(endpoints.id).max(endpoints.value.len());
    if written != 2 {
        let message = format!("a link has two endpoints, and this one has {written}");
        let help = "join more than two nodes through one of `kind: switch`";
        let finding = Diagnostic::error(endpoints.span, message);
        report.error(if written > 2 { finding.with_help(help) } else { finding });
        return false;
    }
    if let [Some(a), Some(b)] = ends
        && a.node == b.node
    {
        let message = format!("this link joins node `{}` to itself", a.raw.node);
        report.error(
            Diagnostic::error(endpoints.span, message)
                .with_help("the two ends of a link are at two nodes"),
        );
        return false;
    }
    true
}

/// Reserves the interface that an end names.
fn reserve<'a>(
    end: &OpenEnd<'a>,
    nodes: &[NodeDraft<'a>],
    used: &mut HashMap<(usize, &'a str), Span>,
    report: &mut Report<'_>,
) {
    let Some(interface) = end.raw.value.interface.as_deref() else { return };
    // Several devices on one device of the machine are distinguished by a number.
    let name = interface.split('~').next().unwrap_or(interface);
    // Ports of media have the names of the members.
    let is_port = nodes[end.node].kind == NodeKind::Medium;
    if !is_port && let Some(problem) = names::interface_problem(name) {
        let message = format!("`{interface}` cannot be the name of an interface: {problem}");
        report.error(Diagnostic::error(end.raw.span, message));
    }
    match used.get(&(end.node, interface)) {
        Some(first) => {
            let node = &nodes[end.node].name.value;
            let message = format!("interface `{node}:{interface}` is used by two links");
            let help = match nodes[end.node].outside() {
                Some(_) => "name another device, or put a node of `kind: switch` between".into(),
                None => format!("name another one, or write `{node}` for the next free one"),
            };
            let finding = Diagnostic::error(end.raw.span, message);
            report.error(finding.with_related(*first, "first used here").with_help(help));
        }
        None => {
            used.insert((end.node, interface), end.raw.span);
        }
    }
}

/// Returns the next free name of the form `ethN`.
fn choose(next: &mut u32, is_used: impl Fn(&str) -> bool) -> String {
    loop {
        let name = format!("eth{next}");
        *next += 1;
        if !is_used(&name) {
            return name;
        }
    }
}

fn add_interface(node: &mut NodeDraft<'_>, name: &str) {
    if node.interfaces.iter().any(|interface| interface.name == name) {
        return;
    }
    node.interfaces.push(Interface::new(name, 0));
}
