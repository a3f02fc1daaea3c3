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
        if path.is_dir() && !name.starts_with('.') && !name.starts_with("target") {
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
