//! Simulated runs, from the command line.

#[path = "../common/mod.rs"]
mod common;
mod compare;
mod media;
mod merged;
mod processes;
mod rates;
mod spread;
mod sweeps;
mod tcp;

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
        run("both", &["--threads", "7", "--cells", "3"]),
        run("processes", &["--processes", "2"]),
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
fn long_answers_take_longer_behind_heavy_bursts_and_short_ones_hardly() {
    let folder = Folder::new("ppbp-web");
    ended(&simulate(&example("ppbp-web"), &folder.path("results"), &[]));
    let summary = summary(&folder.path("results"));
    let flows = summary["flows"].as_array().unwrap();
    let time = |name: &str| {
        let flow = flows.iter().find(|flow| flow["name"] == name).unwrap();
        flow["transfers"]["mean_ns"].as_f64().unwrap() / 1e6
    };
    // A round trip of 24 ms for the connection and one for the answer.
    assert!((48.0..50.0).contains(&time("light-10k")), "{} ms", time("light-10k"));
    let growth = |size: &str| time(&format!("heavy-{size}")) / time(&format!("light-{size}"));
    assert!(growth("10k") < 1.02, "{}", growth("10k"));
    assert!(growth("1M") > 1.1, "{}", growth("1M"));
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
fn values_that_tcp_cannot_have_are_wrong_before_a_run() {
    let folder = Folder::new("tcp-values");
    let refused = |sysctl: &str, control: &str| {
        let file = folder.scenario(&format!(
            "name: n\ntopology:\n  nodes: {{a: {{sysctls: {{{sysctl}}}}}, b: }}\n  \
             links: [{{endpoints: [a, b]}}]\ntraffic:\n  - {{name: t, from: a, to: b, \
             tcp: {{congestion_control: {control}}}, bulk: {{bytes: 1kB}}}}\n"
        ));
        let refused = simulate(&file, &folder.path("results"), &[]);
        assert_eq!(refused.status.code(), Some(2));
        text(&refused.stderr)
    };
    let why = refused("", "cubik");
    assert!(why.contains("no congestion control `cubik`") && why.contains("vegas"), "{why}");
    let why = refused("net.ipv4.tcp_sack: 7", "cubic");
    assert!(why.contains("node `a`: `net.ipv4.tcp_sack` cannot be `7`"), "{why}");
}

#[test]
fn captures_show_what_passes_and_change_nothing() {
    let folder = Folder::new("captures");
    let scenario = "name: captured\nseed: 3\ntopology:\n  \
                    nodes: { a: , r: { kind: router }, s: { kind: switch }, b: }\n  links:\n    \
                    - { endpoints: [\"a:eth1\", \"r:eth1\"], rate: 1Mbit/s, delay: 5ms,\n        \
                    forward: { loss: 10%, queue: { limit: 5packets } } }\n    \
                    - { endpoints: [\"r:eth2\", s], rate: 10Mbit/s }\n    \
                    - { endpoints: [\"b:eth1\", s], delay: 1ms }\ntraffic:\n  \
                    - { name: data, from: a, to: b, udp: {}, cbr: { rate: 2Mbit/s }, size: 1000B, \
                    for: 1s }\n";
    let captures = "measure: { capture: [{ interface: \"a:eth1\", drops: true }, \"b:eth1\"] }\n";
    let run = |name: &str, captures: &str, more: &[&str]| {
        let file = folder.scenario(&format!("{scenario}{captures}"));
        let results = folder.path(name);
        ended(&simulate(&file, &results, &[&["--frames"], more].concat()));
        results
    };
    let with = run("with", captures, &[]);
    let divided = run("divided", captures, &["--threads", "2", "--cells", "4"]);
    let without = run("without", "", &[]);
    for file in ["frames.nlf", "pipes.parquet", "flows.parquet"] {
        let [with, without] = [&with, &without].map(|one| fs::read(one.join(file)).unwrap());
        assert!(with == without, "{file} depends on captures");
    }
    let files = ["captures/a-eth1.pcapng", "captures/b-eth1.pcapng"];
    for file in files {
        let [one, other] = [&with, &divided].map(|run| fs::read(run.join(file)).unwrap());
        assert!(one == other, "{file} depends on threads");
    }
    let summary = summary(&with);
    let frames = |what: &str| summary["flows"][0][what]["frames"].as_u64().unwrap() as usize;
    let (sent, received) = (frames("sent"), frames("received"));
    let [a, b] = files.map(|file| common::captured(&with.join(file), 1000));
    let passed = |seen: &[(u32, Option<String>)]| seen.iter().filter(|one| one.0 == 0).count();
    assert_eq!((passed(&a), passed(&b)), (sent, received));
    assert_eq!((a.len() - sent, b.len()), (sent - received, received));
    let reasons = |reason: &str| a.iter().filter(|one| one.1.as_deref() == Some(reason)).count();
    assert!(
        reasons("netloom: dropped queue_full") > 0 && reasons("netloom: dropped loss") > 0,
        "{a:?}"
    );
}

#[test]
fn a_router_without_differentiated_services_takes_the_preference_away() {
    let folder = Folder::new("diffserv");
    ended(&simulate(&example("diffserv"), &folder.path("results"), &[]));
    let summary = summary(&folder.path("results"));
    let flows = summary["flows"].as_array().unwrap();
    let figures = |name: &str| {
        let flow = flows.iter().find(|flow| flow["name"] == name).unwrap();
        let frames = |what: &str| flow[what]["frames"].as_f64().unwrap();
        let delay = flow["delay"]["mean_ns"].as_f64().unwrap() / 1e6;
        (delay, 1.0 - frames("received") / frames("sent"))
    };
    for light in ["preferred-light", "other-light"] {
        let (delay, lost) = figures(light);
        assert!((12.0..17.0).contains(&delay) && lost == 0.0, "{light}: {delay} ms, {lost}");
    }
    let [preferred, other] = ["preferred", "other"].map(figures);
    assert!(preferred.0 < 20.0 && preferred.1 == 0.0, "{preferred:?}");
    assert!((100.0..140.0).contains(&other.0) && (0.31..0.36).contains(&other.1), "{other:?}");
    let without = ["preferred-without", "other-without"].map(figures);
    for (delay, lost) in without {
        assert!((45.0..75.0).contains(&delay) && (0.14..0.20).contains(&lost), "{without:?}");
    }
    // The service performance index of README.md.
    let index = |with: f64, without: f64| 0.5 * (without - with) / with;
    assert!(index(preferred.0, without[0].0) > 1.0);
    assert!((-0.4..-0.1).contains(&index(other.0, without[1].0)));
}

#[test]
fn a_route_that_changes_leads_elsewhere() {
    let folder = Folder::new("routes");
    ended(&simulate(&example("route-change"), &folder.path("results"), &[]));
    let summary = summary(&folder.path("results"));
    let flow = |name: &str| &summary["flows"].as_array().unwrap()[usize::from(name != "ping")];
    let ping = flow("ping");
    let frames = |what: &str| ping[what]["frames"].as_i64().unwrap();
    // One each 10 ms, for two seconds in vain.
    assert!((198..=202).contains(&(frames("sent") - frames("received"))), "{ping}");
    let delay = |what: &str| ping["delay"][what].as_u64().unwrap();
    assert!((5_000_000..5_800_000).contains(&delay("min_ns")), "{ping}");
    assert!((7_000_000..7_800_000).contains(&delay("p99_ns")), "{ping}");
    let events = fs::read_to_string(folder.path("results/events.jsonl")).unwrap();
    assert!(events.contains("node r2: no route to 10.1.0.0/24"), "{events}");
    // What comes back after a time is what was there, and what goes is what came.
    let whole = fs::read_to_string(example("route-change")).unwrap();
    let for_a_time = whole
        .replace("route: { remove: 10.1.0.0/24 } }", "route: { remove: 10.1.0.0/24 }, for: 2s }")
        .replace("at: 4s, node: r2, route: { add", "at: 3s, for: 500ms, node: r2, route: { add");
    ended(&simulate(&folder.scenario(&for_a_time), &folder.path("back"), &[]));
    let events = fs::read_to_string(folder.path("back/events.jsonl")).unwrap();
    let changed: Vec<(u64, serde_json::Value, serde_json::Value)> = events
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|event| event["event"] == "route_changed")
        .map(|event| {
            let via = |at: &str| event[at]["via"].clone();
            (event["time"].as_u64().unwrap() / 1_000_000, via("was"), via("is"))
        })
        .collect();
    let (there, other, none) = ("10.23.0.3".into(), "10.12.0.1".into(), serde_json::Value::Null);
    let expected = [
        (2000, &there, &none),
        (3000, &none, &other),
        (3500, &other, &none),
        (4000, &none, &there),
    ];
    assert_eq!(changed, expected.map(|(at, was, is): (u64, _, _)| (at, was.clone(), is.clone())));
    // What is not there cannot go.
    let file = folder.scenario(&whole.replace("remove: 10.1.0.0/24", "remove: 10.9.0.0/24"));
    let failed = simulate(&file, &folder.path("failed"), &[]);
    assert_eq!(failed.status.code(), Some(3));
    assert!(text(&failed.stdout).contains("there is no such route"), "{}", text(&failed.stdout));
}

