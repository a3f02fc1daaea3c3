//! Expectations of a scenario: the processes that they are about, and whether they make sense.

use netloom_document::{Diagnostic, Spanned};
use netloom_units::Duration;

use super::report::Report;
use crate::raw::{RawExpectation, RawScenario};
use crate::spec::{Expectation, ExpectedExit, Process};

/// Resolves the expectations about `processes`.
pub(super) fn resolve(
    raw: &RawScenario,
    processes: &[Process],
    report: &mut Report<'_>,
) -> Vec<Expectation> {
    let mut resolved: Vec<Expectation> = Vec::new();
    for given in &raw.expect {
        let Some(expectation) = one(given, processes, report) else { continue };
        let same = |other: &&Expectation| {
            other.exit.is_some()
                && other.process == expectation.process
                && other.nodes.iter().any(|node| expectation.nodes.contains(node))
        };
        if let (Some(exit), Some(_)) = (&given.exit, resolved.iter().find(same)) {
            let message = format!("how `{}` ends is expected more than once", expectation.process);
            report.error(
                Diagnostic::error(exit.span, message).with_help("keep one `exit` for each node"),
            );
        }
        resolved.push(expectation);
    }
    resolved
}

fn one(
    given: &Spanned<RawExpectation>,
    processes: &[Process],
    report: &mut Report<'_>,
) -> Option<Expectation> {
    let Some(name) = &given.process else {
        let help = "say of which process, like `process: client`";
        report.missing(given.id, given.span, "process", help);
        return None;
    };
    let Some(process) = processes.iter().find(|process| process.name == name.value) else {
        let message = format!("there is no process `{}`", name.value);
        let names = processes.iter().map(|process| process.name.as_str());
        let help = match crate::similar(&name.value, names) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "add it to `processes`".into(),
        };
        report.error(Diagnostic::error(name.span, message).with_help(help));
        return None;
    };
    check(given, report);
    let nodes = match &given.node {
        Some(node) if !process.nodes.contains(&node.value) => {
            let message = format!("`{}` does not run in `{}`", name.value, node.value);
            let help = format!("it runs in {}", process.nodes.join(", "));
            report.error(Diagnostic::error(node.span, message).with_help(help));
            return None;
        }
        Some(node) => vec![node.value.clone()],
        None => process.nodes.clone(),
    };
    Some(Expectation {
        process: name.value.clone(),
        nodes,
        exit: given.exit.as_ref().map(|exit| exit.value.0),
        within: given.within.as_ref().map(|time| time.value.0),
        output: given.output.as_ref().map(|text| text.value.clone()),
    })
}

/// Reports expectations that make no sense.
fn check(given: &Spanned<RawExpectation>, report: &mut Report<'_>) {
    let RawExpectation { exit, within, output, .. } = &given.value;
    if exit.is_none() && within.is_none() && output.is_none() && !report.is_incomplete(given.id) {
        let help = "add `exit`, `within` or `output`, like `exit: 0`";
        report.error(Diagnostic::error(given.span, "nothing is expected here").with_help(help));
    }
    if let Some(within) = within.as_ref().filter(|time| time.value.0 == Duration::ZERO) {
        let message = "no process ends within no time";
        let help = "write a time like `within: 10s`, or leave it out";
        report.error(Diagnostic::error(within.span, message).with_help(help));
    }
    let runs = exit.as_ref().is_some_and(|exit| exit.value.0 == ExpectedExit::Running);
    if let Some(within) = within.as_ref().filter(|_| runs) {
        let message = "what still runs at the end does not end within a time";
        let help = "leave out one of `within` and `exit: running`";
        report.error(Diagnostic::error(within.span, message).with_help(help));
    }
    if let Some(output) = output.as_ref().filter(|text| text.value.is_empty()) {
        let message = "an empty text is in every output";
        let help = "write a part of what it prints, or leave it out";
        report.error(Diagnostic::error(output.span, message).with_help(help));
    }
}
