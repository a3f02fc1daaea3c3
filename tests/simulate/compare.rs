//! `netloom compare` of simulated runs: two of them, groups, and parts.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::common::{NETLOOM, text};
use super::{Folder, ended, simulate, summary};

#[test]
fn two_runs_are_compared_by_what_is_tolerated() {
    let folder = Folder::new("compare");
    let run = |name: &str, rate: &str| {
        let file = folder.scenario(&format!(
            "name: n\ntopology:\n  nodes: {{a: , b: }}\n  \
             links: [{{endpoints: [a, b], rate: {rate}, delay: 5ms}}]\n\
             traffic: [{{name: p, from: a, to: b, ping: {{count: 10, interval: 10ms}}}}]\n"
        ));
        ended(&simulate(&file, &folder.path(name), &[]));
        folder.path(name)
    };
    let (a, b) = (run("a", "100Mbit/s"), run("b", "1Mbit/s"));
    let compare = |b: &Path, tolerance: &str| {
        let output = Command::new(NETLOOM)
            .args(["compare", a.to_str().unwrap(), b.to_str().unwrap()])
            .args(["--tolerance", tolerance])
            .output()
            .unwrap();
        (output.status.code(), text(&output.stdout))
    };
    assert_eq!(compare(&a, "rtt=0%,goodput=0%").0, Some(0));
    let (code, page) = compare(&b, "rtt=5%");
    assert_eq!(code, Some(5), "{page}");
    assert!(page.contains("outside"), "{page}");
    assert_eq!(compare(&b, "rtt=50%").0, Some(0));
}

/// Two groups of three runs, each in a directory of its own: a link loses a tenth of the packets,
/// and twice as many in the second group.
#[test]
fn groups_of_runs_are_compared_by_their_means_over_a_part() {
    let folder = Folder::new("groups");
    for (group, loss) in [("a", "10%"), ("b", "20%")] {
        fs::create_dir_all(folder.path(group)).unwrap();
        for seed in ["1", "2", "3"] {
            let file = folder.scenario(&format!(
                "name: n\nduration: 4s\nmeasure: {{interval: 100ms}}\ntopology:\n  \
                 nodes: {{a: , b: }}\n  links: [{{name: l, endpoints: [a, b], delay: 5ms, \
                 loss: {loss}}}]\ntraffic:\n  - {{name: t, from: a, to: b, udp: {{}}, \
                 size: 1042B, cbr: {{rate: 8336kbit/s}}, start: 1s, for: 3s}}\n"
            ));
            let results = folder.path(&format!("{group}/{seed}"));
            ended(&simulate(&file, &results, &["--seed", seed]));
        }
    }
    let compare = |arguments: &[&str]| {
        let arguments = [&["compare"], arguments].concat();
        let output = Command::new(NETLOOM).current_dir(folder.path("")).args(arguments).output();
        let output = output.unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let rows = |arguments: &[&str]| {
        let (code, json, why) = compare(&[arguments, &["--format", "json"]].concat());
        assert_eq!(code, Some(0), "{why}");
        let found: Value = serde_json::from_str(&json).unwrap();
        move |what: &str, measure: &str| {
            let rows = found["rows"].as_array().unwrap();
            let row = rows.iter().find(|row| row["what"] == what && row["measure"] == measure);
            row.unwrap_or_else(|| panic!("{measure} of {what}: {found}")).clone()
        }
    };
    let whole = rows(&["a", "b"]);
    let part = rows(&["a/1", "a/2", "a/3", "--with", "b", "--from", "2s", "--to", "3s"]);
    // A thousand packets of 1000 bytes a second, of which a tenth is lost.
    let goodput = part("flow t", "goodput");
    for (side, mean) in [("a", 7.2e6), ("b", 6.4e6)] {
        let found = goodput[side].as_f64().unwrap();
        assert!((found / mean - 1.0).abs() < 0.05, "{goodput}");
        assert!(goodput[&format!("{side}_half")].as_f64().unwrap() < 0.2 * mean, "{goodput}");
    }
    // For a quarter of the whole run, nothing was sent; goodput is over the flow's own time.
    let over_all = whole("flow t", "goodput")["a"].as_f64().unwrap();
    assert!((over_all / 7.2e6 - 1.0).abs() < 0.05, "{over_all}");
    let delay = part("l/forward", "delay_mean");
    assert!((5e6..7e6).contains(&delay["a"].as_f64().unwrap()), "{delay}");
    let (_, page, _) = compare(&["a", "b"]);
    assert!(page.contains('±') && page.contains("95 % confidence interval"), "{page}");
    let (code, _, why) = compare(&["a", "b", "--from", "9s"]);
    assert!(code == Some(2) && why.contains("nothing is between 9s and 4s"), "{why}");
    let (code, _, why) = compare(&["a/1", "b/1", "--to", "1s", "--tolerance", "rtt=1%"]);
    assert!(code == Some(2) && why.contains("`delay` is known of whole runs only"), "{why}");
    let (code, _, why) = compare(&["a/1", "a/2", "b/1"]);
    assert!(code == Some(2) && why.contains("--with"), "{why}");
}

/// A line that is full to the end of `duration` is idle when its queue is empty, before the run
/// ends. Nor is what never left its node a loss, or the delay of a flow without one 0.
#[test]
fn rates_end_with_the_senders() {
    let folder = Folder::new("idle-end");
    let file = folder.scenario(
        "name: n\nduration: 4s\nmeasure: {interval: 100ms}\ntopology:\n  \
         nodes: {a: , b: , c: {routing: none}}\n  links:\n    \
         - {name: l, endpoints: [a, b], rate: 1Mbit/s, delay: 500ms, queue: {limit: 50kB}}\n    \
         - {name: m, endpoints: [b, c]}\ntraffic:\n  \
         - {name: u, from: a, to: b, udp: {}, cbr: {rate: 2Mbit/s}}\n  \
         - {name: refused, from: c, to: a, udp: {port: 9}, cbr: {rate: 1Mbit/s}}\n  \
         - {name: t, from: b, to: a, tcp: {}, bulk: {}}\n",
    );
    let results = folder.path("a");
    ended(&simulate(&file, &results, &[]));
    let of_run = summary(&results)["links"][0]["forward"]["statistics"]["load"].as_f64().unwrap();
    assert!(of_run < 0.95, "the line was not idle at the end: {of_run}");
    let compared = |more: &[&str]| -> Value {
        let runs = [results.to_str().unwrap(), results.to_str().unwrap(), "--format", "json"];
        let output = Command::new(NETLOOM).arg("compare").args(runs).args(more).output().unwrap();
        serde_json::from_str(&text(&output.stdout)).unwrap()
    };
    for more in [&[][..], &["--from", "1s"]] {
        let found = compared(more);
        let rows = found["rows"].as_array().unwrap();
        let value = |what: &str, measure: &str| {
            let row = rows.iter().find(|row| row["what"] == what && row["measure"] == measure);
            row.map(|row| row["a"].as_f64().unwrap())
        };
        let load = value("l/forward", "load").unwrap();
        assert!((0.98..=1.0001).contains(&load), "{more:?}: {load}");
        assert_eq!(value("flow refused", "loss"), Some(0.0), "{more:?}");
        assert_eq!(value("flow t", "delay_mean"), None, "{more:?}");
        let notes = found["notes"].to_string();
        assert!(notes.contains("end with the scenario's `duration`"), "{notes}");
        assert_eq!(notes.contains("not known of a part"), !more.is_empty(), "{notes}");
    }
}
