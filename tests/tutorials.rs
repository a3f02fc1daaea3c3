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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Types all commands of a page of `docs` whose experiment is called like the page.
fn follow(page: &str) {
    follow_of(&format!("docs/{page}"), page.trim_end_matches(".md"));
}

/// Types all commands of a page in a folder of its own. Its experiment, which is called `name`
/// there, gets a name of the test's own, so that it can run beside others.
fn follow_of(page: &str, name: &str) {
    let text_of_page = fs::read_to_string(root().join(page)).unwrap();
    let lab = Lab::new("");
    let binaries = Path::new(NETLOOM).parent().unwrap().to_str().unwrap().to_owned();
    let path = binaries + ":" + &std::env::var("PATH").unwrap();
    let mut commands = 0;
    for (language, body) in blocks(&text_of_page) {
        if language != "console" {
            let Some(file) = file(&body) else { continue };
            let body = body.replace(&format!("name: {name}\n"), &format!("name: {}\n", lab.name));
            fs::write(lab.path(file), body).unwrap();
            continue;
        }
        // What makes NetLoom itself has been done.
        for line in typed(&body).into_iter().filter(|line| !line.starts_with("make ")) {
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
fn several_machines() {
    follow_of("docs/machines.md", "campus");
}

#[test]
fn in_ci() {
    follow("in-ci.md");
}

#[test]
fn the_readme() {
    follow_of("README.md", "hello");
}

/// Pages with commands that no test here types, and why.
const NOT_TYPED: &[(&str, &str)] = &[
    ("CONTRIBUTING.md", "they are those of the checks themselves"),
    ("docs/api.md", "its requests are those of tests/client.rs, and one never ends"),
    ("docs/apply.md", "one is an editor; tests/apply.rs has such changes"),
    ("docs/calibration.md", "measures the machine for minutes; tests/calibrate.rs is quicker"),
    ("docs/python.md", "takes Python packages; `make test-python` runs each of its blocks"),
    ("docs/queues.md", "shows what one prints; tests/waiting.rs looks at the same"),
    ("docs/rootless.md", "takes another user; tests/rootless.rs is one"),
    ("docs/services.md", "downloads an image; tests/services.rs starts such networks"),
    ("docs/shape.md", "changes traffic of the machine; tests/shape has a machine of its own"),
    ("docs/shell.md", "reaches the Internet; tests/shell has a network of its own"),
    ("docs/simulation.md", "has placeholders for files; tests/simulate does the same"),
    ("docs/sweeps.md", "takes minutes; tests/simulate runs small sweeps by the same options"),
    ("docs/symbiosis.md", "takes a run of real programs; tests/symbiosis.rs repeats one"),
    ("docs/ui.md", "its servers last until Ctrl-C; tests/ui and web/tests talk to such"),
];

/// Every page whose commands are typed by readers is followed here, or says why not. Those of
/// examples run in `tests/examples`.
#[test]
fn every_page_with_commands_is_followed_or_named() {
    let this = fs::read_to_string(root().join("tests/tutorials.rs")).unwrap();
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        pages.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    let mut with_commands = 0;
    for page in pages {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let has_commands = blocks(&text).iter().any(|(language, _)| language == "console");
        let name = page.trim_start_matches("docs/");
        let calls = [format!("follow(\"{name}\")"), format!("follow_of(\"{page}\",")];
        let is_followed = calls.iter().any(|call| this.contains(call));
        let is_named = NOT_TYPED.iter().any(|(named, _)| *named == page);
        with_commands += usize::from(has_commands);
        assert_eq!(has_commands, is_followed || is_named, "{page}");
        assert!(!(is_followed && is_named), "{page}");
    }
    assert!(with_commands > 10, "{with_commands}");
}
