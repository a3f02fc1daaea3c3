//! Processes that wait for each other.

use std::collections::HashSet;

use netloom_document::{Diagnostic, Span};

use super::super::references::References;
use super::super::report::Report;
use crate::raw::{RawProcess, RawStart};

/// Reports each cycle of start conditions once. A process waits for at most one other, so the
/// conditions form chains.
pub(super) fn check(references: &References<'_>, report: &mut Report<'_>) {
    let mut done: HashSet<&str> = HashSet::new();
    for process in references.all_processes {
        let mut chain: Vec<&str> = Vec::new();
        let mut current = Some(&process.value);
        while let Some(process) = current {
            let name = process.name();
            if let Some(start) = chain.iter().position(|before| *before == name) {
                report_circle(&chain[start..], references, report);
                break;
            }
            if done.contains(name) {
                break;
            }
            chain.push(name);
            current = waits_for(process).and_then(|(name, _)| references.find_process(name));
        }
        done.extend(chain);
    }
}

fn waits_for(process: &RawProcess) -> Option<(&str, Span)> {
    match &process.start.as_ref()?.value {
        RawStart::After(after) => Some((&after.after.value, after.after.span)),
        RawStart::At(_) => None,
    }
}

fn report_circle(circle: &[&str], references: &References<'_>, report: &mut Report<'_>) {
    let first = circle.first().and_then(|name| references.find_process(name));
    let Some((_, span)) = first.and_then(waits_for) else { return };
    let message = match circle {
        [own] => format!("process `{own}` waits for itself"),
        circle => {
            let names: Vec<String> = circle.iter().map(|name| format!("`{name}`")).collect();
            format!("processes wait for each other: {}, and again", names.join(" for "))
        }
    };
    let help = "let one of them start at a time, like `start: 0s`";
    report.error(Diagnostic::error(span, message).with_help(help));
}
