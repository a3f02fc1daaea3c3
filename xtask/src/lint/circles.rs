//! Detects circles of modules: modules of one crate that use each other, directly or by others. A
//! reader of one has to know all of them.
//!
//! A module uses another one if a path in it begins with `crate`, `super`, `self` or one of its own
//! modules, and leads to an item there. A path to what a module has imported leads to where it
//! comes from. What a module only passes on (`pub use`), it does not use.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Module;

type Path = Vec<String>;

/// A path in a module's code.
#[derive(Debug, PartialEq, Eq)]
struct Written {
    path: Path,
    /// The name by which a `use` makes it known; `None` for a path elsewhere.
    imported: Option<String>,
    /// Whether it is only passed on.
    is_passed_on: bool,
}

/// The modules of a crate, and what each has imported: module and name → path.
struct Crate<'m> {
    modules: BTreeMap<&'m Path, &'m Module>,
    imported: BTreeMap<(&'m Path, String), Path>,
}

/// The circles of all crates, each as the names of its modules.
pub fn circles(modules: &[Module]) -> Vec<String> {
    let mut crates: BTreeMap<&str, BTreeMap<&Path, &Module>> = BTreeMap::new();
    for module in modules {
        crates.entry(&module.root).or_default().insert(&module.path, module);
    }
    let mut found = Vec::new();
    for modules in crates.into_values() {
        let written = modules.values().map(|module| (*module, written(module)));
        let written: Vec<(&Module, Vec<Written>)> = written.collect();
        let mut this = Crate { modules, imported: BTreeMap::new() };
        for (module, paths) in &written {
            for Written { path, imported, .. } in paths {
                if let (Some(name), Some(path)) = (imported, this.absolute(module, path)) {
                    this.imported.insert((&module.path, name.clone()), path);
                }
            }
        }
        let of_module = |(module, paths): &(&'_ Module, Vec<Written>)| {
            let paths = paths.iter().filter(|written| !written.is_passed_on);
            let used = paths.filter_map(|written| this.used(module, &written.path));
            used.filter(|used| **used != module.path).collect::<BTreeSet<&Path>>()
        };
        let uses: BTreeMap<&Path, BTreeSet<&Path>> =
            written.iter().map(|of| (&of.0.path, of_module(of))).collect();
        let reached: BTreeMap<&Path, BTreeSet<&Path>> =
            uses.keys().map(|path| (*path, reachable(path, &uses))).collect();
        let mut seen: BTreeSet<&Path> = BTreeSet::new();
        for (path, others) in &reached {
            let is_mutual = |other: &&&Path| reached[**other].contains(*path);
            let circle: BTreeSet<&Path> = others.iter().filter(is_mutual).copied().collect();
            if circle.len() > 1 && seen.insert(path) {
                seen.extend(&circle);
                let names: Vec<_> = circle.iter().map(|path| this.modules[*path].name()).collect();
                found.push(names.join(" "));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// All modules that are used by one, directly or by others; itself, if it is among them.
fn reachable<'m>(from: &Path, uses: &BTreeMap<&'m Path, BTreeSet<&'m Path>>) -> BTreeSet<&'m Path> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(path) = open.pop() {
        for next in uses.get(path).into_iter().flatten() {
            if found.insert(*next) {
                open.push(next);
            }
        }
    }
    found
}

impl<'m> Crate<'m> {
    /// The path from the crate's root that a path in a module means; `None` for one that leads out
    /// of the crate.
    fn absolute(&self, module: &Module, path: &Path) -> Option<Path> {
        let mut absolute = match path[0].as_str() {
            "crate" => Vec::new(),
            "super" => module.path[..module.path.len().saturating_sub(1)].to_vec(),
            "self" => module.path.clone(),
            own => {
                let inside: Path = module.path.iter().cloned().chain([own.to_owned()]).collect();
                self.modules.contains_key(&inside).then_some(inside)?
            }
        };
        for part in &path[1..] {
            match part.as_str() {
                "super" => drop(absolute.pop()),
                "self" => {}
                part => absolute.push(part.into()),
            }
        }
        Some(absolute)
    }

    /// The module to whose items a path in a module leads.
    fn used(&self, module: &Module, path: &Path) -> Option<&'m Path> {
        let mut path = self.absolute(module, path)?;
        // Imports of imports are few.
        for _ in 0..8 {
            let inside = (0..=path.len())
                .rev()
                .find(|length| self.modules.contains_key(&path[..*length].to_vec()))?;
            let (found, _) = self.modules.get_key_value(&path[..inside].to_vec())?;
            let name = path.get(inside).cloned().unwrap_or_default();
            match self.imported.get(&(*found, name)) {
                Some(target) if *target != path => {
                    path = target.iter().chain(&path[inside + 1..]).cloned().collect();
                }
                _ => return Some(found),
            }
        }
        None
    }
}

/// The paths in a module's code that have more than one part.
fn written(module: &Module) -> Vec<Written> {
    let code = module.lines.iter().map(|line| line.split("//").next().unwrap_or_default());
    let code = code.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    // A statement that imports: whether it passes on.
    let mut importing: Option<bool> = None;
    let (mut before, mut adjacent) = (String::new(), ' ');
    let mut rest = code.as_str();
    while let Some(first) = rest.chars().next() {
        let word = word(rest);
        if word.is_empty() {
            importing = importing.filter(|_| first != ';');
            if !first.is_whitespace() {
                before = first.into();
            }
            adjacent = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if adjacent != ':' && rest[word.len()..].starts_with("::") {
            let mut paths = Vec::new();
            rest = tree(rest, &Vec::new(), &mut paths);
            found.extend(paths.into_iter().map(|(path, name)| Written {
                path,
                imported: importing.map(|_| name),
                is_passed_on: importing == Some(true),
            }));
        } else {
            if word == "use" {
                importing = Some(before == "pub" || before == ")");
            }
            rest = &rest[word.len()..];
        }
        (before, adjacent) = (word.into(), 'x');
    }
    found
}

/// The word at the start of a text; empty, if none is.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Reads the path, or the tree of paths, at the start of a text: each path, and the name by which
/// it is imported. Returns the text behind.
fn tree<'t>(mut text: &'t str, above: &Path, found: &mut Vec<(Path, String)>) -> &'t str {
    let mut path = above.clone();
    loop {
        let part = word(text);
        if !part.is_empty() {
            path.push(part.into());
            text = &text[part.len()..];
        }
        if let Some(inside) = text.strip_prefix('{') {
            return trees(inside, &path, found);
        }
        match text.strip_prefix("::").filter(|_| !part.is_empty()) {
            Some(behind) => text = behind,
            None => break,
        }
    }
    let mut name = path.iter().rev().find(|part| *part != "self").cloned().unwrap_or_default();
    if let Some(behind) = text.strip_prefix(" as ") {
        name = word(behind).into();
        text = &behind[name.len()..];
    }
    if path.len() > 1 {
        found.push((path, name));
    }
    text
}

/// Reads the paths in braces below `above`. Returns the text behind them.
fn trees<'t>(mut text: &'t str, above: &Path, found: &mut Vec<(Path, String)>) -> &'t str {
    loop {
        text = text.trim_start_matches([' ', '\n', ',', '*']);
        if let Some(behind) = text.strip_prefix('}') {
            return behind;
        }
        let before = text.len();
        text = tree(text, above, found);
        // What is no list of paths.
        if text.is_empty() || text.len() == before {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(files: &[(&str, &str)]) -> Vec<String> {
        let read = |(file, text): &(&str, &str)| {
            Module::read(&format!("crates/m/k/src/{file}.rs"), text).unwrap()
        };
        circles(&files.iter().map(read).collect::<Vec<_>>())
    }

    #[test]
    fn modules_that_use_each_other_are_a_circle() {
        let files = [
            ("lib", "mod a;\nmod b;\nmod c;\npub use a::{A, Other as More};\n"),
            ("a", "use crate::{b::B, c};\nuse std::fmt::{self, Debug};\n"),
            ("b", "use super::c::{\n    C,\n    D,\n};\n"),
            ("c", "// crate::lib\nfn f() {\n    let a: crate::More = a::<u8>();\n}\n"),
        ];
        assert_eq!(read(&files), ["k::a k::b k::c"]);
        assert!(read(&files[..3]).is_empty());
    }

    #[test]
    fn what_is_only_passed_on_is_not_used() {
        let entry = ("q/one", "use super::Trait;\nuse crate::e::E;\n");
        let facade = ("q/mod", "mod one;\npub use one::One;\npub(crate) use one::Two;\n");
        assert!(read(&[("lib", "mod q;\nmod e;\n"), facade, entry]).is_empty());
        let registry = ("q/mod", "mod one;\nenum All {\n    One(one::One),\n}\n");
        assert_eq!(read(&[registry, entry]), ["k::q k::q::one"]);
        let apart = [("q/mod", "mod one;\nuse one::One;\nuse r::Trait;\n"), ("q/r", ""), entry];
        assert!(read(&apart).is_empty());
    }
}
