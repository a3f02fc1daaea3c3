//! Ranges of names: `n[1-50]`. Each node of a range is treated as if it were written individually.
//! Not here: the syntax of names (`names`).

use std::collections::HashMap;

use netloom_document::{Diagnostic, Span, Spanned};

use super::report::{MOST_IN_FILE, MOST_NAMES, Report};
use crate::raw::RawTopology;

/// Length of the longest range, in bytes.
const LONGEST: usize = 1000;

/// Expands the ranges among the names of nodes and the members of groups, and passes the names in
/// the file to `report`.
pub(super) fn expand(topology: &mut RawTopology, report: &mut Report<'_>) {
    for (_, group) in &mut topology.groups.0 {
        expand_list(&mut group.head.members, report);
    }
    let nodes = std::mem::take(&mut topology.nodes.0);
    let mut seen: HashMap<String, Span> = HashMap::new();
    for (name, node) in nodes {
        if !is_range(&name.value) {
            if take(&name, &mut seen, report) {
                topology.nodes.0.push((name, node));
            }
            continue;
        }
        for single in singles(&name, report) {
            if take(&single, &mut seen, report) {
                topology.nodes.0.push((single, node.clone()));
            }
        }
    }
    // Nodes that could not be decoded count too.
    let mut names: Vec<String> = Vec::new();
    for written in report.written_keys(&["topology", "nodes"]) {
        match parse(written) {
            Ok(pattern) if is_range(written) => {
                if names.len() + pattern.count() <= MOST_IN_FILE {
                    names.extend(pattern.names());
                }
            }
            _ => names.push(written.to_string()),
        }
    }
    report.set_node_names(names, Vec::new());
}

/// Expands the ranges in a list of names of nodes.
pub(super) fn expand_list(names: &mut Vec<Spanned<String>>, report: &mut Report<'_>) {
    if names.iter().any(|name| is_range(&name.value)) {
        let written = std::mem::take(names);
        for name in written {
            match is_range(&name.value) {
                true => names.extend(singles(&name, report)),
                false => names.push(name),
            }
        }
    }
}

/// Returns help for a name of a node that does not exist and looks like a pattern.
pub(super) fn no_pattern(name: &str) -> Option<String> {
    name.contains(['[', ']', '*', '?']).then(|| {
        "one node is named here: ranges like `n[1-50]` are for `nodes` and for `members` of groups \
         and media"
            .into()
    })
}

/// Returns the names that a key of `nodes` stands for. `None` if it is a range that stands for
/// none, or for too many.
pub(crate) fn names_of(written: &str) -> Option<Vec<String>> {
    match is_range(written) {
        true => Some(parse(written).ok()?.names()),
        false => Some(vec![written.to_owned()]),
    }
}

/// Whether `name` is a range.
fn is_range(name: &str) -> bool {
    name.contains(['[', ']'])
}

/// Returns the names in a range. All have the position of the range.
fn singles(name: &Spanned<String>, report: &mut Report<'_>) -> Vec<Spanned<String>> {
    let pattern = parse(&name.value).and_then(|pattern| {
        // Lists of a thousand ranges are as long as one of them.
        report.take_names(pattern.count()).then_some(pattern).ok_or_else(|| {
            format!("all ranges of the file together stand for more than {MOST_IN_FILE} names")
        })
    });
    match pattern {
        Ok(pattern) => {
            let names = pattern.names().into_iter();
            names.map(|value| Spanned { value, span: name.span, id: name.id }).collect()
        }
        Err(problem) => {
            let message = format!("`{}` is no range of names: {problem}", name.value);
            let help = "write one like `n[1-50]`, `n[01-50]` or `n[1-3,7]`";
            report.error(Diagnostic::error(name.span, message).with_help(help));
            Vec::new()
        }
    }
}

/// Marks `name` as used. If it was used before, reports that and returns `false`.
fn take(name: &Spanned<String>, seen: &mut HashMap<String, Span>, report: &mut Report<'_>) -> bool {
    let Some(first) = seen.insert(name.value.clone(), name.span) else { return true };
    let message = format!("the node `{}` is written twice", name.value);
    let help = "leave it out of the range, like `n[1-6,8-50]`; \
                what it alone needs can stand in a group that it belongs to";
    report.error(
        Diagnostic::error(name.span, message)
            .with_related(first, "the first time is here")
            .with_help(help),
    );
    false
}

