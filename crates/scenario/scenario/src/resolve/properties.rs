//! Combines all properties of a pipe in one change: it converts the notation of other tools and
//! reads files. Not here: whether the properties make sense together (`pipes`).

use std::collections::HashSet;

use netloom_document::{Diagnostic, NodeId, Span, Tree};
use netloom_link::PipeChange;
use netloom_link::notation::Conflict;

use super::bad_file::bad_file;
use super::report::Report;
use crate::files::Files;
use crate::raw::{RawPipe, RawScenario};

/// Completes the properties of all links and of the timeline.
pub(super) fn complete(raw: &mut RawScenario, files: &mut Files<'_>, report: &mut Report<'_>) {
    let defaults = report.node(report.root(), &["topology", "defaults", "link"]);
    if let Some(node) = defaults {
        complete_pipe(&mut raw.topology.defaults.link.rest, node, files, report);
    }
    for link in &mut raw.topology.links {
        complete_pipe(&mut link.value.rest, link.id, files, report);
        let head = &mut link.value.head;
        for (key, pipe) in [("forward", &mut head.forward), ("reverse", &mut head.reverse)] {
            if let Some(node) = report.node(link.id, &[key]) {
                complete_pipe(&mut pipe.rest, node, files, report);
            }
        }
    }
    for set in raw.timeline.iter_mut().filter_map(|event| event.value.set.as_mut()) {
        complete_pipe(&mut set.value, set.id, files, report);
    }
}

/// Completes properties that stand alone.
pub(crate) fn resolve(
    mut raw: RawPipe,
    tree: &Tree,
    pruned: &HashSet<NodeId>,
    files: &mut Files<'_>,
) -> (PipeChange, Vec<Diagnostic>) {
    let mut report = Report::new(tree, pruned);
    complete_pipe(&mut raw, tree.root(), files, &mut report);
    (raw.rest, report.finish())
}

/// Returns the position of `property` (dotted: `queue.limit`) of `pipe` in the mapping `node`: that
/// of its own key, or of the other tool's string that contains it. `None` if it is only implied.
pub(super) fn place(
    pipe: &RawPipe,
    node: NodeId,
    property: &str,
    report: &Report<'_>,
) -> Option<Span> {
    let (key, _) = property.split_once('.').unwrap_or((property, ""));
    report.key(node, &[key]).or_else(|| report.key(node, &[pipe.head.saying(property)?]))
}

/// Completes the properties in the mapping `node`.
pub(super) fn complete_pipe(
    pipe: &mut RawPipe,
    node: NodeId,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) {
    match pipe.head.combine(&pipe.rest) {
        Ok(change) => pipe.rest = change,
        Err(conflict) => said_twice(conflict, node, report),
    }
    let Err(errors) = files.load(&mut pipe.rest) else { return };
    for error in errors {
        let value = report.node(node, &[error.property]);
        let span = value.and_then(|value| report.scalar(value, &error.file));
        let span = span.or_else(|| place(pipe, node, error.property, report));
        let span = span.unwrap_or_else(|| report.span(node));
        report.error(bad_file(error, span));
    }
}

fn said_twice(conflict: Conflict, node: NodeId, report: &mut Report<'_>) {
    let Conflict { notation, other, property } = conflict;
    let path: Vec<&str> = other.split('.').collect();
    let span = |path: &[&str]| report.key(node, path).unwrap_or_else(|| report.span(node));
    let message = format!("`{property}` is said twice, here and in `{notation}`");
    let finding = Diagnostic::error(span(&path), message)
        .with_related(span(&[notation]), "also said here")
        .with_help("keep one of them");
    report.error(finding);
}
