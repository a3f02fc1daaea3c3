//! The crates depend on each other as the table in ARCHITECTURE.md says, and on nothing else of the
//! workspace; pure crates use no crate that reads the world.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Crates with I/O, clocks, threads or ambient randomness: not for pure crates.
const IMPURE: &[&str] = &["libc", "nix", "rustix", "tokio", "axum", "hyper", "getrandom", "chrono"];

/// Crate → (layer, what it may use), from the table.
fn table() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let text = include_str!("../ARCHITECTURE.md");
    let start = text.find("| crate | layer |").expect("the table of crates");
    let rows = text[start..].lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = |cell: &str| cell.trim_matches('`').to_string();
        let uses = cells[3].split(',').map(|cell| name(cell.trim())).filter(|cell| cell != "–");
        (name(cells[0]), (cells[1].to_string(), uses.collect()))
    })
    .collect()
}

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Package → its direct, normal dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    packages
        .iter()
        .map(|package| {
            let normal = package["dependencies"].as_array().unwrap().iter();
            let names = normal
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| dependency["name"].as_str().unwrap().to_string());
            (package["name"].as_str().unwrap().to_string(), names.collect())
        })
        .collect()
}

fn short(package: &str) -> String {
    package.strip_prefix("netloom-").unwrap_or(package).to_string()
}

#[test]
fn dependencies_point_down() {
    let table = table();
    for (package, dependencies) in dependencies() {
        let name = short(&package);
        let (_, allowed) =
            table.get(&name).unwrap_or_else(|| panic!("{name} is not in ARCHITECTURE.md"));
        let used: BTreeSet<String> = dependencies
            .iter()
            .filter(|dependency| dependency.starts_with("netloom"))
            .map(|dependency| short(dependency))
            .collect();
        let too_much: Vec<_> = used.difference(allowed).collect();
        assert!(too_much.is_empty(), "{name} may not use {too_much:?}");
        let idle: Vec<_> = allowed.difference(&used).collect();
        assert!(idle.is_empty(), "ARCHITECTURE.md lets {name} use {idle:?}, and it does not");
    }
}

#[test]
fn pure_crates_do_not_read_the_world() {
    let table = table();
    for (package, dependencies) in dependencies() {
        let (layer, _) = &table[&short(&package)];
        if layer == "pure" {
            let impure: Vec<_> =
                dependencies.iter().filter(|d| IMPURE.contains(&d.as_str())).collect();
            assert!(impure.is_empty(), "{package} is pure and uses {impure:?}");
        }
    }
}

#[test]
fn the_inner_loop_checks_the_pure_crates() {
    let makefile = include_str!("../Makefile");
    let list = makefile.lines().find_map(|line| line.strip_prefix("PURE := ")).expect("PURE := …");
    let checked: BTreeSet<String> = list.split_whitespace().map(str::to_string).collect();
    let pure: BTreeSet<String> = table()
        .into_iter()
        .filter(|(_, (layer, _))| layer == "pure")
        .map(|(name, _)| name)
        .collect();
    assert_eq!(checked, pure, "`make check` in the Makefile, and the table in ARCHITECTURE.md");
}
