//! Evaluations of `benches/papers` that are cheap in virtual time: they agree with what was
//! published, and the same bytes come out on any number of threads.

mod common;

use std::fs;
use std::process::Command;

use common::{Lab, NETLOOM, text};
use serde_json::Value;

/// Those that take a second or two of CPU time each.
const CHEAP: [&str; 6] =
    ["carbone.t1.pipes", "zheng.t3.2", "zheng.4.1", "zheng.4.9", "zheng.4.12", "maier.3.29"];

/// Runs them on so many threads; the text of `papers.json`.
fn run(threads: &str) -> String {
    let lab = Lab::new("topology: { nodes: { a: } }\n");
    let mut command = Command::new("python3");
    command.args(["benches/papers", "run", "--virtual", "--threads", threads, "-o"]);
    command.arg(&lab.directory).args(CHEAP).env("NETLOOM", NETLOOM);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    fs::read_to_string(lab.path("papers.json")).unwrap()
}

#[test]
fn published_figures_come_out_again_to_the_byte() {
    let first = run("1");
    let evaluations: Value = serde_json::from_str(&first).unwrap();
    for name in CHEAP {
        let found = &evaluations[name]["arms"]["virtual"];
        assert_eq!(found["verdict"], "agrees", "{name}: {found}");
    }
    assert_eq!(first, run("2"));
}

#[test]
fn every_row_is_listed_with_its_published_figure() {
    let mut command = Command::new("python3");
    command.args(["benches/papers", "list"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let rows = lines.lines().filter(|line| line.starts_with(['A', 'B', 'C', 'D', 'E']));
    assert_eq!(rows.count(), 75);
    assert_eq!(lines.matches("     published: ").count(), 75);
}
