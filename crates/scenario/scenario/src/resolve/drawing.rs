//! Positions of nodes on paper: those of the file and of a file that it names.

use std::collections::BTreeMap;

use netloom_document::{Decoded, Diagnostic, Entries, Span, Spanned, decode};

use super::ranges;
use super::references::References;
use super::report::Report;
use crate::dialect::parse;
use crate::files::Files;
use crate::raw::{RawDrawnAt, RawScenario};
use crate::spec::{DrawingOptions, DrawnAt};

/// The key that names a file.
const FILE: &str = "file";

/// Resolves how the network is drawn.
pub(super) fn resolve(
    raw: &RawScenario,
    references: &References<'_>,
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) -> DrawingOptions {
    let mut positions = BTreeMap::new();
    // The first position, with where it is, decides the kind of all.
    let mut first: Option<(DrawnAt, Span)> = None;
    let mut take = |name: &Spanned<String>, value: &RawDrawnAt, at: Span| match value {
        RawDrawnAt::File(file) => {
            let help = format!("write `{FILE}: {file}` for a file of positions, or `[X, Y]`");
            Err((format!("node `{}` cannot be drawn at `{file}`", name.value), Some(help)))
        }
        RawDrawnAt::At(position) => {
            let (one, _) = *first.get_or_insert((*position, at));
            if is_on_earth(one) != is_on_earth(*position) {
                let message = "some positions are `[X, Y]`, and others `{lat, lon}`";
                return Err((message.into(), Some("write all of them in one way".into())));
            }
            positions.insert(name.value.clone(), *position);
            Ok(())
        }
    };
    let mut refused: Vec<Diagnostic> = Vec::new();
    for (name, value) in raw.drawing.positions.iter() {
        let RawDrawnAt::File(file) = &value.value else { continue };
        if name.value != FILE {
            continue;
        }
        let wrong = |(line, message): (usize, String), help: Option<String>| {
            let message = format!("`{file}`, line {line}: {message}");
            Diagnostic::error(value.span, message).with_optional_help(help)
        };
        let text = match files.text(file) {
            Ok(text) => text,
            Err(unreadable) => {
                let message = format!("cannot read the positions `{file}`: {}", unreadable.reason);
                let finding = Diagnostic::error(value.span, message);
                report.error(finding.with_optional_help(unreadable.help));
                continue;
            }
        };
        let (entries, errors) = read(&text);
        refused.extend(
            errors
                .into_iter()
                .map(|finding| wrong((finding.span.line, finding.message), finding.help)),
        );
        for (name, position) in entries.iter() {
            let line = name.span.line;
            if let Some((message, help)) = unknown(&name.value, references, report) {
                refused.push(wrong((line, message), help));
            } else if let Err((message, help)) = take(name, &position.value, value.span) {
                refused.push(wrong((line, message), help));
            }
        }
    }
    for (name, value) in raw.drawing.positions.iter() {
        let is_file = name.value == FILE && matches!(value.value, RawDrawnAt::File(_));
        if is_file || references.node(name, report).is_none() {
            continue;
        }
        if let Err((message, help)) = take(name, &value.value, value.span) {
            refused.push(Diagnostic::error(value.span, message).with_optional_help(help));
        }
    }
    refused.into_iter().for_each(|finding| report.error(finding));
    DrawingOptions { positions }
}

fn is_on_earth(position: DrawnAt) -> bool {
    matches!(position, DrawnAt::Earth { .. })
}

/// Reads a file of positions. Returns what it has, and its errors.
fn read(text: &str) -> (Entries<Spanned<RawDrawnAt>>, Vec<Diagnostic>) {
    let tree = match parse(text) {
        Ok(tree) => tree,
        Err(findings) => return (Entries::default(), findings.iter().cloned().collect()),
    };
    let Decoded { value, errors, .. } = decode(&tree);
    (value.unwrap_or_default(), errors)
}

/// Returns what is wrong with the name of a node in another file, and help.
fn unknown(
    name: &str,
    references: &References<'_>,
    report: &mut Report<'_>,
) -> Option<(String, Option<String>)> {
    let known = report.node_names();
    if references.draft(name).is_some() || known.contains(name) {
        return None;
    }
    let help = ranges::no_pattern(name)
        .or_else(|| report.did_you_mean(name, "the nodes are", known.iter()));
    Some((format!("there is no node `{name}`"), help))
}
