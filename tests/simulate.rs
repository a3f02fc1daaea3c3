//! Simulated runs, from the command line.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{NETLOOM, text};
use serde_json::Value;

/// A folder of this test's own, gone with it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("netloom-simulate-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a scenario; its file.
    fn scenario(&self, yaml: &str) -> PathBuf {
        let file = self.path("netloom.yaml");
        fs::write(&file, yaml).unwrap();
        file
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name).join("netloom.yaml")
}

fn simulate(file: &Path, results: &Path, more: &[&str]) -> Output {
    Command::new(NETLOOM)
        .args(["run", "--simulate", "-t", file.to_str().unwrap()])
        .args(["-o", results.to_str().unwrap()])
        .args(more)
        .output()
        .unwrap()
}

fn summary(results: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap()
}

fn ended(output: &Output) {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn a_simulation_is_valid_and_the_same_to_the_byte() {
    let folder = Folder::new("same");
    let run = |name: &str, more: &[&str]| {
        let results = folder.path(name);
        ended(&simulate(&example("two-arms"), &results, &[&["--frames"], more].concat()));
        results
    };
    let (a, b, other) = (run("a", &[]), run("b", &[]), run("other", &["--seed", "8"]));
    let divided = [
        run("threads", &["--threads", "2"]),
        run("cells", &["--cells", "64"]),
        run("both", &["--threads", "3", "--cells", "2"]),
    ];
    for file in ["frames.nlf", "pipes.parquet", "flows.parquet", "events.jsonl"] {
        let [a, b, other] = [&a, &b, &other].map(|results| fs::read(results.join(file)).unwrap());
        assert!(a == b, "{file} differs");
        for results in &divided {
            assert!(a == fs::read(results.join(file)).unwrap(), "{file} in {results:?} differs");
        }
        assert!(a != other || file == "events.jsonl", "{file} does not depend on the seed");
    }
    let summary = summary(&a);
    assert_eq!(summary["mode"], "simulation");
    assert_eq!(summary["verdict"]["judgement"], "valid");
    assert_eq!(summary.get("timing"), None, "there was no clock");
    let coverage = summary["verdict"]["coverage"].as_array().unwrap();
    let why = "virtual time: the machine cannot show";
    assert!(coverage.iter().all(|signal| signal["probes"][0] == why));
    let ping = &summary["flows"][0];
    assert_eq!((ping["name"].as_str(), ping["sent"]["frames"].as_u64()), (Some("ping"), Some(100)));
    let received = ping["received"]["frames"].as_u64().unwrap();
    assert!((80..100).contains(&received), "{received} of 100 come through 1 % of loss and a cut");
    assert!(ping["delay"]["max_ns"].as_u64().unwrap() > 80_000_000);
    let page = fs::read_to_string(a.join("report.html")).unwrap();
    assert!(page.contains("class=\"curve delivered\""), "no curves");
}

#[test]
fn the_campus_has_all_kinds_of_traffic() {
    let folder = Folder::new("campus");
    ended(&simulate(&example("campus-sim"), &folder.path("results"), &[]));
    let summary = summary(&folder.path("results"));
    let flows = summary["flows"].as_array().unwrap();
    let flow = |name: &str| flows.iter().find(|flow| flow["name"] == name).unwrap();
    assert_eq!(flows.len(), 12 + 12 + 2);
    // Two links of 20 µs in the LAN, one at the server, and the time on the lines.
    let near = flow("ping/h11")["delay"]["min_ns"].as_u64().unwrap();
    assert!((120_000..200_000).contains(&near), "{near} ns");
    let backup = flow("backup");
    assert_eq!(backup["received"]["bytes"], 20_000_000);
    let completed = backup["completed"].as_u64().unwrap();
    // At 50 Mbit/s, 20 MB take 3.2 s and more.
    assert!((4_200_000_000..10_000_000_000).contains(&completed), "{completed} ns");
    assert_eq!(flow("sync")["tcp"]["connections"], 2);
    assert!(flow("sync")["received"]["bytes"].as_u64().unwrap() > 1_000_000);
}

#[test]
fn a_thousand_nodes_send_to_each_other() {
    let folder = Folder::new("thousand");
    let whole = fs::read_to_string(example("thousand")).unwrap();
    let file = folder.scenario(&whole.replacen("duration: 10s", "duration: 50ms", 1));
    let results = folder.path("results");
    ended(&simulate(&file, &results, &["--threads", "2"]));
    let summary = summary(&results);
    let flows = summary["flows"].as_array().unwrap();
    assert_eq!(flows.len(), 1000);
    let sends = |flow: &&Value| flow["received"]["bytes"].as_u64().unwrap() > 0;
    // In 50 ms the farthest have not yet had their handshake.
    assert!(flows.iter().filter(sends).count() > 500);
    assert!(results.join("report.html").is_file());
}

#[test]
fn what_fails_comes_back_at_the_times_of_the_seed() {
    let folder = Folder::new("fails");
    let file = folder.scenario(
        "name: fails\nseed: 3\nduration: 20s\ntopology:\n  nodes: { a: , b: }\n  links:\n    \
         - { name: uplink, endpoints: [a, b], delay: 10ms }\ntimeline:\n  \
         - { at: 1s, link: uplink, set: { delay: 20ms }, for: 1s }\n  \
         - { at: 3s, every: 2s, times: 2, node: b, state: down, for: 1s }\n  \
         - { at: 8s, link: uplink, until: 18s,\n      \
             fails: { after: { exponential: 2s }, for: { exponential: 500ms } } }\n\
         traffic:\n  - { name: ping, from: a, to: b, ping: { interval: 100ms } }\n",
    );
    let results = folder.path("results");
    ended(&simulate(&file, &results, &[]));
    let first = summary(&results);
    let of = |summary: &Value, key: &str| -> Vec<u64> {
        let events = summary["timeline"].as_array().unwrap().iter();
        events.map(|event| event[key].as_u64().unwrap()).collect()
    };
    let happened = of(&first, "happened");
    assert_eq!(happened, of(&first, "planned"));
    let in_ms: Vec<u64> = happened[..6].iter().map(|at| at / 1_000_000).collect();
    assert_eq!(in_ms, [1000, 2000, 3000, 4000, 5000, 6000]);
    let failures = &happened[6..];
    assert!(failures.len() >= 4 && failures.len() % 2 == 0, "{failures:?}");
    let down: u64 = failures.chunks(2).map(|pair| pair[1] - pair[0]).sum();
    // 10 pings a second, and none while something is down.
    let flow = &first["flows"][0];
    let lost =
        flow["sent"]["frames"].as_u64().unwrap() - flow["received"]["frames"].as_u64().unwrap();
    let expected = 20 + down / 100_000_000;
    assert!(lost.abs_diff(expected) <= 2 + failures.len() as u64, "{lost} lost, {expected} meant");
    let delay = &flow["delay"];
    assert_eq!(
        (delay["min_ns"].as_u64(), delay["max_ns"].as_u64()),
        (Some(20_000_000), Some(40_000_000))
    );
    ended(&simulate(&file, &folder.path("other"), &["--seed", "4"]));
    assert_ne!(of(&summary(&folder.path("other")), "happened")[6..], happened[6..]);
}

#[test]
fn commands_are_named_and_can_be_left_out() {
    let folder = Folder::new("commands");
    let refused = simulate(&example("abilene"), &folder.path("no"), &[]);
    assert_eq!(refused.status.code(), Some(2));
    let message = text(&refused.stderr);
    for named in ["process `frr` in 11 nodes", "traceroute", "--without-commands"] {
        assert!(message.contains(named), "{named} is not in {message}");
    }
    assert!(!folder.path("no").exists(), "nothing was done");
    let output = simulate(&example("abilene"), &folder.path("yes"), &["--without-commands"]);
    ended(&output);
    assert!(text(&output.stderr).contains("left out"));
    let summary = summary(&folder.path("yes"));
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("which waits for `flow`"), "{warnings}");
    let unmodelled = summary["simulation"]["not_modelled"].to_string();
    assert!(unmodelled.contains("routing daemon of `denver`"), "{unmodelled}");
}

#[test]
fn what_needs_the_machine_is_an_error() {
    let folder = Folder::new("machine");
    let file = folder.scenario(
        "name: n\ntopology:\n  nodes: {a: {limits: {memory: 64MiB}}, b: }\n  \
         links: [{endpoints: [a, b]}]\n",
    );
    let refused = simulate(&file, &folder.path("results"), &[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("limits of node `a`"), "{}", text(&refused.stderr));
}

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

#[test]
fn ipv6_of_the_scenario_is_simulated_only() {
    let output = Command::new(NETLOOM)
        .args(["run", "-t", example("two-arms").to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("because of IPv6") && message.contains("--simulate"), "{message}");
}
