//! Results of several machines: each command takes them as it takes those of one machine, and they
//! have everything once. Both machines have the results of the same simulated run here, so what is
//! merged must be that run.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use netloom_columnar::{Cell, Stored};
use netloom_monitor::{Alignment, LateFrames, Observation, PipeFrames, SignalKind, Subject, trace};
use netloom_results::{MACHINES, Member, merge};
use netloom_scenario::Scenario;
use netloom_units::{Duration, Time};
use serde_json::Value;

use super::common::{NETLOOM, text};
use super::{Folder, ended, simulate};

const SCENARIO: &str = "
name: n
duration: 3s
measure: { frames: true, interval: 100ms, observations: true }
topology:
  nodes: { a: , b: { kind: router }, c: { kind: router }, d: }
  links:
    - { endpoints: [a, b] }
    - { endpoints: [b, c], rate: 5Mbit/s, delay: 10ms, loss: 1% }
    - { endpoints: [c, d], delay: 1ms }
timeline:
  - { at: 1s, link: b--c, set: { delay: 12ms } }
traffic:
  - { name: f, from: a, to: d, udp: {}, cbr: { rate: 4Mbit/s }, for: 2s }
  - { name: p, from: d, to: a, ping: { count: 10, interval: 100ms } }
";

/// What the monitor of a machine observed: every signal was watched, and of `late` frames in a
/// thousand of a pipe in each second, each was too late.
fn observations(file: &Path, pipe: &str, late: u64) {
    let mut out = File::create(file).unwrap();
    let mut observe = |at: Time, what: Observation| trace::write(&mut out, at, &what).unwrap();
    for signal in SignalKind::ALL {
        let (probe, cannot_see) = ("test".into(), vec![]);
        observe(Time::ZERO, Observation::Watched { signal, probe, cannot_see, partial: false });
    }
    observe(Time::ZERO, Observation::Named { what: Subject::Pipe(7), name: pipe.into() });
    for second in 1..3 {
        let tolerance = Duration::from_millis(1);
        let by = vec![(Duration::ZERO, 1000 - late), (Duration::from_millis(3), late)];
        let late = LateFrames { by, beyond: late, tolerance };
        let (over, busy) = (Duration::from_secs(1), Duration::ZERO);
        let at_most = late.clone();
        let frames = PipeFrames { pipe: 7, over, late, at_most, busy, lost: busy };
        observe(Time::from_nanos(second * 1_000_000_000), Observation::Frames(frames));
    }
}

/// Copies the results of a run, as if a machine had counted only one end of the flows.
fn member(whole: &Path, to: &Path, end: &str) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(whole).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    let file = to.join("summary.json");
    let mut summary: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for flow in summary["flows"].as_array_mut().unwrap() {
        flow[end] = serde_json::json!({ "frames": 0, "bytes": 0 });
        for counter in ["duplicated", "reordered", "refused", "errors"] {
            assert_eq!(flow[counter], 0);
        }
    }
    fs::write(file, summary.to_string()).unwrap();
}

