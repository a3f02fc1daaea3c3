//! Demands as rates, from the command line.

use std::process::{Command, Output};

use serde_json::Value;

use crate::common::{NETLOOM, text};
use crate::{Folder, ended, example, simulate, summary};

fn netloom(arguments: &[&str]) -> Output {
    Command::new(NETLOOM).args(arguments).output().unwrap()
}

#[test]
fn a_backbone_carries_its_demands_the_same_in_parts() {
    let folder = Folder::new("backbone");
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path(name));
    ended(&simulate(&example("backbone"), &whole, &[]));
    ended(&simulate(&example("backbone"), &parts, &["--processes", "2", "--threads", "2"]));
    for file in ["pipes.parquet", "flows.parquet"] {
        let [a, b] = [&whole, &parts].map(|results| std::fs::read(results.join(file)).unwrap());
        assert!(a == b, "{file} differs");
    }
    let summary = summary(&whole);
    let flows = summary["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 662);
    // No link is full while nothing fails.
    assert!(
        flows.iter().all(|flow| flow["protocol"] == "fluid" && flow["sent"] == flow["received"])
    );
}

#[test]
fn failures_are_a_table_or_json() {
    let file = example("backbone");
    let file = file.to_str().unwrap();
    let shown = netloom(&["plan-failures", file]);
    ended(&shown);
    let shown = text(&shown.stdout);
    let last = shown.trim_end().lines().last().unwrap();
    assert!(last.starts_with("662 demands of 1200 Gbit/s in all, 138 failures: "), "{last}");
    assert_eq!(shown.lines().count(), 1 + 138 + 2, "{shown}");
    let nodes = netloom(&["plan-failures", "-t", file, "--only", "nodes", "--format", "json"]);
    ended(&nodes);
    let nodes: Value = serde_json::from_slice(&nodes.stdout).unwrap();
    let failures = nodes["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &nodes["demands"]), (50, &Value::from(662)));
    assert!(failures.iter().all(|failure| failure["kind"] == "node"));
}

#[test]
fn rates_are_refused_where_packets_are_real() {
    let folder = Folder::new("refused");
    let file = example("backbone");
    let results = folder.path("results");
    let run = netloom(&["run", "-t", file.to_str().unwrap(), "-o", results.to_str().unwrap()]);
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.contains("traffic `demands` is fluid (`as: fluid`)"), "{said}");
    assert!(said.contains("run with `--simulate`, or write `as: packets`"), "{said}");
    assert!(!results.exists());
}
