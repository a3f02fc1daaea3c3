//! Runs that speak to CI: repetitions, the archive of a failure, quiet runs, and the structure of
//! JUnit's XML.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::process::Stdio;

use common::{Lab, eventually, kill, text};
use nix::sys::signal::Signal;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

/// Two nodes, the command runs in one of them, and a third one, without a link: a warning.
fn lab(command: &str) -> Lab {
    Lab::new(&format!(
        "topology: {{ nodes: {{ a: , b: , alone: }}, links: [{{ endpoints: [a, b] }}] }}\n\
         processes:\n  - name: p\n    node: a\n    command: {command}\n"
    ))
}

/// Counts its runs, and fails in the second one.
const FAILS_ONCE: &str =
    "echo x >> count; printf 'said \\033[1m\\001 \\377 <&>\\n'; test $(wc -l < count) != 2";

fn summary(lab: &Lab, run: &str) -> Value {
    let file = lab.path("all").join(run).join("summary.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// The files of an archive, by name.
fn archive(lab: &Lab, name: &str) -> BTreeMap<String, String> {
    let packed = flate2::read::GzDecoder::new(File::open(lab.path(name)).unwrap());
    let mut archive = tar::Archive::new(packed);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (name, text(&bytes))
    });
    entries.filter(|(name, _)| !name.ends_with('/')).collect()
}

#[test]
fn runs_are_repeated_with_seeds_and_folders_of_their_own() {
    let lab = lab(FAILS_ONCE);
    let output = lab.netloom(&[
        "run",
        "--repeat",
        "3",
        "--seed",
        "7",
        "-o",
        "all",
        "--junit",
        "j.xml",
        "--bundle",
        "fail.tar.gz",
    ]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}{}", text(&output.stderr));
    assert!(said.contains("run 2 of 3, seed 8: FAILED"), "{said}");
    let third = said.lines().find(|line| line.starts_with("run 3 of 3, seed 9: PASSED"));
    let words = third.and_then(|line| line.rsplit("; ").next()).unwrap_or_default();
    let verdict = summary(&lab, "03")["verdict"]["judgement"].as_str().unwrap().to_uppercase();
    assert_eq!(words, verdict, "{said}");
    let seeds = ["01", "02", "03"].map(|run| summary(&lab, run)["seed"].as_u64().unwrap());
    assert_eq!(seeds, [7, 8, 9]);
    assert!(said.contains("\n1 of 3 failed: run 2 (seed 8)"), "{said}");

    // A suite for each run, in which the same cases are. The process that failed in the second is
    // one failure, and not one of the run too.
    let xml = fs::read_to_string(lab.path("j.xml")).unwrap();
    let suites = junit(&xml);
    assert_eq!(suites.len(), 3, "{xml}");
    let names = |suite: &Suite| suite.cases.iter().map(|case| case.name.clone()).collect();
    let names: Vec<Vec<String>> = suites.iter().map(names).collect();
    assert!(names.windows(2).all(|pair| pair[0] == pair[1]), "{names:?}");
    assert_eq!(suites.iter().map(|suite| suite.failures).collect::<Vec<_>>(), [0, 1, 0], "{xml}");
    // What XML cannot have is gone from the output, and the rest is there.
    assert!(xml.contains("<system-out>said") && xml.contains("&lt;&amp;&gt;"), "{xml}");

    // What a colleague needs of the run that failed, and nothing of the others.
    let files = archive(&lab, "fail.tar.gz");
    let is_there = |name: &str| files.contains_key(&format!("fail/{name}"));
    for name in [
        "about.txt",
        "doctor.txt",
        "junit.xml",
        "scenario/netloom.yaml",
        "results/summary.json",
        "results/report.html",
        "results/processes/p@a.stdout",
        "results/machine.json",
    ] {
        assert!(is_there(name), "{name} is not in {:?}", files.keys());
    }
    let of_run: Value = serde_json::from_str(&files["fail/results/summary.json"]).unwrap();
    assert_eq!(of_run["seed"], 8);
    assert!(files["fail/about.txt"].contains("1 of 3 failed: run 2 (seed 8)"));
    assert_eq!(files["fail/junit.xml"], xml);
    let scenario = fs::read_to_string(lab.path("netloom.yaml")).unwrap();
    assert_eq!(files["fail/scenario/netloom.yaml"], scenario);
    assert_eq!(lab.remains(), [""; 0]);

    // A good run leaves no archive, and none of an earlier failure.
    let said = lab.ok(&["run", "-o", "good", "--bundle", "fail.tar.gz"]);
    assert!(!lab.path("fail.tar.gz").exists(), "{said}");
}

