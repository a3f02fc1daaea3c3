//! References to nodes, interfaces, links and processes by name.

use std::collections::{HashMap, HashSet};

use netloom_document::{Diagnostic, Spanned};

use super::links::{End, LinkDraft};
use super::nodes::NodeDraft;
use super::ranges;
use super::report::Report;
use crate::raw::{RawEndpoint, RawProcess, RawScenario, RawStart};
use crate::spec::{Called, Endpoint, Start};

/// Everything that can be referred to.
pub(super) struct References<'a> {
    nodes: HashMap<&'a str, &'a NodeDraft<'a>>,
    /// Names and full names of links, to their indices.
    links: HashMap<String, usize>,
    link_names: Vec<&'a str>,
    all_links: &'a [LinkDraft<'a>],
    links_are_complete: bool,
    on_media: HashSet<&'a str>,
    processes: HashMap<&'a str, &'a RawProcess>,
    pub all_processes: &'a [Spanned<RawProcess>],
    all_nodes: &'a [NodeDraft<'a>],
}

impl<'a> References<'a> {
    pub fn new(
        raw: &'a RawScenario,
        nodes: &'a [NodeDraft<'a>],
        links: &'a [LinkDraft<'a>],
    ) -> Self {
        let full =
            links.iter().enumerate().filter_map(|(index, link)| Some((link.full_name()?, index)));
        let named = links.iter().enumerate().map(|(index, link)| (link.name.clone(), index));
        let processes = raw
            .processes
            .iter()
            .filter(|process| process.name.is_some())
            .map(|process| (process.name(), &process.value));
        Self {
            nodes: nodes.iter().map(|node| (node.name.value.as_str(), node)).collect(),
            links: full.chain(named).collect(),
            link_names: links.iter().map(|link| link.name.as_str()).collect(),
            all_links: links,
            on_media: on_media(links),
            links_are_complete: links.iter().all(|link| link.ends.is_some()),
            processes: processes.collect(),
            all_processes: &raw.processes,
            all_nodes: nodes,
        }
    }

    /// The node called `name`; reported if there is none.
    pub fn node(
        &self,
        name: &Spanned<String>,
        report: &mut Report<'_>,
    ) -> Option<&'a NodeDraft<'a>> {
        let node = self.nodes.get(name.value.as_str()).copied();
        if node.is_some() {
            return node;
        }
        let known = report.node_names();
        if !known.contains(&name.value) {
            let message = format!("there is no node `{}`", name.value);
            let help = ranges::no_pattern(&name.value)
                .or_else(|| report.did_you_mean(&name.value, "the nodes are", known.iter()));
            report.error(Diagnostic::error(name.span, message).with_optional_help(help));
        }
        node
    }

    /// The node called `name`, if there is one.
    pub fn draft(&self, name: &str) -> Option<&'a NodeDraft<'a>> {
        self.nodes.get(name).copied()
    }

    /// Whether a node is on a shared medium.
    pub fn is_on_medium(&self, node: &NodeDraft<'_>) -> bool {
        self.on_media.contains(node.name.value.as_str())
    }

    /// The node called `name`, if commands can be run in it; reported if not.
    pub fn node_with_stack(&self, name: &Spanned<String>, report: &mut Report<'_>) -> bool {
        let Some(node) = self.node(name, report) else { return false };
        if node.is_segment() {
            let what = if node.is_switch() { "switch" } else { "medium" };
            let message = format!("`{}` is a {what}, in which nothing can run", name.value);
            let help = "run it in a host or router";
            report.error(Diagnostic::error(name.span, message).with_help(help));
        }
        !node.is_segment()
    }

    /// The names of the nodes in `group`; reported if there is no such group.
    pub fn members(
        &self,
        group: &Spanned<String>,
        report: &mut Report<'_>,
    ) -> Option<Vec<&'a NodeDraft<'a>>> {
        let known: Vec<&str> = report.written_keys(&["topology", "groups"]).collect();
        if !known.contains(&group.value.as_str()) {
            let message = format!("there is no group `{}`", group.value);
            let help = report.did_you_mean(&group.value, "the groups are", known);
            report.error(Diagnostic::error(group.span, message).with_optional_help(help));
            return None;
        }
        Some(self.all_nodes.iter().filter(|node| node.groups.contains(&group.value)).collect())
    }

    /// The interface at `endpoint`; reported if there is none.
    pub fn interface(
        &self,
        endpoint: &Spanned<RawEndpoint>,
        report: &mut Report<'_>,
    ) -> Option<Endpoint> {
        let RawEndpoint { node: name, interface } = &endpoint.value;
        let node = Spanned { value: name.clone(), span: endpoint.span, id: endpoint.id };
        let node = self.node(&node, report)?;
        let known: Vec<&str> =
            node.interfaces.iter().map(|interface| interface.name.as_str()).collect();
        let Some(interface) = interface else {
            let message = format!("`{name}` names a node, not an interface");
            let help = known.first().map(|first| format!("write `{name}:{first}`"));
            report.error(Diagnostic::error(endpoint.span, message).with_optional_help(help));
            return None;
        };
        let found = node.interfaces.iter().find(|known| known.name == *interface);
        if let Some(sub) = found.and_then(|found| found.subinterface.as_ref()) {
            let message = format!("`{name}:{interface}` is a sub-interface of `{name}:{}`", sub.of);
            let help = format!("write `{name}:{}`: frames of all VLANs are there, tagged", sub.of);
            report.error(Diagnostic::error(endpoint.span, message).with_help(help));
            return None;
        }
        if known.contains(&interface.as_str()) {
            return Some(Endpoint { node: name.clone(), interface: interface.clone() });
        }
        if self.links_are_complete && !report.is_incomplete_in_file(&["topology", "links"]) {
            let message = format!("node `{name}` has no interface `{interface}`");
            let help = report.did_you_mean(interface, "its interfaces are", known);
            report.error(Diagnostic::error(endpoint.span, message).with_optional_help(help));
        }
        None
    }

    /// The shared media.
    pub fn media(&self) -> impl Iterator<Item = &'a str> {
        let media = self.all_nodes.iter().filter(|node| node.is_segment() && !node.is_switch());
        media.map(|node| node.name.value.as_str())
    }

    /// The index of the link called `name`, if there is one.
    pub fn link_index(&self, name: &str) -> Option<usize> {
        match self.called(name) {
            Called::One { place, .. } => Some(place),
            Called::Unknown | Called::Several(_) => None,
        }
    }

    /// The link called `name`, by its name or its ends.
    pub fn called(&self, name: &str) -> Called {
        if let Some(place) = self.links.get(name) {
            return Called::One { place: *place, turned: false };
        }
        // Nothing is between nodes that have no name.
        let ends = |link: &'a LinkDraft<'a>| {
            let ends = link.ends.as_ref();
            ends.map_or([("", ""); 2], |ends| ends.each_ref().map(End::parts))
        };
        Called::of(name, self.all_links.iter().map(|link| (link.name.as_str(), ends(link))))
    }

    /// The name of the link called `name`, by its name or its ends; reported if there is none, or
    /// several.
    pub fn link(&self, name: &Spanned<String>, report: &mut Report<'_>) -> Option<String> {
        let places = match self.called(&name.value) {
            Called::One { place, .. } => return Some(self.link_names[place].to_string()),
            Called::Unknown => Vec::new(),
            Called::Several(places) => places,
        };
        if !places.is_empty() {
            let all = places.iter().map(|place| format!("`{}`", self.link_names[*place]));
            let help = format!("write one of {}", all.collect::<Vec<_>>().join(", "));
            let message = format!("`{}` stands for {} links", name.value, places.len());
            report.error(Diagnostic::error(name.span, message).with_help(help));
            return None;
        }
        if self.links_are_complete && !report.is_incomplete_in_file(&["topology", "links"]) {
            let help =
                report.did_you_mean(&name.value, "the links are", self.link_names.iter().copied());
            let message = format!("there is no link `{}`", name.value);
            report.error(Diagnostic::error(name.span, message).with_optional_help(help));
        }
        None
    }

    /// The process called `name`, if there is one.
    pub fn find_process(&self, name: &str) -> Option<&'a RawProcess> {
        self.processes.get(name).copied()
    }

    /// When something begins; reported if it waits for an unknown process.
    pub fn start(&self, raw: &RawStart, report: &mut Report<'_>) -> Option<Start> {
        let after = match raw {
            RawStart::At(time) => return Some(Start::At(*time)),
            RawStart::After(after) => after,
        };
        let name = &after.after;
        if self.find_process(&name.value).is_none() {
            let all_named = self.all_processes.iter().all(|process| process.name.is_some());
            if all_named && !report.is_incomplete_in_file(&["processes"]) {
                let known = self.all_processes.iter().map(|process| process.name());
                let help = report.did_you_mean(&name.value, "the processes are", known);
                let message = format!("there is no process `{}`", name.value);
                report.error(Diagnostic::error(name.span, message).with_optional_help(help));
            }
            return None;
        }
        Some(Start::After { process: name.value.clone(), when: after.when, delay: after.delay.0 })
    }
}

/// The nodes that are members of media.
fn on_media<'a>(links: &'a [LinkDraft<'_>]) -> HashSet<&'a str> {
    let joining = links.iter().filter(|link| link.raw.head.joins_medium);
    joining.filter_map(|link| Some(link.ends.as_ref()?[0].node_name)).collect()
}