#[test]
fn routes_follow_what_is_down() {
    let folder = Folder::new("reroute");
    // By r2 there and back 8 ms, by r3 24 ms.
    let yaml = "name: reroute\nduration: 6s\nsimulation: { reroute: 200ms }\ntopology:\n  \
         kinds: { router: { routing: delay } }\n  nodes:\n    \
         { a: , b: , r1: { kind: router }, r2: { kind: router }, r3: { kind: router },\n      \
         r4: { kind: router } }\n  links:\n    \
         - { endpoints: [a, r1], delay: 1ms }\n    - { endpoints: [r4, b], delay: 1ms }\n    \
         - { endpoints: [r1, r2], delay: 1ms }\n    - { endpoints: [r2, r4], delay: 1ms }\n    \
         - { endpoints: [r1, r3], delay: 5ms }\n    - { endpoints: [r3, r4], delay: 5ms }\n\
         timeline:\n  - { at: 1s, link: r1--r2, state: down, for: 1s }\n  \
         - { at: 3s, node: r2, state: failed, for: 1s }\n\
         traffic:\n  - { name: ping, from: a, to: b, ping: { interval: 10ms }, for: 5500ms }\n";
    let file = folder.scenario(yaml);
    let run = |name: &str, more: &[&str]| {
        let results = folder.path(name);
        ended(&simulate(&file, &results, &[&["--frames"], more].concat()));
        results
    };
    let results = run("one", &[]);
    for more in [
        &["--threads", "2"][..],
        &["--cells", "6"],
        &["--threads", "3", "--cells", "3"],
        &["--processes", "2"],
    ] {
        let other = run(&more.concat(), more);
        for file in ["frames.nlf", "flows.parquet", "events.jsonl"] {
            let [a, b] = [&results, &other].map(|results| fs::read(results.join(file)).unwrap());
            assert!(a == b, "{file} differs with {more:?}");
        }
    }
    let lost = |ping: &Value| {
        let frames = |what: &str| ping[what]["frames"].as_i64().unwrap();
        frames("sent") - frames("received")
    };
    let whole = summary(&results);
    let ping = &whole["flows"][0];
    // Twice 200 ms in vain, one each 10 ms; and nothing when a link comes back.
    assert!((38..=44).contains(&lost(ping)), "{ping}");
    assert_eq!(ping["delay"]["min_ns"], 8_000_000);
    assert_eq!(ping["delay"]["max_ns"], 24_000_000);
    let events = fs::read_to_string(results.join("events.jsonl")).unwrap();
    let rerouted: Vec<(u64, Value)> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "rerouted")
        .map(|event| (event["time"].as_u64().unwrap() / 1_000_000, event["down"].clone()))
        .collect();
    let (link, node) = (serde_json::json!(["r1--r2"]), serde_json::json!(["r1--r2", "r2--r4"]));
    let none = serde_json::json!([]);
    assert_eq!(rerouted, [(1200, link), (2200, none.clone()), (3200, node), (4200, none)]);
    let times: Vec<u64> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["time"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted(), "{events}");
    // Without it, nothing gets through while something is down.
    let file = folder.scenario(&yaml.replace("simulation: { reroute: 200ms }\n", ""));
    ended(&simulate(&file, &folder.path("planned"), &[]));
    let planned = summary(&folder.path("planned"));
    assert!((196..=204).contains(&lost(&planned["flows"][0])), "{}", planned["flows"][0]);
}