#[test]
fn a_signal_ends_all_repetitions_and_keeps_the_results_so_far() {
    let lab = lab("echo x >> count; test $(wc -l < count) = 1 || exec sleep 1000");
    let mut command = lab.command(&["run", "--repeat", "5", "-o", "all", "--junit", "j.xml"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the second run has begun", || {
        fs::read_to_string(lab.path("count")).is_ok_and(|text| text.lines().count() == 2)
    });
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{said}{}", text(&output.stderr));
    assert!(said.contains("\ninterrupted after 1 of 5 runs: 1 of 1 passed"), "{said}");
    assert_eq!(summary(&lab, "01")["success"], true);
    assert_eq!(summary(&lab, "02")["reason"], "interrupted");
    assert!(!lab.path("all/03").exists());
    assert_eq!(junit(&fs::read_to_string(lab.path("j.xml")).unwrap()).len(), 2);
    assert_eq!(lab.remains(), [""; 0]);
}

/// Simulated repetitions differ where something is random, and are those of their seeds.
#[test]
fn simulations_are_repeated_too() {
    let lab = Lab::new(
        "duration: 2s\ntopology:\n  nodes: { a: , b: }\n  \
         links: [{ endpoints: [a, b], rate: 1Mbit/s, loss: 20% }]\n\
         traffic: [{ name: t, from: a, to: b, udp: {}, cbr: { rate: 500kbit/s }, for: 1s }]\n",
    );
    let said = lab.ok(&["run", "--simulate", "--repeat", "2", "-o", "all"]);
    assert!(said.ends_with("2 of 2 passed\n"), "{said}");
    lab.ok(&["run", "--simulate", "--seed", "2", "-o", "second"]);
    let links = |run: &str| summary(&lab, run)["links"].to_string();
    assert_ne!(links("01"), links("02"));
    assert_eq!(links("02"), links("../second"));
}

#[test]
fn what_cannot_be_repeated_is_refused_at_once() {
    let lab = lab("'true'");
    for (arguments, why) in [
        (vec!["--repeat", "0"], "invalid value '0' for '--repeat"),
        (vec!["--repeat", "2", "--seed", "18446744073709551615"], "there are not 2 seeds from"),
        (vec!["--bundle", "fail.zip"], "the name ends with `.tar.gz`"),
    ] {
        let all = [vec!["run", "-o", "all"], arguments].concat();
        let (code, words) = lab.fails(&all);
        assert!(code == 2 && words.contains(why), "{code}: {words}");
        assert!(!lab.path("all").exists());
    }
    let (code, words) = lab.fails(&["run", "-o", "all", "--bundle", "nowhere/fail.tar.gz"]);
    assert!(code == 1 && words.contains("cannot write nowhere/fail.tar.gz"), "{code}: {words}");
    assert!(!lab.path("all").exists());
}

/// A scenario that is refused has a bundle and a report, too.
#[test]
fn the_bundle_of_a_refused_scenario_has_its_files_and_the_reason() {
    let lab = lab("'true'");
    fs::write(lab.path("check.yaml"), "expect: [{ process: nobody, exit: 0 }]\n").unwrap();
    let (code, words) =
        lab.fails(&["run", "--with", "check.yaml", "--bundle", "fail.tar.gz", "--junit", "j.xml"]);
    assert_eq!(code, 2, "{words}");
    let files = archive(&lab, "fail.tar.gz");
    assert!(files["fail/about.txt"].contains("there is no process `nobody`"), "{files:?}");
    assert!(files["fail/scenario/check.yaml"].contains("nobody"));
    let suites = junit(&fs::read_to_string(lab.path("j.xml")).unwrap());
    assert_eq!((suites.len(), suites[0].failures), (1, 1));
    assert_eq!(suites[0].cases[0].name, "scenario");
}

