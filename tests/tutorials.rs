//! Every block of the tutorials runs as it stands there: files are written, commands are typed.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{Lab, NETLOOM, text};

/// A block of a page between fences: its language and what is in it.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut fences = page.split("```");
    fences.next();
    let mut found = Vec::new();
    while let (Some(block), Some(_)) = (fences.next(), fences.next()) {
        let (language, body) = block.split_once('\n').unwrap();
        found.push((language.to_owned(), body.to_owned()));
    }
    found
}

/// The name of the file that a block is, by the comment in its first line; a path that begins with
/// a dot is none of the tutorial's.
fn file(body: &str) -> Option<&str> {
    let name = body.lines().next()?.strip_prefix("# ")?;
    let named = !name.contains([' ', '/']) && name.contains('.');
    named.then_some(name)
}

/// The lines that are typed, those that end with a backslash joined with the next.
fn typed(body: &str) -> Vec<String> {
    let body = body.replace("\\\n", "");
    body.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

/// Types all commands of a page of `docs` in a folder of its own. Its experiment, which is called
/// like the page, gets a name of the test's own, so that it can run beside others.
fn follow(page: &str) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let text_of_page = fs::read_to_string(docs.join(page)).unwrap();
    let lab = Lab::new("");
    let binaries = Path::new(NETLOOM).parent().unwrap().to_str().unwrap().to_owned();
    let path = binaries + ":" + &std::env::var("PATH").unwrap();
    let name = page.trim_end_matches(".md");
    let mut commands = 0;
    for (language, body) in blocks(&text_of_page) {
        if language != "console" {
            let Some(file) = file(&body) else { continue };
            let body = body.replace(&format!("name: {name}\n"), &format!("name: {}\n", lab.name));
            fs::write(lab.path(file), body).unwrap();
            continue;
        }
        for line in typed(&body) {
            let line = line.replace(name, &lab.name);
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(&lab.directory)
                .env("PATH", &path)
                .env("NETLOOM_PROFILE", lab.profile())
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let printed = text(&output.stdout) + &text(&output.stderr);
            assert!(output.status.success(), "{page}: {line}: {printed}");
            commands += 1;
        }
    }
    assert!(commands > 0, "{page} has no commands");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn blocks_are_found() {
    let page = "a\n```yaml\n# b.yaml\nname: c\n```\nd\n```console\n$ e \\\n  f\n$ g\n```\n";
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 2);
    assert_eq!(file(&blocks[0].1), Some("b.yaml"));
    assert_eq!(file("# .github/workflows/x.yml\n"), None);
    assert_eq!(file("name: c\n"), None);
    assert_eq!(typed(&blocks[1].1), ["e   f", "g"]);
}

#[test]
fn the_first_network() {
    follow("first-network.md");
}

#[test]
fn a_study() {
    let there = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    if !there.unwrap_or_default().split_whitespace().any(|name| name == "bbr") {
        return println!("skipped: this kernel has no BBR");
    }
    follow("first-study.md");
}

#[test]
fn the_first_simulation() {
    follow("first-simulation.md");
}

#[test]
fn the_first_manet() {
    let folders = ["/usr/sbin", "/usr/bin", "/sbin", "/usr/local/sbin"];
    if !folders.iter().any(|folder| Path::new(folder).join("babeld").exists()) {
        return println!("skipped: there is no babeld");
    }
    follow("first-manet.md");
}

#[test]
fn a_lab_for_a_class() {
    follow("class-lab.md");
}

#[test]
fn capacity_planning() {
    follow("capacity.md");
}

#[test]
fn in_ci() {
    follow("in-ci.md");
}
