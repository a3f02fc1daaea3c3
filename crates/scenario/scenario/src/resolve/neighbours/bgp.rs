//! Sessions of BGP, which follow from the links: systems whose routers do not pass on each other's
//! routes.

use std::collections::{BTreeMap, BTreeSet};

use netloom_document::{Diagnostic, Span};

use super::speaker::{Setting, Speaker};
use super::{NodeDraft, Report};

/// Services that carry routes inside a system beside BGP.
const INSIDE: &[&str] = &["ospf", "ospf6", "isis", "rip", "babel", "babeld", "static"];

/// All sessions of a network.
#[derive(Default)]
pub(super) struct Sessions {
    routers: BTreeMap<usize, Router>,
}

/// A router that speaks BGP.
struct Router {
    system: String,
    is_reflector: bool,
    span: Span,
    neighbours: BTreeSet<usize>,
}

impl Sessions {
    /// Adds the sessions of one segment: every router has one with every other.
    pub fn add(&mut self, speakers: &[Speaker<'_>]) {
        for one in speakers {
            let setting = |name| one.settings.get(name).map(|s: &Setting| &s.canonical);
            let Some(system) = setting("as") else { continue };
            let router = self.routers.entry(one.port.node).or_insert_with(|| Router {
                system: system.clone(),
                is_reflector: false,
                span: one.span,
                neighbours: BTreeSet::new(),
            });
            router.is_reflector |= setting("route_reflector").is_some_and(|on| on == "true");
            let others = speakers.iter().filter(|other| other.settings.contains_key("as"));
            let others = others.map(|other| other.port.node);
            router.neighbours.extend(others.filter(|other| *other != one.port.node));
        }
    }

    /// Puts sessions with reflectors in place of those inside a system. `sessions` has the others
    /// of each router of such a system.
    pub fn reflect(&mut self, sessions: BTreeMap<usize, Vec<usize>>) {
        let systems: BTreeMap<usize, String> =
            self.routers.iter().map(|(index, one)| (*index, one.system.clone())).collect();
        for (index, others) in sessions {
            let Some(router) = self.routers.get_mut(&index) else { continue };
            let system = router.system.clone();
            router.neighbours.retain(|other| systems.get(other) != Some(&system));
            // One without a link has no session.
            router.neighbours.extend(others.iter().filter(|one| systems.contains_key(*one)));
            // The reflectors pass on what the others do not.
            router.is_reflector = true;
        }
    }

    /// Reports routers that pass nothing on, and systems in several parts.
    pub fn check(&self, nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
        for (index, router) in &self.routers {
            self.check_passing_on(nodes, *index, router, report);
        }
        self.check_parts(nodes, report);
    }

    fn inside<'s>(&'s self, router: &'s Router) -> impl Iterator<Item = usize> + 's {
        let is_inside = |other: &usize| {
            self.routers.get(other).is_some_and(|other| other.system == router.system)
        };
        router.neighbours.iter().copied().filter(is_inside)
    }

    /// Reports a router between two others of its system that have no session with each other: a
    /// route that came from inside is not sent inside again (RFC 4271, section 9.2).
    fn check_passing_on(
        &self,
        nodes: &[NodeDraft<'_>],
        index: usize,
        router: &Router,
        report: &mut Report<'_>,
    ) {
        let has_other_routes = |node: usize| {
            INSIDE.iter().any(|service| nodes[node].software.services.contains_key(*service))
        };
        if router.is_reflector || has_other_routes(index) {
            return;
        }
        let inside: Vec<usize> = self.inside(router).collect();
        let apart = inside.iter().enumerate().find_map(|(at, one)| {
            let known = &self.routers[one].neighbours;
            let mut others = inside[at + 1..].iter();
            others.find(|other| !known.contains(other)).map(|other| (*one, *other))
        });
        let Some((one, other)) = apart else { return };
        let name = |node: usize| &nodes[node].name.value;
        let message = format!(
            "`{}` and `{}` learn nothing of each other from `{}`: inside a system ({}), BGP passes \
             on no route that came from inside",
            name(one),
            name(other),
            name(index),
            router.system
        );
        let help = format!(
            "write `route_reflector: true` at the `bgp` of `{}`, or join each with each",
            name(index)
        );
        report.error(Diagnostic::warning(router.span, message).with_help(help));
    }

    /// Reports a system whose parts are joined by others only: each drops the other's routes, since
    /// its own number is in their paths (RFC 4271, section 9.1.2).
    fn check_parts(&self, nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
        let inside = self.components(|router| self.inside(router).collect());
        let whole = self.components(|router| router.neighbours.iter().copied().collect());
        let mut first: BTreeMap<(&str, usize), (usize, usize)> = BTreeMap::new();
        let mut reported = BTreeSet::new();
        for (index, router) in &self.routers {
            let key = (router.system.as_str(), whole[index]);
            let (other, part) = *first.entry(key).or_insert((*index, inside[index]));
            if part == inside[index] || !reported.insert((router.system.as_str(), inside[index])) {
                continue;
            }
            let message = format!(
                "the system {} is in two parts, one with `{}` and one with `{}`: each drops the \
                 other's routes, in whose paths its own number is",
                router.system, nodes[other].name.value, nodes[*index].name.value
            );
            let finding = Diagnostic::warning(router.span, message)
                .with_related(self.routers[&other].span, "the other part")
                .with_help("give each part a number of its own, or join them by a link");
            report.error(finding);
        }
    }

    /// Returns the component of each router, named by its first member.
    fn components(&self, neighbours: impl Fn(&Router) -> Vec<usize>) -> BTreeMap<usize, usize> {
        let mut component = BTreeMap::new();
        for start in self.routers.keys() {
            let mut open = vec![*start];
            while let Some(index) = open.pop() {
                if component.contains_key(&index) {
                    continue;
                }
                component.insert(index, *start);
                open.extend(neighbours(&self.routers[&index]));
            }
        }
        component
    }
}
