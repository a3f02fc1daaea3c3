//! `cargo run -p xtask -- lint`: checks the width of lines and the subjects of commits. Not here:
//! checks of rustfmt and clippy.

mod subject;
mod width;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

/// List of files that may have lines that are too long, until somebody shortens them; one in a
/// line.
const ALLOWED: &str = "xtask/lint/long-lines.txt";
/// The commit up to which subjects are not checked.
const BASE: &str = "xtask/lint/base-commit.txt";

/// Checks the files and the commits of this repository, and prints complaints.
pub fn run() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent")?;
    let mut faults = widths(root)?;
    faults.extend(subjects(root)?);
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Complaints about lines that are too long where they are not allowed, and about files that are
/// allowed to have them but do not.
fn widths(root: &Path) -> Result<Vec<String>> {
    let listed = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let patterns = width::SUFFIXES.iter().map(|suffix| format!("*{suffix}"));
    let arguments: Vec<String> = listed.into_iter().map(Into::into).chain(patterns).collect();
    let mut found = BTreeMap::new();
    for path in git(root, &arguments)?.lines() {
        // A removed file may still be in the index.
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        found.insert(path.to_owned(), width::long_lines(path, &text));
    }
    let text = fs::read_to_string(root.join(ALLOWED)).with_context(|| format!("read {ALLOWED}"))?;
    Ok(width::faults(&found, &entries(&text)))
}

/// Complaints about the subjects of commits since the base.
fn subjects(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join(BASE)).with_context(|| format!("read {BASE}"))?;
    let Some(base) = entries(&text).pop_first() else { bail!("{BASE} names no commit") };
    let arguments = ["log", "--no-merges", "--format=%h %s", &format!("{base}..HEAD")];
    let commits = git(root, &arguments.map(Into::into))
        .with_context(|| format!("commits since {base}: has this clone all of them?"))?;
    let faults = commits.lines().filter_map(|line| {
        let (commit, subject) = line.split_once(' ').unwrap_or((line, ""));
        subject::fault(subject).map(|fault| format!("commit {commit}: {fault}: {subject}"))
    });
    Ok(faults.collect())
}

/// The lines of a list, without empty ones and comments.
fn entries(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect()
}

fn git(root: &Path, arguments: &[String]) -> Result<String> {
    let output = Command::new("git").arg("-C").arg(root).args(arguments).output();
    let output = output.context("cannot start git")?;
    if !output.status.success() {
        bail!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim());
    }
    String::from_utf8(output.stdout).context("git printed what is no UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_comments() {
        assert_eq!(entries("# why\n\nb\n a \n"), ["a".to_owned(), "b".to_owned()].into());
    }
}
