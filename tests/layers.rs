//! The crates depend on each other as the table in ARCHITECTURE.md says, and on nothing else of the
//! workspace; pure crates use no crate that reads the world, no clock and no `unsafe`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates with I/O, clocks, threads or ambient randomness: not for pure crates.
const IMPURE: &[&str] = &["libc", "nix", "rustix", "tokio", "axum", "hyper", "getrandom", "chrono"];

/// Functions that the `clippy.toml` of every pure crate forbids.
const CLOCKS: &[&str] = &[
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "std::thread::sleep",
    "std::thread::spawn",
];

/// Packages that may use `unsafe`, as ARCHITECTURE.md says; `netloom` in its tests only.
const MAY_USE_UNSAFE: &[&str] = &[
    "netloom",
    "netloom-dataplane",
    "netloom-nodes",
    "netloom-ports",
    "netloom-probes",
    "netloom-selector",
];

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

/// Whether the crates of a layer know no I/O and no clock.
fn is_pure(layer: &str) -> bool {
    matches!(layer, "model" | "scenario")
}

/// The position of a layer, from the ground up.
fn height(layer: &str) -> usize {
    const LAYERS: [&str; 5] = ["model", "scenario", "system", "app", "tool"];
    LAYERS.iter().position(|known| *known == layer).unwrap_or_else(|| panic!("layer {layer}"))
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

/// Package → its `Cargo.toml`.
fn manifests() -> BTreeMap<String, PathBuf> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_string();
    packages
        .map(|package| (text(&package["name"]), text(&package["manifest_path"]).into()))
        .collect()
}

/// The lines of `text` below the heading `[table]`, up to the next empty line.
fn lines_below<'a>(text: &'a str, table: &str) -> Vec<&'a str> {
    let heading = format!("[{table}]");
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    below.take_while(|line| !line.is_empty()).collect()
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
        let (layer, _) = &table[&name];
        let above: Vec<_> =
            used.iter().filter(|name| height(&table[*name].0) > height(layer)).collect();
        assert!(above.is_empty(), "{name} is in {layer} and uses {above:?}, which are above it");
        let idle: Vec<_> = allowed.difference(&used).collect();
        assert!(idle.is_empty(), "ARCHITECTURE.md lets {name} use {idle:?}, and it does not");
    }
}

#[test]
fn crates_are_in_the_folder_of_their_layer() {
    let table = table();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    for (package, manifest) in manifests() {
        let Ok(below) = manifest.strip_prefix(&crates) else { continue };
        let (layer, _) = &table[&short(&package)];
        assert_eq!(below, Path::new(layer).join(short(&package)).join("Cargo.toml"));
    }
}

#[test]
fn pure_crates_do_not_read_the_world() {
    let table = table();
    for (package, dependencies) in dependencies() {
        let (layer, _) = &table[&short(&package)];
        if is_pure(layer) {
            let impure: Vec<_> =
                dependencies.iter().filter(|d| IMPURE.contains(&d.as_str())).collect();
            assert!(impure.is_empty(), "{package} is pure and uses {impure:?}");
        }
    }
}

#[test]
fn pure_crates_forbid_clocks() {
    let table = table();
    for (package, manifest) in manifests() {
        let (layer, _) = &table[&short(&package)];
        if is_pure(layer) {
            let file = manifest.with_file_name("clippy.toml");
            let text = fs::read_to_string(&file).unwrap_or_else(|error| {
                panic!("{package} is pure, and {} cannot be read: {error}", file.display())
            });
            let allowed: Vec<_> = CLOCKS.iter().filter(|clock| !text.contains(**clock)).collect();
            assert!(allowed.is_empty(), "{package} is pure and may call {allowed:?}");
        }
    }
}

#[test]
fn unsafe_is_forbidden_but_where_the_map_allows_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let workspace = fs::read_to_string(root).unwrap();
    let forbid = "unsafe_code = \"forbid\"";
    let mut rust = lines_below(&workspace, "workspace.lints.rust");
    assert!(rust.contains(&forbid));
    rust.retain(|line| *line != forbid);
    let clippy = lines_below(&workspace, "workspace.lints.clippy");
    for (package, manifest) in manifests() {
        let text = fs::read_to_string(&manifest).unwrap();
        if MAY_USE_UNSAFE.contains(&package.as_str()) {
            let lints = [lines_below(&text, "lints.rust"), lines_below(&text, "lints.clippy")];
            assert_eq!(lints, [rust.clone(), clippy.clone()], "the lints of {package}");
        } else {
            let lints = lines_below(&text, "lints");
            assert_eq!(lints, ["workspace = true"], "{package} has lints of its own");
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
        .filter(|(_, (layer, _))| is_pure(layer))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(checked, pure, "`make check` in the Makefile, and the table in ARCHITECTURE.md");
}

/// `xtask` alone derives schemas, and a build of the workspace has its features: what only such a
/// build can compile would break the binary's own, which no test makes.
#[test]
fn schemas_are_derived_with_their_feature_only() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")];
    let mut wrong = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let is_gated = text.contains(r#"#[cfg(feature = "schema")]"#);
                let is_bare = |line: &str| {
                    let derives = line.starts_with("#[derive(") && line.contains("JsonSchema");
                    derives || line.starts_with("#[schemars(")
                };
                if !is_gated && text.lines().any(|line| is_bare(line.trim_start())) {
                    wrong.push(path);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}: see the feature `schema` in CONTRIBUTING.md");
}
