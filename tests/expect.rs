//! Expectations of a scenario for processes: how they end, how soon, and their output. They appear
//! on the terminal, in the summary and as JUnit's XML.

mod common;

use std::fs;

use common::{Lab, text};
use serde_json::Value;

fn lab(expect: &str) -> Lab {
    Lab::new(&format!(
        "topology: {{ nodes: {{ a: , b: }}, links: [{{ endpoints: [a, b] }}] }}\n\
         processes:\n  \
         - {{ name: victim, node: a, command: echo \"victim up\"; kill -KILL $$ }}\n  \
         - {{ name: client, nodes: [a, b], command: echo \"0% packet loss\"; exit 2 }}\n  \
         - {{ name: server, node: b, command: exec sleep 1000, background: true }}\n\
         expect:\n{expect}"
    ))
}

fn summary(lab: &Lab) -> Value {
    serde_json::from_str(&fs::read_to_string(lab.path("results/summary.json")).unwrap()).unwrap()
}

#[test]
fn expected_ends_are_no_failures() {
    let lab = lab("  - { process: victim, exit: SIGKILL, within: 1000s, output: victim up }\n  \
                   - { process: client, exit: 2, output: 0% packet loss }\n  \
                   - { process: server, exit: running }\n");
    lab.ok(&["run", "-o", "results", "--junit", "junit.xml"]);
    let summary = summary(&lab);
    assert_eq!(summary["success"], true);
    let met = |row: &Value| row["met"] == true && row["found"] == "";
    let expectations = summary["expectations"].as_array().unwrap();
    // The client runs in two nodes.
    assert_eq!(expectations.len(), 4);
    assert!(expectations.iter().all(met), "{expectations:?}");
    let junit = fs::read_to_string(lab.path("junit.xml")).unwrap();
    assert!(junit.contains(r#"failures="0""#), "{junit}");
    assert!(junit.contains("expected of victim@a: exit code 137"), "{junit}");
}

/// A run with a process that would go on for a quarter of an hour ends once another one has failed,
/// or has not done what was expected. What was ended by that is not held against it.
#[test]
fn a_run_for_ci_ends_once_something_has_failed() {
    for (command, expect) in [
        ("exit 7", ""),
        ("echo wrong", "expect: [{ process: early, output: right }, { process: late, exit: 0 }]\n"),
    ] {
        let lab = Lab::new(&format!(
            "topology: {{ nodes: {{ a: , b: }}, links: [{{ endpoints: [a, b] }}] }}\n\
             processes:\n  \
             - {{ name: early, node: a, command: {command} }}\n  \
             - {{ name: late, node: b, command: exec sleep 1000 }}\n{expect}"
        ));
        let output = lab.netloom(&["run", "-o", "results", "--junit", "junit.xml"]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
        let summary = summary(&lab);
        assert_eq!(summary["reason"], "failed");
        let failures = summary["failures"].as_array().unwrap();
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert!(failures[0].as_str().unwrap().contains("`early` in `a`"), "{failures:?}");
        // One failure is one case, and what nobody could judge is there, with the reason.
        let junit = fs::read_to_string(lab.path("junit.xml")).unwrap();
        assert!(junit.contains(r#"failures="1""#), "{junit}");
        let unjudged = "skipped message=\"the run ended before: something else had failed\"";
        assert_eq!(junit.contains(unjudged), !expect.is_empty(), "{junit}");
        assert_eq!(junit.contains("expected of late@b: exit code 0"), !expect.is_empty());
    }
}

/// A teacher's checks over a student's network: each file keeps its lines in messages, and what is
/// wrong is in the report for the grading system, too.
#[test]
fn checks_are_laid_over_a_scenario_of_somebody_else() {
    let lab = Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n\
         processes: [{ name: server, node: b, command: sleep 1000, background: true }]",
    );
    let check = "processes:\n  - { name: asks, node: a, command: echo right }\n\
                 expect:\n  - { process: asks, output: right }\n\
                 \x20 - { process: server, exit: running }\n";
    fs::write(lab.path("check.yaml"), check).unwrap();
    let run = ["run", "--with", "check.yaml", "-o", "results", "--junit", "junit.xml"];
    assert!(lab.ok(&run).contains("2 expectations met"));
    fs::write(lab.path("check.yaml"), check.replace("server", "sever")).unwrap();
    let (code, words) = lab.fails(&["run", "--with", "check.yaml", "--junit", "junit.xml"]);
    assert_eq!(code, 2);
    assert!(words.contains("check.yaml:5:"), "{words}");
    let junit = fs::read_to_string(lab.path("junit.xml")).unwrap();
    assert!(junit.contains(r#"failures="1""#) && junit.contains("check.yaml:5:"), "{junit}");
    // The suite of what was refused says which that was.
    assert!(junit.contains(r#"testsuite name="netloom.yaml""#), "{junit}");
    lab.fails(&["run", "--with", "check.yaml", "--junit", "junit.xml", "--name", "student-1"]);
    let junit = fs::read_to_string(lab.path("junit.xml")).unwrap();
    assert!(junit.contains(r#"testsuite name="student-1""#), "{junit}");
}

#[test]
fn what_does_not_come_true_fails_the_run() {
    let lab = lab("  - { process: victim, exit: 0 }\n  \
                   - { process: client, node: b, exit: 2, output: 100% packet loss }\n  \
                   - { process: server, exit: 0, within: 1000s }\n");
    let output =
        lab.netloom(&["run", "-o", "results", "--junit", "junit.xml", "--fail-fast=false"]);
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{words}");
    let failures = summary(&lab)["failures"].to_string();
    for failure in [
        "of `victim` in `a` was expected exit code 0, but it is code 137; its output: \
         processes/victim@a.stdout",
        "of `client` in `b` was expected exit code 2, the output `100% packet loss`, \
         but its output \
         has no such text",
        "of `server` in `b` was expected exit code 0, an end within 1000s, but it is stopped with \
         the run, it did not end by itself",
        // Of this one nothing was expected.
        "`client` in `a` ended with code 2: 0% packet loss",
    ] {
        assert!(failures.contains(failure), "{failure} is not in {failures}");
        let first = words.lines().position(|line| line.contains(failure));
        let verdict = words.lines().position(|line| line.starts_with("verdict on the machine"));
        assert!(first.unwrap() < verdict.unwrap(), "{words}");
    }
    let junit = fs::read_to_string(lab.path("junit.xml")).unwrap();
    assert!(junit.contains(r#"<failure message="it is code 137"#), "{junit}");
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_before_the_run() {
    let lab = lab("  - { process: victim, exit: SIGKILL }\n");
    let (code, error) = lab.fails(&["run", "-o", "results", "--junit", "nowhere/junit.xml"]);
    assert_eq!(code, 1);
    assert!(error.contains("cannot write nowhere/junit.xml: No such file"), "{error}");
    assert!(!lab.path("results").exists());
}

#[test]
fn what_is_overdue_is_ended_and_the_run_goes_on() {
    let lab = Lab::new(
        "topology: { nodes: { a: } }\n\
         processes:\n  \
           - { name: endless, node: a, command: sleep 1000 }\n  \
           - { name: next, node: a, command: \"true\", start: { after: endless, when: started } }\n\
         expect:\n  \
           - { process: endless, exit: 0, within: 500ms }\n  \
           - { process: next, exit: 0, within: 1000s }\n",
    );
    let output = lab.netloom(&["run", "-o", "results"]);
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(words.starts_with("FAILED"), "{words}");
    let summary = summary(&lab);
    let failures = summary["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{failures:?}");
    let failure = failures[0].to_string();
    assert!(failure.contains("was ended: it ran longer than 500ms"), "{failure}");
    assert_eq!(summary["expectations"][1]["met"], true);
    assert_eq!(lab.remains(), [""; 0]);
}
