//! Limits of groups and of the experiment, and published ports: properties that concern several
//! nodes.

use std::collections::BTreeMap;

use netloom_document::Diagnostic;

use super::nodes::NodeDraft;
use super::report::Report;
use crate::limits::Limits;
use crate::raw::{RawLimits, RawTopology};

/// Returns the limits of all nodes together.
pub(super) fn total(topology: &RawTopology) -> Limits {
    alone(topology.total_limits.as_ref())
}

/// Returns the limits of each group's nodes together, for groups that have such limits.
pub(super) fn of_groups(
    topology: &RawTopology,
    nodes: &[NodeDraft<'_>],
    report: &mut Report<'_>,
) -> BTreeMap<String, Limits> {
    let limits = topology
        .groups
        .iter()
        .map(|(name, group)| (name.value.clone(), alone(group.head.total_limits.as_ref())));
    let limits: BTreeMap<String, Limits> =
        limits.filter(|(_, limits)| !limits.is_empty()).collect();
    for node in nodes.iter().filter(|node| !node.is_segment()) {
        let mut groups = node.groups.iter().filter(|group| limits.contains_key(*group));
        let (Some(first), Some(second)) = (groups.next(), groups.next()) else { continue };
        let message = format!(
            "node `{}` is in two groups with `total_limits`, `{first}` and `{second}`",
            node.name.value
        );
        let key = report.key_in_file(&["topology", "groups", second, "total_limits"]);
        let finding = Diagnostic::error(node.name.span, message).with_help(
            "what a node uses can count for one group only: leave one of the totals out",
        );
        report.error(match key {
            Some(key) => finding.with_related(key, "the second total is here"),
            None => finding,
        });
    }
    limits
}

/// Resolves limits that override no others.
fn alone(raw: Option<&RawLimits>) -> Limits {
    let mut limits = Limits::default();
    if let Some(raw) = raw {
        raw.lay_over(&mut limits);
    }
    limits
}

/// Checks that every port of the machine is forwarded to one node only.
pub(super) fn check_published(nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
    let all = nodes.iter().flat_map(|node| node.raw.head.publish.iter().map(move |p| (node, p)));
    let all: Vec<_> = all.collect();
    for (index, (node, publish)) in all.iter().enumerate() {
        let same = all[..index].iter().find(|(_, o)| o.value.0.collides_with(&publish.value.0));
        let Some((first, other)) = same else { continue };
        let message = format!(
            "port {} of the machine is published for `{}` and for `{}`",
            publish.value.0.port, first.name.value, node.name.value
        );
        report.error(
            Diagnostic::error(publish.span, message)
                .with_related(other.span, "first published here")
                .with_help("choose another port of the machine, the number before the colon"),
        );
    }
}
