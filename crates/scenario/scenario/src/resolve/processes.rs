//! Processes: the nodes that they run in, their start conditions, and the files that are kept.

mod cycles;

use super::names;
use super::references::References;
use super::report::Report;
use crate::raw::{RawProcess, RawReady, RawScenario, RawStart};
use crate::spec::{Command, Process, Ready, Start};
use netloom_document::{Diagnostic, Span, Spanned};
use netloom_units::Duration;

/// Resolves all processes.
pub(super) fn resolve(
    raw: &RawScenario,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<Process> {
    let names = || raw.processes.iter().filter_map(|process| process.name.as_ref());
    names().for_each(|name| {
        names::check("a process", &name.value, name.span, report);
    });
    names::unique("processes", names(), report);
    cycles::check(references, report);
    raw.processes.iter().map(|process| one(raw, process, references, report)).collect()
}

fn one(
    raw: &RawScenario,
    process: &Spanned<RawProcess>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Process {
    let start = process.start.as_ref();
    if let Some(start) = start {
        check_time(raw, start, "process", report);
    }
    check_keys(process, report);
    check_environment(process, report);
    check_paths(process, report);
    Process {
        name: process.name().into(),
        nodes: nodes(process, references, report),
        command: process
            .command
            .as_ref()
            .map_or(Command::Exec(Vec::new()), |given| given.0.clone()),
        env: process.env.iter().map(|(key, value)| (key.value.clone(), value.0.clone())).collect(),
        start: start
            .and_then(|start| references.start(&start.value, report))
            .unwrap_or(Start::At(Duration::ZERO)),
        ready: process.ready.as_ref().map(|ready| match ready.value.clone() {
            RawReady::Port(port) => Ready::Port(port),
            RawReady::Path(path) => Ready::Path(path),
            RawReady::Output(text) => Ready::Output(text),
            RawReady::Command(command) => Ready::Command(command.0),
        }),
        background: process.background,
        keep: process.keep.iter().map(|path| path.value.clone()).collect(),
    }
}

/// Reports a time that no run reaches; `what` begins at that time.
pub(super) fn check_time(
    raw: &RawScenario,
    start: &Spanned<RawStart>,
    what: &str,
    report: &mut Report<'_>,
) {
    let (RawStart::At(time), Some(given)) = (&start.value, &raw.duration) else { return };
    let duration = given.value.0;
    if *time >= duration && duration > Duration::ZERO {
        let message = format!("this {what} begins at {time}, but the run ends after {duration}");
        report.error(
            Diagnostic::error(start.span, message)
                .with_related(given.span, "the run's duration")
                .with_help("make the run longer, or let it begin earlier"),
        );
    }
}

/// Returns the names of the nodes that a process runs in.
fn nodes(
    process: &Spanned<RawProcess>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<String> {
    check_place(process, report);
    if let Some(group) = &process.group {
        return of_group(group, references, report);
    }
    let name = process.name();
    let many = process.nodes.iter().flat_map(|nodes| &nodes.value);
    let mut names: Vec<String> = Vec::new();
    for node in process.node.iter().chain(many) {
        if names.contains(&node.value) {
            let message = format!("process `{name}` names node `{}` twice", node.value);
            report.error(Diagnostic::error(node.span, message).with_help("keep one of them"));
        } else if references.node_with_stack(node, report) {
            names.push(node.value.clone());
        }
    }
    names
}

/// Checks that a process has exactly one of `node`, `nodes` and `group`.
fn check_place(process: &Spanned<RawProcess>, report: &mut Report<'_>) {
    let name = process.name();
    let keys = ["node", "nodes", "group"].map(|key| report.key(process.id, &[key]));
    let written: Vec<Span> = keys.into_iter().flatten().collect();
    if let Some(last) = written.iter().max().filter(|_| written.len() > 1) {
        let message = format!("process `{name}` has more than one of `node`, `nodes` and `group`");
        report.error(Diagnostic::error(*last, message).with_help("keep one of them"));
    }
    if written.is_empty() && !report.is_incomplete(process.id) {
        let span = process.name.as_ref().map_or(process.span, |name| name.span);
        let message = format!("process `{name}` does not say where it runs");
        let help = "add `node: NAME`, `nodes: [NAME, …]` or `group: NAME`";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    if let Some(nodes) = process.nodes.as_ref().filter(|list| report.written_elements(list.id) == 0)
    {
        report.error(Diagnostic::error(nodes.span, format!("process `{name}` runs in no node")));
    }
}

pub(super) fn of_group(
    group: &Spanned<String>,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Vec<String> {
    let Some(members) = references.members(group, report) else { return Vec::new() };
    if members.is_empty() && !report.is_incomplete_in_file(&["topology", "nodes"]) {
        let message = format!("no node belongs to group `{}`", group.value);
        let help = format!("add `group: {}` to nodes, or `members` to the group", group.value);
        report.error(Diagnostic::error(group.span, message).with_help(help));
    }
    if let Some(switch) = members.iter().find(|node| node.is_switch()) {
        let message = format!(
            "group `{}` contains the switch `{}`, in which nothing can run",
            group.value, switch.name.value
        );
        let help = "name the hosts and routers as `nodes`, or use a group without switches";
        report.error(Diagnostic::error(group.span, message).with_help(help));
    }
    members.iter().map(|node| node.name.value.clone()).collect()
}

fn check_keys(process: &Spanned<RawProcess>, report: &mut Report<'_>) {
    if process.name.is_none() {
        report.missing(process.id, process.span, "name", "name the process, like `name: server`");
    }
    if process.command.is_none() {
        let help = "say what to execute, like `command: iperf3 -s`";
        report.missing(process.id, process.span, "command", help);
    }
}

fn check_environment(process: &RawProcess, report: &mut Report<'_>) {
    for (key, value) in process.env.iter() {
        if key.value.is_empty() || key.value.contains(['=', '\0']) || value.0.contains('\0') {
            let message = format!("`{}` cannot be an environment variable", key.value);
            report.error(Diagnostic::error(key.span, message));
        }
    }
}

fn check_paths(process: &RawProcess, report: &mut Report<'_>) {
    let is_plain = |path: &str| {
        path.starts_with('/') && path.len() > 1 && path.split('/').all(|part| part != "..")
    };
    for path in process.keep.iter().filter(|path| !is_plain(&path.value)) {
        let message = format!("`{}` is not an absolute path of a file in the node", path.value);
        let help = "write it from the root, like `/tmp/iperf3.json`";
        report.error(Diagnostic::error(path.span, message).with_help(help));
    }
    let Some(ready) = &process.ready else { return };
    let problem = match &ready.value {
        RawReady::Port(0) => Some("no socket listens on port 0".to_string()),
        RawReady::Path(path) if !is_plain(path) => {
            Some(format!("`{path}` is not an absolute path in the node"))
        }
        RawReady::Output(text) if text.is_empty() => {
            Some("an empty text is in every output".to_string())
        }
        _ => None,
    };
    if let Some(problem) = problem {
        report.error(Diagnostic::error(ready.span, problem));
    }
}
