//! Rules for names. Names become file names, host names, namespace names and arguments, so they are
//! plain.

use std::collections::HashMap;

use netloom_document::{Diagnostic, Span, Spanned};

use super::report::Report;
use crate::outside::Outside;

/// Longest name of an experiment, a node, a process or a group: a host name's limit.
const MAX_LENGTH: usize = 63;

/// Description of an experiment for [`check`].
pub(super) const EXPERIMENT: &str = "an experiment";

/// Longest name of a network interface (`IFNAMSIZ - 1`).
const MAX_INTERFACE_LENGTH: usize = 15;

/// Checks an experiment's name that does not come from a scenario.
///
/// # Errors
/// A sentence with the reason for which the name is invalid.
pub fn check_experiment_name(name: &str) -> Result<(), String> {
    match taken(name).or_else(|| problem(name, MAX_LENGTH, &['-', '_'])) {
        Some(problem) => Err(format!("`{name}` cannot be the name of an experiment: {problem}")),
        None => Ok(()),
    }
}

/// Checks the name of a machine that does not come from a scenario. It may be that of a host, and
/// so contain dots.
///
/// # Errors
/// A sentence with the reason for which the name is invalid.
pub fn check_machine_name(name: &str) -> Result<(), String> {
    match problem(name, MAX_LENGTH, MACHINE) {
        Some(problem) => Err(format!("`{name}` cannot be the name of a machine: {problem}")),
        None => Ok(()),
    }
}

/// Characters beside letters and digits in the names of machines.
const MACHINE: &[char] = &['-', '_', '.'];

/// Checks the name of a machine, or a label of nodes; `what` is what it cannot be.
pub(super) fn machine(what: &str, name: &Spanned<String>, report: &mut Report<'_>) {
    if let Some(problem) = problem(&name.value, MAX_LENGTH, MACHINE) {
        let message = format!("`{}` cannot be {what}: {problem}", name.value);
        let finding = Diagnostic::error(name.span, message);
        report.error(finding.with_optional_help(plain(&name.value, MAX_LENGTH)));
    }
}

/// Checks the name of an experiment, a group, a link or a process; `what` comes with its article.
/// Returns `false` if it reported an error.
pub(super) fn check(what: &str, name: &str, span: Span, report: &mut Report<'_>) -> bool {
    let taken = taken(name).filter(|_| what == EXPERIMENT);
    let problem = taken.or_else(|| problem(name, MAX_LENGTH, &['-', '_']));
    if let Some(problem) = &problem {
        report.error(
            Diagnostic::error(span, format!("`{name}` cannot be the name of {what}: {problem}"))
                .with_optional_help(plain(name, MAX_LENGTH)),
        );
    }
    problem.is_none()
}

/// Checks the name of a node. It is a host name, too, and names that differ only in case are equal.
pub(super) fn node(name: &Spanned<String>, report: &mut Report<'_>) {
    let before = name.value.as_str();
    let problem = problem(before, MAX_LENGTH, &['-', '_']).or_else(|| {
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let lower = before.to_lowercase();
        if is_number(before) || lower.strip_prefix("0x").is_some_and(is_hex) {
            return Some("as a host name, a number reads as an IP address".to_string());
        }
        if before.ends_with(['-', '_']) {
            return Some("a host name ends with a letter or a digit".to_string());
        }
        if Outside::of_name(&lower).is_some() {
            return Some(format!("`{lower}:…` is an end of a link outside the experiment"));
        }
        (lower == "localhost").then(|| "every node is that to itself".to_string())
    });
    if let Some(problem) = problem {
        let is_number = before.bytes().all(|byte| byte.is_ascii_digit());
        let is_reserved = Outside::of_name(&before.to_lowercase()).is_some();
        let help = match (is_number, is_reserved) {
            (true, _) => Some(format!("write `n{before}`")),
            (_, true) => Some(format!("write `{before}1`, or another name")),
            _ => plain(before, MAX_LENGTH),
        };
        let message = format!("`{before}` cannot be the name of a node: {problem}");
        report.error(Diagnostic::error(name.span, message).with_optional_help(help));
    }
}

/// Returns the reason for which `name` cannot be the name of an interface, if there is one.
pub(super) fn interface_problem(name: &str) -> Option<String> {
    if ["lo", "all", "default"].contains(&name) {
        return Some("the kernel uses this name itself".into());
    }
    problem(name, MAX_INTERFACE_LENGTH, &['-', '_', '.'])
}

/// Reports every name that is used more than once.
pub(super) fn unique<'a>(
    what: &str,
    names: impl IntoIterator<Item = &'a Spanned<String>>,
    report: &mut Report<'_>,
) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for name in names {
        if let Some(first) = seen.get(name.value.as_str()) {
            let name_of = &name.value;
            let message = format!("there are two {what} called `{name_of}`");
            let help = match what {
                // A file of `--with` adds links; it cannot reach into one.
                "links" => format!(
                    "rename one of them; a file of `--with` changes a link by `timeline: [{{at: \
                     0s, link: {name_of}, set: {{…}}}}]`"
                ),
                _ => "rename one of them".into(),
            };
            report.error(
                Diagnostic::error(name.span, message)
                    .with_related(*first, "the first one is here")
                    .with_help(help),
            );
        } else {
            seen.insert(&name.value, name.span);
        }
    }
}

/// Returns the reason for which a valid name is reserved, if it is.
fn taken(name: &str) -> Option<String> {
    (name == "shape").then(|| "it is that of the daemon of `netloom shape`".into())
}

fn problem(name: &str, longest: usize, also: &[char]) -> Option<String> {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || also.contains(c);
    if name.is_empty() {
        return Some("it is empty".into());
    }
    if name.len() > longest {
        return Some(format!("it has {} characters, and {longest} are the most", name.len()));
    }
    if let Some(wrong) = name.chars().find(|c| !allowed(c)) {
        let also: Vec<String> = also.iter().map(|c| format!("`{c}`")).collect();
        let (last, others) = also.split_last()?;
        let others = others.join(", ");
        return Some(match wrong {
            ' ' => format!("it has a space; letters, digits, {others} and {last} are allowed"),
            wrong => format!("it has `{wrong}`; letters, digits, {others} and {last} are allowed"),
        });
    }
    let first = name.chars().next().filter(|first| !first.is_ascii_alphanumeric())?;
    Some(format!("it starts with `{first}`, not with a letter or a digit"))
}

/// Returns a valid name that resembles `name`, if there is one.
fn plain(name: &str, longest: usize) -> Option<String> {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let plain = plain.trim_matches(['-', '_']);
    (!plain.is_empty() && plain != name && plain.len() <= longest && plain != "localhost")
        .then(|| format!("write `{plain}`"))
}