#[test]
fn a_node_that_fails_sends_nothing_and_is_not_reached() {
    let folder = Folder::new("failures");
    let scenario = |late: &str| {
        folder.scenario(&format!(
            "name: failing\nduration: 4s\ntopology:\n  \
               nodes: {{ a: , r: {{ kind: router }}, b: }}\n  \
               links: [{{ endpoints: [a, r], delay: 1ms }}, {{ endpoints: [r, b], delay: 1ms }}]\n\
             timeline:\n  - {{ at: 1s, node: r, state: failed, for: 500ms }}\n  \
               - {{ at: 2s, node: b, state: failed }}\n  - {{ at: 3s, node: b, state: up }}\n\
             traffic:\n  \
               - {{ name: through, from: a, to: b, ping: {{ interval: 10ms }} }}\n  \
               - {{ name: out, from: b, to: a, udp: {{}}, cbr: {{ rate: 1Mbit/s }} }}\n{late}"
        ))
    };
    ended(&simulate(&scenario(""), &folder.path("results"), &[]));
    let results = summary(&folder.path("results"));
    let frames = |flow: usize, what: &str| results["flows"][flow][what]["frames"].as_u64().unwrap();
    // Through `r` nothing goes for half a second, to `b` for one, and it answers again.
    let lost = frames(0, "sent") - frames(0, "received");
    assert!((149..=151).contains(&lost), "{}", results["flows"][0]);
    // What it sends ends with it: 82.6 frames a second for 2 s, half a second of them in vain.
    assert!((164..=167).contains(&frames(1, "sent")), "{}", results["flows"][1]);
    assert!((122..=126).contains(&frames(1, "received")), "{}", results["flows"][1]);
    let events = fs::read_to_string(folder.path("results/events.jsonl")).unwrap();
    let times = |kind: &str| -> Vec<(u64, String)> {
        let all = events.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        let of_kind = all.filter(|event| event["event"] == kind);
        let shown = of_kind.map(|event| {
            (event["time"].as_u64().unwrap() / 1_000_000, event["node"].as_str().unwrap().into())
        });
        shown.collect()
    };
    assert_eq!(times("node_failed"), [(1000, "r".into()), (2000, "b".into())]);
    assert_eq!(times("node_recovered"), [(1500, "r".into()), (3000, "b".into())]);
    // Nothing begins in a node that has failed, in emulated runs either.
    let late =
        "  - { name: late, from: b, to: a, start: 2500ms, for: 1s, ping: { interval: 10ms } }\n";
    let failed = simulate(&scenario(late), &folder.path("late"), &[]);
    assert_eq!(failed.status.code(), Some(3), "{}", text(&failed.stdout));
    let failures = summary(&folder.path("late"))["failures"].to_string();
    assert!(failures.contains("traffic `late` in `b` could not begin"), "{failures}");
}