#[test]
fn warnings_come_below_the_outcome_and_quiet_runs_have_none() {
    let mixed = |lab: &Lab, arguments: &str| {
        let line = format!("{} run {arguments} 2>&1", common::NETLOOM);
        let mut command = lab.command(&[]);
        let profile = command.get_envs().find(|(key, _)| *key == "NETLOOM_PROFILE").unwrap().1;
        let profile = profile.unwrap().to_owned();
        command = std::process::Command::new("sh");
        command.args(["-c", &line]).current_dir(&lab.directory).env("NETLOOM_PROFILE", profile);
        text(&command.output().unwrap().stdout)
    };
    let good = lab("'true'");
    let said = mixed(&good, "-o results");
    let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
    assert!(place("PASSED") < place("warning: no link leads to node `alone`"), "{said}");
    assert!(place("netloom.yaml: 1 warning, below the outcome") < place("PASSED"), "{said}");
    let said = mixed(&good, "-o quiet --quiet");
    assert!(said.starts_with("PASSED") && said.lines().count() == 1, "{said}");
    let bad = lab("echo why >&2; exit 7");
    let said = mixed(&bad, "-o quiet -q");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("FAILED") && lines[1].contains("ended with code 7"), "{said}");
    assert!(lines.len() == 3 && lines[2].starts_with("results: "), "{said}");
    let said = mixed(&bad, "-o all -q --repeat 2");
    assert!(said.lines().last().unwrap().starts_with("2 of 2 failed: run 1 (seed 1)"), "{said}");
}

/// A suite of a report.
struct Suite {
    failures: usize,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    outcomes: Vec<String>,
}

fn attributes(tag: &BytesStart<'_>) -> BTreeMap<String, String> {
    let attributes = tag.attributes().map(|attribute| {
        let attribute = attribute.unwrap();
        let value =
            attribute.normalized_value(quick_xml::XmlVersion::default()).unwrap().into_owned();
        (text(attribute.key.as_ref()), value)
    });
    attributes.collect()
}

/// Reads a report, and checks what programs that read JUnit's XML rely on: which elements are in
/// which, names and classes of cases that occur once, times that are numbers, and counts that are
/// those of the cases.
fn junit(xml: &str) -> Vec<Suite> {
    let mut reader = Reader::from_str(xml);
    let mut path: Vec<String> = Vec::new();
    let mut suites: Vec<Suite> = Vec::new();
    let mut declared: Vec<BTreeMap<String, String>> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut total = BTreeMap::new();
    loop {
        let event = reader.read_event().unwrap();
        let (tag, is_empty) = match &event {
            Event::Start(tag) => (tag, false),
            Event::Empty(tag) => (tag, true),
            Event::End(_) => {
                path.pop();
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let name = text(tag.name().as_ref());
        let inside = path.last().map_or("", String::as_str);
        let allowed: &[&str] = match name.as_str() {
            "testsuites" => &[""],
            "testsuite" => &["testsuites"],
            "testcase" | "properties" => &["testsuite"],
            "property" => &["properties"],
            "failure" | "error" | "skipped" => &["testcase"],
            "system-out" | "system-err" => &["testcase", "testsuite"],
            other => panic!("JUnit has no <{other}>: {xml}"),
        };
        assert!(allowed.contains(&inside), "<{name}> in <{inside}>: {xml}");
        let attributes = attributes(tag);
        if let Some(time) = attributes.get("time") {
            assert!(time.parse::<f64>().unwrap() >= 0.0, "{time}");
        }
        match name.as_str() {
            "testsuites" => total = attributes,
            "testsuite" => {
                let failures = attributes["failures"].parse().unwrap();
                assert!(!attributes["name"].is_empty() && attributes.contains_key("errors"));
                suites.push(Suite { failures, cases: Vec::new() });
                declared.push(attributes);
            }
            "testcase" => {
                let case = (attributes["classname"].clone(), attributes["name"].clone());
                assert!(seen.insert(case.clone()), "{case:?} occurs twice");
                let case = Case { name: case.1, outcomes: Vec::new() };
                suites.last_mut().unwrap().cases.push(case);
            }
            "failure" | "error" | "skipped" => {
                assert!(!attributes["message"].is_empty());
                let case = suites.last_mut().unwrap().cases.last_mut().unwrap();
                case.outcomes.push(name.clone());
            }
            _ => {}
        }
        if !is_empty {
            path.push(name);
        }
    }
    assert!(path.is_empty() && !suites.is_empty(), "{xml}");
    for (suite, declared) in suites.iter().zip(&declared) {
        let with = |outcome: &str| {
            let has = |case: &&Case| case.outcomes.iter().any(|found| found == outcome);
            suite.cases.iter().filter(has).count().to_string()
        };
        assert!(suite.cases.iter().all(|case| case.outcomes.len() <= 1), "{xml}");
        assert_eq!(declared["tests"], suite.cases.len().to_string());
        assert_eq!(declared["failures"], with("failure"));
        assert_eq!(declared["errors"], with("error"));
        assert_eq!(declared["skipped"], with("skipped"));
    }
    let cases: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    assert_eq!(total["tests"], cases.to_string());
    // XML 1.0 has no characters of control but these.
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    assert!(!xml.chars().any(is_control), "{xml:?}");
    suites
}
