//! Checks the maps of modules: the tables at the heads of files, `//! | module | contents |`.

use std::collections::BTreeSet;

use super::source::Module;

/// The complaints about the maps of a module, given all files of the repository.
pub fn faults(module: &Module, files: &BTreeSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut rows = Vec::new();
    let head = module.lines.iter().take_while(|line| line.starts_with("//!"));
    for (index, line) in head.chain([&String::new()]).enumerate() {
        if let Some(row) = line.strip_prefix("//! |") {
            rows.push((index + 1, row));
            continue;
        }
        faults.extend(faults_of_a_table(&std::mem::take(&mut rows), module, files));
    }
    faults
}

fn faults_of_a_table(
    rows: &[(usize, &str)],
    module: &Module,
    files: &BTreeSet<String>,
) -> Vec<String> {
    let [(_, head), rest @ ..] = rows else { return Vec::new() };
    if !head.trim_start().starts_with("module") {
        return Vec::new();
    }
    let mut faults = Vec::new();
    for (index, (line, row)) in rest.iter().enumerate() {
        let place = format!("{}:{line}", module.file);
        let is_rule = row.chars().all(|c| "-| ".contains(c));
        if is_rule != (index == 0) {
            faults.push(format!("{place}: a table has one head and one rule below it"));
            continue;
        }
        let first = row.split('|').next().unwrap_or_default();
        if !is_rule && !first.contains('`') {
            faults.push(format!("{place}: this row names no module"));
        }
        for name in first.split('`').skip(1).step_by(2).filter(|_| !is_rule) {
            let name = name.trim_start_matches("r#");
            // Names of items explain a module.
            if name.starts_with(char::is_uppercase) || name.contains(':') {
                continue;
            }
            let below = format!("{}/{name}", module.directory());
            if ![format!("{below}.rs"), format!("{below}/mod.rs")].iter().any(|f| files.contains(f))
            {
                faults.push(format!("{place}: there is no module `{name}`"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(text: &str) -> Vec<String> {
        let files = ["crates/a/b/src/c/one.rs", "crates/a/b/src/c/two/mod.rs"];
        let module = Module::read("crates/a/b/src/c.rs", text).unwrap();
        faults(&module, &files.map(String::from).into())
    }

    #[test]
    fn maps_name_the_modules_that_are_there() {
        let head = "//! A map.\n//!\n//! | module | contents |\n//! |---|---|\n";
        assert!(faults_of(&format!("{head}//! | `one`, [`two`] | both |\n")).is_empty());
        let gone = faults_of(&format!("{head}//! | `three` | gone |\n"));
        assert_eq!(gone, ["crates/a/b/src/c.rs:5: there is no module `three`"]);
        let twice = faults_of(&format!("{head}//! | module | contents |\n"));
        assert_eq!(twice, ["crates/a/b/src/c.rs:5: this row names no module"]);
        assert_eq!(faults_of(&format!("{head}//! |---|---|\n")).len(), 1);
        assert!(faults_of("//! | word | meaning |\n//! |---|---|\n//! | `x` | y |\n").is_empty());
    }
}
