//! The documents hold together: links between them lead somewhere, the map is short, and the files
//! that it names are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Longest that ARCHITECTURE.md may be, in bytes.
const LONGEST_MAP: usize = 16 << 10;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Markdown files below `folder`, but those of hidden and of build folders.
fn documents(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let of_others =
            name.starts_with('.') || ["target", "node_modules"].contains(&name.as_str());
        if path.is_dir() && !of_others {
            found.extend(documents(&path));
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found
}

/// The lines of a Markdown text that are not in code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// The targets of all inline links of a line: what stands in the brackets of `](…)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

/// The anchor that a heading gets, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Returns the fault of the link to `target` in the document at `path`, if it has one.
fn fault(path: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let file = if file.is_empty() { path.to_path_buf() } else { path.parent()?.join(file) };
    if !file.exists() {
        return Some("there is no such file".into());
    }
    if heading.is_empty() {
        return None;
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    let mut anchors = prose(&text).filter(|line| line.starts_with('#')).map(anchor);
    (!anchors.any(|anchor| anchor == heading)).then(|| "there is no such heading".into())
}

/// The files and folders of crates that a text names, like `link/src/pipe.rs`.
fn named(text: &str) -> BTreeSet<&str> {
    let of_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    let words = text.split(|c| !of_path(c)).map(|word| word.trim_end_matches(['.', '/']));
    let is_inside = |word: &&str| {
        let mut parts = word.split('/');
        let (name, part) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        !name.is_empty() && name != "crates" && matches!(part, "src" | "tests" | "bpf" | "benches")
    };
    words.filter(is_inside).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let documents = documents(root());
    assert!(documents.len() > 20, "the documents were not found");
    let mut faults = Vec::new();
    for path in documents {
        let text = fs::read_to_string(&path).unwrap();
        for target in prose(&text).flat_map(targets) {
            if let Some(fault) = fault(&path, target) {
                let path = path.strip_prefix(root()).unwrap().display().to_string();
                faults.push(format!("{path}: ({target}): {fault}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn broken_links_are_found() {
    let path = root().join("README.md");
    assert_eq!(fault(&path, "docs/links.md#no-such-heading").unwrap(), "there is no such heading");
    assert_eq!(fault(&path, "docs/no-such-file.md").unwrap(), "there is no such file");
    assert_eq!(fault(&path, "https://example.org/none"), None);
    assert_eq!(anchor("## `a b`: *c*, d-e"), "a-b-c-d-e");
    let line = "see [a](b.md#c), [d](e \"f\")";
    assert_eq!(targets(line).collect::<Vec<_>>(), ["b.md#c", "e"]);
    assert_eq!(prose("a\n```\n[b](c)\n```\nd").collect::<Vec<_>>(), ["a", "d"]);
}

#[test]
fn every_page_is_in_the_book_once() {
    let docs = root().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let mut listed: Vec<PathBuf> =
        prose(&summary).flat_map(targets).map(|page| docs.join(page)).collect();
    let mut pages = documents(&docs);
    pages.retain(|page| !page.ends_with("SUMMARY.md"));
    listed.sort();
    pages.sort();
    assert_eq!(listed, pages);
}

#[test]
fn the_map_is_short() {
    let bytes = fs::metadata(root().join("ARCHITECTURE.md")).unwrap().len();
    assert!(bytes <= LONGEST_MAP as u64, "ARCHITECTURE.md has {bytes} bytes of {LONGEST_MAP}");
}

#[test]
fn files_that_maps_name_are_there() {
    let floors = fs::read_dir(root().join("crates")).unwrap();
    let floors: Vec<PathBuf> = floors.map(|floor| floor.unwrap().path()).collect();
    for map in ["ARCHITECTURE.md", "docs/where-to-change.md"] {
        let text = fs::read_to_string(root().join(map)).unwrap();
        let named = named(&text);
        assert!(named.len() > 20, "{map} names {} files only", named.len());
        for path in named {
            let there = floors.iter().any(|floor| floor.join(path).exists());
            let there = there || root().join(path).exists();
            assert!(there, "{map} names {path}, which is not there");
        }
    }
}

/// Sources of tables, and the sections of `docs/results.md` that have their columns.
const TABLES: &[(&str, &[&str])] = &[
    ("crates/system/results/src/samples.rs", &["pipes.parquet"]),
    ("crates/system/results/src/flows.rs", &["flows.parquet"]),
    (
        "crates/system/results/src/radio.rs",
        &["radio.parquet", "positions.parquet", "neighbours.parquet"],
    ),
    ("crates/app/engine/src/traffic_file.rs", &["traffic.parquet"]),
    ("crates/app/simulate/src/symbiosis/calibrations.rs", &["calibration.parquet"]),
    ("crates/app/simulate/src/symbiosis/connections.rs", &["connections.parquet"]),
    ("crates/app/simulate/src/symbiosis/metadata.rs", &["metadata.parquet"]),
    ("crates/app/cli/src/commands/frames.rs", &["frames.nlf"]),
    ("crates/app/cli/src/commands/frames/air.rs", &["Air logs"]),
];

/// All Rust files of products below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !["tests", "benches", "target"].contains(&name.as_str()) {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
    found
}

/// Names of the columns that a source declares: literals that begin a pair, and those of lists that
/// are put into a pattern like `missed_{reason}_frames`.
fn columns(text: &str) -> BTreeSet<String> {
    let product = text.split("#[cfg(test)]").next().unwrap_or_default();
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let mut found = BTreeSet::new();
    for (place, _) in product.match_indices("(\"") {
        let Some((name, rest)) = product[place + 2..].split_once('"') else { continue };
        let is_column = [", Kind::", ", |", ", delay_sum", ", queue_sum", ", seen_sum"];
        if is_name(name) && is_column.iter().any(|after| rest.starts_with(after)) {
            found.insert(name.to_owned());
        }
    }
    for line in product.lines().filter(|line| line.contains("format!(\"")) {
        let Some((_, pattern)) = line.split_once("format!(\"") else { continue };
        let Some((before, rest)) = pattern.split_once('{') else { continue };
        let Some((_, after)) = rest.split_once('}') else { continue };
        let after = after.split('"').next().unwrap_or_default();
        let before_iter = line.split(".iter()").next().unwrap_or_default();
        let list = before_iter.rsplit(' ').next().unwrap_or_default();
        let Some((_, names)) = product.split_once(&format!("const {list}: &[&str] = &[")) else {
            continue;
        };
        let names = names.split(']').next().unwrap_or_default().split('"').skip(1).step_by(2);
        found.extend(names.map(|name| format!("{before}{name}{after}")));
    }
    found
}

/// Every column of every table that a run or a command writes is on the page of results.
#[test]
fn every_column_of_a_table_is_on_the_page_of_results() {
    let page = fs::read_to_string(root().join("docs/results.md")).unwrap();
    let section = |heading: &str| {
        let (_, rest) = page.split_once(&format!("\n## {heading}\n")).expect(heading);
        rest.split("\n## ").next().unwrap_or_default().to_owned()
    };
    let mut missing = Vec::new();
    for (file, sections) in TABLES {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let described: String = sections.iter().map(|heading| section(heading)).collect();
        let found = columns(&text);
        assert!(found.len() >= 5, "{file}: {found:?}");
        let is_missing = |column: &&String| !described.contains(&format!("`{column}`"));
        missing.extend(found.iter().filter(is_missing).map(|column| format!("{file}: {column}")));
    }
    assert!(missing.is_empty(), "docs/results.md does not describe {missing:#?}");
    // A source that writes another table belongs into the list above.
    let writes = |text: &str| {
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        let declares = ["[Column<'static>] =", "Vec<Column<'_>> ="];
        product.contains("netloom_columnar::{") && declares.iter().any(|of| product.contains(of))
    };
    for path in sources(&root().join("crates")) {
        let file = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let is_known = TABLES.iter().any(|(known, _)| *known == file);
        assert!(is_known || !writes(&fs::read_to_string(&path).unwrap()), "{file} writes a table");
    }
}

/// All files of tests: programs, folders and crates, and the functions in them.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root().join("tests"), root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            found.insert(path.file_stem().unwrap().to_string_lossy().into_owned());
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(path).unwrap();
                let lines = text.lines().map(|line| line.trim().trim_start_matches("async "));
                let functions = lines.filter_map(|line| line.strip_prefix("fn "));
                let names = functions.filter_map(|rest| rest.split(['(', '<']).next());
                found.extend(names.map(Into::into));
            }
        }
    }
    found
}

#[test]
fn every_promise_of_security_names_tests_that_are_there() {
    let text = fs::read_to_string(root().join("docs/security.md")).unwrap();
    let (_, promises) = text.split_once("## What is promised").unwrap();
    let (promises, _) = promises.split_once("\n## ").unwrap();
    let tests = tests();
    let rows = promises.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |"));
    let rows = rows.filter(|line| !line.starts_with("| promise"));
    let mut count = 0;
    for row in rows {
        let named = row.trim_end_matches(" |").rsplit("| ").next().unwrap();
        let names: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {row}");
        for name in names {
            assert!(tests.contains(name), "`{name}` is not there: {row}");
        }
        count += 1;
    }
    assert!(count > 15, "{count} promises");
}

/// Names in the first cells of a source's tables of files or modules, with the lines of headings.
fn mapped(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut is_map = false;
    for line in text.lines() {
        let Some(row) = line.strip_prefix("//! |") else {
            is_map = false;
            continue;
        };
        let cell = row.split('|').next().unwrap_or_default();
        let is_heading = matches!(cell.trim(), "file" | "module");
        // A second heading would be a row that nobody sees as a table.
        assert!(!(is_heading && is_map), "two headings: {line}");
        is_map |= is_heading;
        if is_map && !is_heading {
            names.extend(cell.split('`').skip(1).step_by(2));
        }
    }
    names
}

/// The table in the header of a module names files and modules that are there.
#[test]
fn maps_of_modules_name_what_is_there() {
    let mut missing = Vec::new();
    let mut count = 0;
    for path in sources(&root().join("crates")) {
        let text = fs::read_to_string(&path).unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let parent = path.parent().unwrap();
        let own = match stem {
            "mod" | "lib" | "main" => parent.to_path_buf(),
            _ => parent.join(stem),
        };
        let is_module =
            |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || "_:0123456789".contains(c));
        for name in mapped(&text).into_iter().filter(|name| is_module(name)) {
            count += 1;
            let below = name.replace("::", "/");
            let files = [own.join(&below), own.join(format!("{below}.rs"))];
            let beside = [parent.join(&below), parent.join(format!("{below}.rs"))];
            let inline = ["{", ";"].map(|end| format!("mod {name}{end}"));
            let is_there = files.iter().chain(&beside).any(|file| file.exists())
                || inline.iter().any(|words| text.replace(" {", "{").contains(words));
            if !is_there {
                missing.push(format!("{}: {name}", path.display()));
            }
        }
    }
    assert!(count > 500, "{count}");
    assert!(missing.is_empty(), "{missing:#?}");
}