/// A fluid in a link of a simulated run: the same to the byte however the network is divided, and
/// events that would leave it where it cannot be are errors before the run.
#[test]
fn a_fluid_runs_in_a_simulation() {
    let folder = Folder::new("fluid");
    let scenario = |second: &str| {
        folder.scenario(&format!(
            "name: fluid\nseed: 4\nduration: 5s\n\
             topology:\n  nodes: {{ a: , r: {{ kind: router }}, b: }}\n  links:\n    \
               - {{ endpoints: [a, r], rate: 100Mbit/s, delay: 2ms }}\n    \
               - name: line\n      endpoints: [r, b]\n      rate: 10Mbit/s\n      \
                 delay: 2ms\n      \
                 queue: {{ limit: 50ms }}\n\
             timeline:\n  \
               - at: 1s\n    link: line\n    set:\n      background:\n        \
                 - {{ as: fluid,\n            \
                   ppbp: {{ load: 90%, bursts: 50, burst: 200ms, hurst: 0.8 }} }}\n  \
               - {{ at: 3s, link: line, set: {second} }}\n\
             traffic:\n  \
               - {{ name: bulk, from: a, to: b, tcp: {{}}, bulk: {{}}, for: 4s }}\n"
        ))
    };
    let file = scenario("{ rate: 5Mbit/s }");
    let run = |name: &str, more: &[&str]| {
        let results = folder.path(name);
        ended(&simulate(&file, &results, &[&["--frames"], more].concat()));
        results
    };
    let one = run("one", &[]);
    let others = [run("threads", &["--threads", "2", "--cells", "3"])];
    let others = others.into_iter().chain([run("processes", &["--processes", "2"])]);
    for (other, name) in others.flat_map(|other| {
        ["frames.nlf", "pipes.parquet", "flows.parquet"].map(|name| (other.clone(), name))
    }) {
        assert!(fs::read(one.join(name)).unwrap() == fs::read(other.join(name)).unwrap(), "{name}");
    }
    let forward = &summary(&one)["links"][1]["forward"]["statistics"];
    let of = |what: &str| forward["background"][what]["bytes"].as_u64().unwrap();
    assert!(of("offered") > 1_000_000, "{forward}");
    assert_eq!(of("offered"), of("delivered") + of("dropped") + of("queued"));
    assert!(forward["delivered"]["frames"].as_u64().unwrap() > 500, "{forward}");

    // What comes back is known in the simulation only.
    let file = scenario("{ burst: 9kB }, for: 500ms");
    let output = simulate(&file, &folder.path("refused"), &[]);
    assert!(!output.status.success());
    let words = text(&output.stderr);
    assert!(words.contains("timeline, at 3s: the background of line/forward cannot be"), "{words}");
    assert!(words.contains("fluid needs a line without `burst`, not one of 9kB"), "{words}");
}

