//! Route reflectors of BGP (RFC 4456) that a system names: its only sessions inside are theirs.

use std::collections::BTreeMap;

use netloom_document::{Diagnostic, Span};

use super::{NodeDraft, Report};
use crate::service::OptionValue;
use crate::spec::NodeKind;

/// A router that speaks BGP.
struct Speaker<'d> {
    index: usize,
    system: &'d str,
    /// Names of its reflectors.
    reflectors: &'d [String],
    span: Span,
}

/// Checks the reflectors of all systems. Returns the routers with whom each router of a system with
/// reflectors has a session inside it.
pub(super) fn check(
    nodes: &[NodeDraft<'_>],
    report: &mut Report<'_>,
) -> BTreeMap<usize, Vec<usize>> {
    let mut systems: BTreeMap<&str, Vec<Speaker<'_>>> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        for service in ["bgp", "bird"] {
            let speaker = speaker(index, node, service, report);
            if let Some(speaker) = speaker {
                systems.entry(speaker.system).or_default().push(speaker);
            }
        }
    }
    let mut sessions = BTreeMap::new();
    for system in systems.values() {
        let Some(first) = system.iter().find(|one| !one.reflectors.is_empty()) else { continue };
        let name = |one: &Speaker<'_>| nodes[one.index].name.value.as_str();
        for one in system {
            check_alike(nodes, first, one, report);
            let is_reflector = first.reflectors.iter().any(|other| other == name(one));
            let has_session = |other: &&Speaker<'_>| {
                other.index != one.index
                    && (is_reflector
                        || first.reflectors.iter().any(|name_of| name_of == name(other)))
            };
            let others = system.iter().filter(has_session).map(|other| other.index);
            sessions.insert(one.index, others.collect());
        }
        for reflector in first.reflectors {
            if !system.iter().any(|one| name(one) == reflector) {
                let message =
                    format!("reflector `{reflector}` is no router of the system {}", first.system);
                let known: Vec<&str> = system.iter().map(name).collect();
                let help = report.did_you_mean(reflector, "its routers are", known);
                let help = help.unwrap_or_else(|| "name a router whose `bgp` has this `as`".into());
                report.error(Diagnostic::error(first.span, message).with_help(help));
            }
        }
    }
    sessions
}

fn speaker<'d>(
    index: usize,
    node: &'d NodeDraft<'_>,
    service: &str,
    report: &Report<'_>,
) -> Option<Speaker<'d>> {
    let used = node.software.services.get(service)?;
    let Some(OptionValue::Text(system)) = used.options.get("as") else { return None };
    let reflectors = match used.options.get("reflectors") {
        Some(OptionValue::List(names)) => &names[..],
        Some(OptionValue::Text(name)) => std::slice::from_ref(name),
        None => &[],
    };
    let span = report.value(node.raw.id, &["services", service, "reflectors"]);
    let span = span.or_else(|| report.key(node.raw.id, &["services", service]));
    let span = span.unwrap_or(node.name.span);
    (used.template == service).then_some(Speaker { index, system, reflectors, span })
}

/// Checks that a router of a system has the same reflectors as the first one that has some, and can
/// have sessions with them.
fn check_alike(
    nodes: &[NodeDraft<'_>],
    first: &Speaker<'_>,
    one: &Speaker<'_>,
    report: &mut Report<'_>,
) {
    let node = &nodes[one.index];
    let name = &node.name.value;
    let mut error = |message: String, help: &str| {
        let finding = Diagnostic::error(one.span, message).with_help(help);
        report.error(finding.with_related(first.span, "reflectors of its system"));
    };
    if one.reflectors != first.reflectors {
        let message = format!(
            "`{name}` is of the system {}, and has not the same `reflectors` as `{}`",
            one.system, nodes[first.index].name.value
        );
        error(message, "give all routers of a system, with `bgp`, the same list");
    }
    let reflects =
        node.software.services.get("bgp").and_then(|of| of.options.get("route_reflector"));
    if reflects == Some(&OptionValue::Text("true".into())) {
        let message = format!("`{name}` has `route_reflector` beside `reflectors`");
        error(message, "leave it out: the list says who reflects");
    }
    if node.kind != NodeKind::Router {
        let message = format!("`{name}` is no router, and has no loopback address for sessions");
        error(message, "write `kind: router`");
    }
}