/// The rows of a table, by time and names.
fn rows(file: &Path) -> Vec<String> {
    let table = Stored::open(File::open(file).unwrap()).unwrap();
    let names: Vec<&str> =
        table.names().iter().map(String::as_str).filter(|name| *name != "machine").collect();
    let mut rows = Vec::new();
    table.rows(&names, |cells: &[Cell<'_>]| rows.push(format!("{cells:?}"))).unwrap();
    rows.sort();
    rows
}

#[test]
fn the_results_of_two_machines_are_those_of_one_run() {
    let folder = Folder::new("merged");
    let whole = folder.path("whole");
    ended(&simulate(&folder.scenario(SCENARIO), &whole, &[]));
    let bound = Duration::from_micros(20);
    let members = [("m1", "received", 0), ("m2", "sent", 500)].map(|(name, other_end, late)| {
        let directory = folder.path(name);
        member(&whole, &directory, other_end);
        observations(&directory.join("observations.jsonl"), "b--c/forward", late);
        let clock = Alignment { bound, ..Alignment::default() };
        let directory = Some(directory);
        Member { name: name.into(), directory, clock, profile: None, lost: None }
    });
    let placement: BTreeMap<String, String> = [("a", "m1"), ("b", "m1"), ("c", "m2"), ("d", "m2")]
        .map(|(n, m)| (n.into(), m.into()))
        .into();
    let scenario = Scenario::from_json(&fs::read(whole.join("scenario.json")).unwrap()).unwrap();
    let out = folder.path("merged");
    let summary = merge(&members, &scenario, &placement, &[], &out).unwrap();
    assert_eq!(summary.failures, Vec::<String>::new());

    for file in ["pipes.parquet", "flows.parquet"] {
        let (whole, merged) = (rows(&whole.join(file)), rows(&out.join(file)));
        assert!(!whole.is_empty() && whole == merged, "{file}");
    }
    let value =
        |file: &Path| -> Value { serde_json::from_slice(&fs::read(file).unwrap()).unwrap() };
    let [single, merged] = [&whole, &out].map(|results| value(&results.join("summary.json")));
    for part in ["links", "timeline", "ended", "success", "mode"] {
        assert_eq!(merged[part], single[part], "{part}");
    }
    let by_name = |flows: &Value| -> BTreeMap<String, Value> {
        let flows = flows.as_array().unwrap().iter();
        flows.map(|flow| (flow["name"].to_string(), flow.clone())).collect()
    };
    assert_eq!(by_name(&merged["flows"]), by_name(&single["flows"]));
    assert_eq!(merged["placement"]["d"], "m2");
    assert_eq!(merged["machines"][1]["bound"], "20us");

    let netloom = |arguments: &[&str]| {
        let mut command = Command::new(NETLOOM);
        let output = command.current_dir(folder.path("")).args(arguments).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let entries = |results: &str| {
        let (code, table, why) =
            netloom(&["frames", &format!("{results}/frames.nlf"), "--csv", "-"]);
        assert_eq!(code, Some(0), "{why}");
        let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let merged_entries = entries("merged");
    assert!(merged_entries.len() > 1000 && merged_entries == entries("whole"));
    // Each event of the run is there once.
    let events = |results: &Path| {
        let text = fs::read_to_string(results.join("events.jsonl")).unwrap();
        // A warning is about a machine.
        let mut events: Vec<String> = text
            .lines()
            .filter(|line| !line.contains("\"event\":\"warning\""))
            .map(|line| {
                let mut event: Value = serde_json::from_str(line).unwrap();
                event.as_object_mut().unwrap().retain(|key, _| key != "number" && key != "machine");
                event.to_string()
            })
            .collect();
        events.sort();
        events
    };
    assert_eq!(events(&out), events(&whole));

    let (code, _, why) =
        netloom(&["compare", "merged", "whole", "--tolerance", "rtt=0%,goodput=0%"]);
    assert_eq!(code, Some(0), "{why}");
    let (code, _, why) = netloom(&["report", "merged"]);
    assert_eq!((code, why.as_str()), (Some(0), ""));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("id=\"machines\"") && page.contains("link cut"));
}

#[test]
fn what_two_machines_observed_is_judged_as_a_whole() {
    let folder = Folder::new("merged-judge");
    let whole = folder.path("whole");
    ended(&simulate(&folder.scenario(SCENARIO), &whole, &[]));
    let members = [("m1", 0), ("m2", 500)].map(|(name, late)| {
        let directory = folder.path(name);
        member(&whole, &directory, "sent");
        observations(&directory.join("observations.jsonl"), &format!("{name}/forward"), late);
        let directory = Some(directory);
        let clock = Alignment::default();
        Member { name: name.into(), directory, clock, profile: None, lost: None }
    });
    let scenario = Scenario::from_json(&fs::read(whole.join("scenario.json")).unwrap()).unwrap();
    let out = folder.path("merged");
    let placement: BTreeMap<String, String> =
        ["a", "b", "c", "d"].map(|node| (node.into(), "m1".into())).into();
    merge(&members, &scenario, &placement, &[], &out).unwrap();
    let judge = || {
        let output = Command::new(NETLOOM)
            .args(["judge", out.to_str().unwrap(), "--format", "json", "--strict"])
            .output()
            .unwrap();
        (output.status.code(), output)
    };
    let (code, output) = judge();
    assert_eq!(code, Some(4), "{}", text(&output.stderr));
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdict["judgement"], "invalid");
    assert_eq!(verdict["findings"][0]["machine"], "m2");
    assert_eq!(verdict["findings"][0]["on"]["name"], "m2/forward");
    assert_eq!(verdict["bound"]["machines"].as_array().unwrap().len(), 2);
    // A machine without a record cannot be judged again, and the error names its folder.
    let record = Path::new(MACHINES).join("m1/observations.jsonl");
    fs::remove_file(out.join(&record)).unwrap();
    let (code, output) = judge();
    let why = text(&output.stderr);
    assert!(code == Some(1) && why.contains("machines/m1 has no observations.jsonl"), "{why}");
}