/// `trace` uses the times and lengths of the frames of a capture.
#[test]
fn a_capture_is_a_trace_to_the_nanosecond() {
    let folder = Folder::new("trace");
    let scenario = folder.scenario(
        "name: trace
topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }
traffic: [{ name: day, from: a, to: b, udp: {}, trace: { file: day.pcap, stretch: 2 } }]
measure: { frames: true }
",
    );
    // Nanoseconds, Ethernet; two frames, cut after 4 bytes.
    let mut capture = [0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0].to_vec();
    for word in [0u32, 0, 65_535, 1, 9, 999_999_000, 4, 1000, 0, 10, 1001, 4, 200, 0] {
        capture.extend(word.to_le_bytes());
    }
    fs::write(folder.path("day.pcap"), capture).unwrap();
    ended(&simulate(&scenario, &folder.path("results"), &[]));
    let frames = folder.path("results/frames.nlf");
    let printed = Command::new(NETLOOM).args(["frames", "--csv", "-"]).arg(frames).output();
    let printed = text(&printed.unwrap().stdout);
    let offered: Vec<(&str, &str)> = printed
        .lines()
        .filter(|line| line.contains(",offered,"))
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (cells[0], cells[6]))
        .collect();
    assert_eq!(offered, [("0", "1000"), ("4002", "200")], "{printed}");

    fs::write(folder.path("day.pcap"), [0x4d, 0x3c, 0xb2, 0xa1, 2]).unwrap();
    let output = simulate(&scenario, &folder.path("none"), &[]);
    let words = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("was not written to its end") && words.contains(":3:"), "{words}");
}
