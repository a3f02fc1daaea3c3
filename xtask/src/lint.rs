//! `sh scripts/xtask.sh lint`: checks what can be counted. Not here: checks of rustfmt and
//! clippy, and the order of the crates' layers (`tests/layers.rs`).
//!
//! | module | checks |
//! |---|---|
//! | `width` | long lines |
//! | `functions` | long functions and files |
//! | `circles` | modules that use each other |
//! | `maps` | tables that name modules |
//! | `commits` | subjects and bodies of commits |
//! | `source` | reads Rust files for these |
//!
//! Each check has a list in `xtask/lint` of what is not in order yet. A list only shrinks: what is
//! not on it is a complaint, and so is what is on it without need.

mod circles;
mod commits;
mod functions;
mod maps;
mod source;
mod width;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use commits::Commit;
use source::Module;

/// The directory of the lists.
const LISTS: &str = "xtask/lint";
/// The commits up to which commits are not checked, of `LISTS`.
const BASE: &str = "base-commit.txt";

/// What one check found: a name in its list, and the complaints about what has that name.
type Found = BTreeMap<String, Vec<String>>;

/// Checks the files and the commits of this repository, and prints complaints.
pub fn run() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent")?;
    let files = files(root)?;
    let mut faults = Vec::new();
    for (list, found) in checked(&files) {
        faults.extend(complaints(list, &found, &entries(root, list)?));
    }
    for commit in commits(root)? {
        faults.extend(commit.faults());
    }
    faults.iter().for_each(|fault| eprintln!("{fault}"));
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The files of the repository with a suffix that is checked, and their texts.
fn files(root: &Path) -> Result<BTreeMap<String, String>> {
    let listed = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    let patterns = width::SUFFIXES.iter().map(|suffix| format!("*{suffix}"));
    let arguments: Vec<String> = listed.into_iter().map(Into::into).chain(patterns).collect();
    let paths = git(root, &arguments)?;
    // A removed file may still be in the index.
    let read = |path: &str| Some((path.to_owned(), fs::read_to_string(root.join(path)).ok()?));
    Ok(paths.lines().filter_map(read).collect())
}

/// All checks of files, each with the name of its list.
fn checked(files: &BTreeMap<String, String>) -> Vec<(&'static str, Found)> {
    let long_lines = files.iter().map(|(path, text)| (path.clone(), width::faults(path, text)));
    let rust = files.iter().filter(|(path, _)| path.ends_with(".rs"));
    let long_files = rust
        .clone()
        .filter_map(|(path, text)| Some((path.clone(), vec![functions::long_file(path, text)?])));
    let modules: Vec<Module> = rust.filter_map(|(path, text)| Module::read(path, text)).collect();
    let mut long_functions = Found::new();
    for module in &modules {
        for function in functions::long_functions(module) {
            let of_this_name = long_functions.entry(format!("{}: {}", module.file, function.0));
            of_this_name.or_default().push(functions::complaint(&module.file, &function));
        }
    }
    let paths: BTreeSet<String> = files.keys().cloned().collect();
    let maps = modules.iter().map(|module| (module.file.clone(), maps::faults(module, &paths)));
    let circles = circles::circles(&modules).into_iter().map(|circle| {
        let complaint = format!("these modules use each other in a circle: {circle}");
        (circle, vec![complaint])
    });
    vec![
        ("long-lines.txt", long_lines.collect()),
        ("long-files.txt", long_files.collect()),
        ("long-functions.txt", long_functions),
        ("wrong-maps.txt", maps.collect()),
        ("circles.txt", circles.collect()),
    ]
}

/// The complaints about what is not on a list, and about what is on it without need.
fn complaints(list: &str, found: &Found, allowed: &BTreeSet<String>) -> Vec<String> {
    let new = found.iter().filter(|(name, _)| !allowed.contains(*name));
    let new = new.flat_map(|(_, complaints)| complaints.clone());
    let clean = allowed.iter().filter(|name| found.get(*name).is_none_or(Vec::is_empty));
    let clean = clean.map(|name| format!("{LISTS}/{list}: {name} is in order; take it off"));
    new.chain(clean).collect()
}

/// The commits since the base.
fn commits(root: &Path) -> Result<Vec<Commit>> {
    let bases = entries(root, BASE)?;
    let base = |of: &str| {
        let found = bases.iter().find_map(|line| line.strip_prefix(of)?.strip_prefix(' '));
        found.with_context(|| format!("{LISTS}/{BASE} names no commit for `{of}`"))
    };
    let (subjects, bodies) = (base("subjects")?, base("bodies")?);
    let log = |from: &str| {
        // A record begins with a NUL.
        let format = "--format=%x00%h%x00%s%x00%b%x00";
        let range = format!("{from}..HEAD");
        let arguments = ["log", "--no-merges", "--shortstat", format, &range];
        let text = git(root, &arguments.map(Into::into))
            .with_context(|| format!("commits since {from}: has this clone all of them?"))?;
        let parts: Vec<String> = text.split('\0').skip(1).map(|part| part.trim().into()).collect();
        let commit = |parts: &[String]| Commit {
            id: parts[0].clone(),
            subject: parts[1].clone(),
            body: parts[2].clone(),
            changed: changed_lines(&parts[3]),
        };
        anyhow::Ok(parts.chunks_exact(4).map(commit).collect::<Vec<_>>())
    };
    let new: BTreeMap<String, Commit> =
        log(bodies)?.into_iter().map(|commit| (commit.id.clone(), commit)).collect();
    let mut all = log(subjects)?;
    for commit in all.iter_mut().filter(|commit| !new.contains_key(&commit.id)) {
        commit.changed = 0;
    }
    Ok(all)
}

/// The number of lines in ` 2 files changed, 27 insertions(+), 9 deletions(-)`.
fn changed_lines(stat: &str) -> usize {
    let counts = stat.split(", ").skip(1);
    counts.filter_map(|count| count.split(' ').next()?.parse::<usize>().ok()).sum()
}

/// The lines of a list, without empty ones and comments.
fn entries(root: &Path, list: &str) -> Result<BTreeSet<String>> {
    let path = root.join(LISTS).join(list);
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let lines = text.lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect())
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
    fn lists_only_shrink() {
        let found =
            [("a.rs", vec!["a.rs:7: long"]), ("b.rs", vec!["b.rs:1: long"]), ("c.rs", vec![])];
        let owned = |complaints: Vec<&str>| complaints.into_iter().map(Into::into).collect();
        let found = found.map(|(name, complaints)| (name.to_owned(), owned(complaints))).into();
        let allowed = ["b.rs", "c.rs", "gone.rs"].map(String::from).into();
        assert_eq!(
            complaints("list.txt", &found, &allowed),
            [
                "a.rs:7: long",
                "xtask/lint/list.txt: c.rs is in order; take it off",
                "xtask/lint/list.txt: gone.rs is in order; take it off",
            ]
        );
    }

    #[test]
    fn added_and_removed_lines_count() {
        assert_eq!(changed_lines("2 files changed, 27 insertions(+), 9 deletions(-)"), 36);
        assert_eq!(changed_lines("1 file changed, 1 deletion(-)"), 1);
        assert_eq!(changed_lines(""), 0);
    }
}