/// Text with numbers in between, each from a list.
#[derive(Debug, PartialEq, Eq)]
struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Numbers(Vec<String>),
}

impl Pattern {
    /// Returns the number of names.
    fn count(&self) -> usize {
        let counts = self.parts.iter().map(|part| match part {
            Part::Text(_) => 1,
            Part::Numbers(numbers) => numbers.len(),
        });
        counts.product()
    }

    /// Returns all names. The last number changes fastest.
    fn names(&self) -> Vec<String> {
        self.parts.iter().fold(vec![String::new()], |names, part| match part {
            Part::Text(text) => names.into_iter().map(|name| name + text).collect(),
            Part::Numbers(numbers) => {
                let with = |name: String| {
                    numbers.iter().map(move |number| format!("{name}{number}")).collect::<Vec<_>>()
                };
                names.into_iter().flat_map(with).collect()
            }
        })
    }
}

/// Parses a name with ranges.
fn parse(name: &str) -> Result<Pattern, String> {
    if name.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let mut parts = Vec::new();
    let mut count: usize = 1;
    let mut rest = name;
    while let Some(open) = rest.find(['[', ']']) {
        if rest[open..].starts_with(']') {
            return Err("a `]` has no `[` before it".into());
        }
        let (text, inside) = (&rest[..open], &rest[open + 1..]);
        let close = inside.find(']').ok_or("a `[` is not closed")?;
        if !text.is_empty() {
            parts.push(Part::Text(text.into()));
        }
        let numbers = numbers(&inside[..close])?;
        count = count.saturating_mul(numbers.len());
        if count > MOST_NAMES {
            return Err(too_many());
        }
        parts.push(Part::Numbers(numbers));
        rest = &inside[close + 1..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.into()));
    }
    Ok(Pattern { parts })
}

/// Returns the numbers of a list like `1-3,07-09`. Those of a range have as many digits as its
/// first.
fn numbers(list: &str) -> Result<Vec<String>, String> {
    let mut numbers = Vec::new();
    for item in list.split(',').map(str::trim) {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (from, to) = (number(first)?, number(last)?);
        if from > to {
            return Err(format!("{from} is above {to}"));
        }
        if to - from >= (MOST_NAMES - numbers.len()) as u64 {
            return Err(too_many());
        }
        let width = if first.starts_with('0') { first.len() } else { 0 };
        numbers.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(numbers)
}

fn number(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| format!("`{text}` is no number"))
}

fn too_many() -> String {
    format!("it stands for more than {MOST_NAMES} names")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranges_together_have_a_bound() {
        let tree = crate::dialect::parse("{ a: b }").unwrap();
        let pruned = std::collections::HashSet::new();
        let mut report = Report::new(&tree, &pruned);
        for _ in 0..4 {
            assert!(report.take_names(MOST_NAMES));
        }
        assert!(!report.take_names(1), "one more than {MOST_IN_FILE}");
    }

    #[test]
    fn ranges_stand_for_their_names() {
        let names = |name| parse(name).map(|pattern| pattern.names());
        assert_eq!(names("n[1-3]").unwrap(), ["n1", "n2", "n3"]);
        assert_eq!(names("n[08-10]x").unwrap(), ["n08x", "n09x", "n10x"]);
        assert_eq!(
            names("r[1-2]-h[1,4-5]").unwrap(),
            ["r1-h1", "r1-h4", "r1-h5", "r2-h1", "r2-h4", "r2-h5"]
        );
        for (wrong, why) in [
            ("n[3-1]", "3 is above 1"),
            ("n[1-3", "a `[` is not closed"),
            ("n1]", "a `]` has no `[` before it"),
            ("n[a-c]", "`a` is no number"),
            ("n[]", "`` is no number"),
            ("n[1-2000000]", "it stands for more than 1000000 names"),
            ("n[1-2000][1-2000]", "it stands for more than 1000000 names"),
            ("n[1-900000,1-900000,1-900000]", "it stands for more than 1000000 names"),
        ] {
            assert_eq!(names(wrong), Err(why.to_string()), "{wrong}");
        }
    }
}
