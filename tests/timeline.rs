//! The timeline of a run: its events happen whatever nodes and clients do, and an event that did
//! not happen is a failure and appears in the verdict.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Lab, NETLOOM, eventually, kill, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// How many events the timelines here have.
const EVENTS: usize = 14;

/// Two nodes, a link whose delay changes every 200 ms from 1 s on, and these lines more.
fn lab(rest: &str) -> Lab {
    let events: String = (0..EVENTS)
        .map(|n| {
            let (at, delay) = (1000 + 200 * n, 11 + n);
            format!("  - {{ at: {at}ms, link: a--b, set: {{ delay: {delay}ms }} }}\n")
        })
        .collect();
    Lab::new(&format!(
        "topology:\n  nodes: {{ a: , b: }}\n  links: [{{ endpoints: [a, b], delay: 10ms }}]\n\
         {rest}timeline:\n{events}"
    ))
}

fn run(lab: &Lab) -> Child {
    let mut command = lab.command(&["run", "-o", "results"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn summary(lab: &Lab) -> Value {
    let text = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// How often the timeline has changed the link, by the events of the run.
fn changes(results: &Path) -> usize {
    let events = fs::read_to_string(results.join("events.jsonl")).unwrap();
    events.lines().filter(|line| line.contains(r#""event":"changed""#)).count()
}

/// The init process of the node `a` of a lab: a child of its engine.
fn init_of_a(lab: &Lab) -> i32 {
    let of_lab = |pid: &str| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let names = [format!("NETLOOM_EXPERIMENT={}", lab.name), "NETLOOM_NODE=a".into()];
        let named = |name: &String| environment.split(|b| *b == 0).any(|v| v == name.as_bytes());
        names.iter().all(named) && text(&words).contains("__init")
    };
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let mut found = processes.filter_map(|name| Some(name.to_str()?.to_string()));
    found.find(|name| name.parse::<i32>().is_ok() && of_lab(name)).unwrap().parse().unwrap()
}

/// A stopped process goes on when the test ends, however it ends.
struct Stopped(i32);

impl Stopped {
    fn stop(pid: i32) -> Self {
        kill(pid, Signal::SIGSTOP);
        Self(pid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may have been killed meanwhile.
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(self.0), Signal::SIGCONT);
    }
}

/// `netloom` with a limit of a minute, for what may wait for ever.
fn in_a_minute(lab: &Lab, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new("timeout");
    command.args(["60", NETLOOM]).args(arguments).current_dir(&lab.directory);
    command.stdin(Stdio::null()).output().unwrap()
}

/// A start is an event: what runs long after its time is late for the verdict, too, and not only
/// in a warning. What counts is when the process ran.
#[test]
fn a_process_that_its_node_starts_late_is_a_late_event() {
    let late = "{ name: late, node: a, command: 'true', start: 3s }";
    let lab = lab(&format!("duration: 6s\nprocesses:\n  - {late}\n"));
    let run = run(&lab);
    eventually("the run has begun", || lab.path("results/events.jsonl").exists());
    eventually("commands run in a", || lab.try_sh("a", "true").0 == 0);
    let stopped = Stopped::stop(init_of_a(&lab));
    eventually("the last change", || changes(&lab.path("results")) == EVENTS);
    drop(stopped);
    let output = run.wait_with_output().unwrap();
    let summary = summary(&lab);
    let verdict = &summary["verdict"];
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_ne!(verdict["judgement"], "valid", "{said}");
    let latest = verdict["bound"]["timeline"]["latest"].as_str().unwrap();
    let number: f64 = latest.trim_end_matches(|c: char| c.is_alphabetic()).parse().unwrap();
    let millis = match latest {
        micros if micros.ends_with("us") => number / 1000.0,
        millis if millis.ends_with("ms") => number,
        _ => number * 1000.0,
    };
    // The last change is due at 3.6 s, and the process was due at 3 s.
    assert!(millis >= 590.0, "{latest}: {verdict}");
    assert!(said.contains("the node was slow to start it"), "{said}");
}

#[test]
fn a_node_that_stands_still_holds_up_neither_timeline_nor_api() {
    let lab = lab("duration: 5s\n");
    let run = run(&lab);
    eventually("the run has begun", || lab.path("results/events.jsonl").exists());
    let a = format!("a@{}", lab.name);
    let exec = || {
        let mut command = lab.command(&["exec", &a, "--", "sh", "-c", "echo up; exec sleep 1000"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    eventually("commands run in a", || lab.try_sh("a", "true").0 == 0);
    let mut clients: Vec<Child> = (0..6).map(|_| exec()).collect();
    for client in &mut clients {
        use std::io::Read;
        client.stdout.as_mut().unwrap().read_exact(&mut [0; 3]).unwrap();
    }
    // Their clients vanish, so the engine has signals for a node that does not take them.
    let stopped = Stopped::stop(init_of_a(&lab));
    for client in &mut clients {
        client.kill().unwrap();
        client.wait().unwrap();
    }
    let others = in_a_minute(&lab, &["exec", &format!("b@{}", lab.name), "--", "echo", "hi"]);
    assert_eq!(text(&others.stdout), "hi\n", "{}", text(&others.stderr));
    assert!(in_a_minute(&lab, &["inspect", &lab.name]).status.success());
    let output = run.wait_with_output().unwrap();
    drop(stopped);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(changes(&lab.path("results")), EVENTS);
    let timeline = summary(&lab)["timeline"].as_array().unwrap().clone();
    assert_eq!(timeline.len(), EVENTS);
    for event in &timeline {
        let (planned, happened) = (event["planned"].as_u64(), event["happened"].as_u64());
        assert!(happened.unwrap() >= planned.unwrap(), "{event}");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn an_experiment_with_a_node_that_stands_still_is_destroyed() {
    let lab = lab("");
    lab.ok(&["deploy"]);
    assert_eq!(lab.sh("a", "echo up"), "up\n");
    let stopped = Stopped::stop(init_of_a(&lab));
    let waiting = lab.command(&["exec", &format!("a@{}", lab.name), "--", "true"]);
    let mut waiting = { waiting }.stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let destroyed = in_a_minute(&lab, &["destroy", &lab.name]);
    assert!(destroyed.status.success(), "{}", text(&destroyed.stderr));
    drop(stopped);
    assert!(!waiting.wait().unwrap().success());
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn what_never_happened_fails_the_run() {
    let lab = Lab::new(
        "duration: 2s\n\
         topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n\
         processes:\n  \
         - { name: long, node: a, command: sleep 1000, background: true }\n  \
         - { name: late, node: b, command: 'true', start: { after: long, when: done } }\n\
         timeline:\n  \
         - { at: { after: long, when: done }, link: a--b, set: { delay: 5ms } }\n",
    );
    let output = lab.netloom(&["run", "-o", "results"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    let summary = summary(&lab);
    assert_eq!(summary["success"], false);
    let failures = summary["failures"].to_string();
    let event = "it never happened: `long` was not done when the run ended";
    assert!(failures.contains(event), "{failures}");
    assert!(failures.contains("`late` in `b` was not started"), "{failures}");
    assert_eq!(summary["timeline"][0]["happened"], Value::Null);
}

#[test]
fn what_was_due_while_the_engine_stood_still_is_in_the_verdict() {
    let lab = lab("duration: 4s\n");
    let run = run(&lab);
    eventually("the timeline is under way", || {
        let results = lab.path("results");
        results.join("events.jsonl").exists() && changes(&results) > 0
    });
    let stopped = Stopped::stop(lab.engine_pid());
    // Between two events lie 200 ms.
    std::thread::sleep(Duration::from_millis(500));
    drop(stopped);
    assert!(run.wait_with_output().unwrap().status.success());
    let summary = summary(&lab);
    assert_eq!(summary["timeline"].as_array().unwrap().len(), EVENTS);
    assert_eq!(summary["verdict"]["judgement"], "invalid");
    let findings = summary["verdict"]["findings"].as_array().unwrap();
    let late = findings.iter().find(|finding| finding["signal"] == "timeline").unwrap();
    assert!(late["why"].as_str().unwrap().starts_with("timeline on events: "), "{late}");
}

/// Recurring, temporary and random events happen in order, each with its time.
#[test]
fn events_recur_and_are_taken_back() {
    let lab = Lab::new(
        "seed: 2\nduration: 4s\ntopology:\n  nodes: { a: , b: }\n  \
         links: [{ name: up, endpoints: [a, b], delay: 10ms }]\ntimeline:\n  \
         - { at: 500ms, every: 1s, times: 2, link: up, set: { delay: 20ms }, for: 500ms }\n  \
         - { at: 3s, link: up, until: 3600ms, fails: { after: 200ms, for: 100ms } }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let summary = summary(&lab);
    let events = summary["timeline"].as_array().unwrap();
    let planned = events.iter().map(|event| event["planned"].as_u64().unwrap());
    let begun = events[0]["planned"].as_u64().unwrap();
    let planned: Vec<u64> = planned.map(|at| (at - begun) / 1_000_000).collect();
    assert_eq!(planned, [0, 500, 1000, 1500, 2700, 2800, 3000, 3100]);
    assert!(events.iter().all(|event| event["happened"].is_u64()), "{events:?}");
    assert_eq!(changes(&lab.path("results")), events.len());
    let link = &summary["links"][0]["forward"]["config"];
    assert_eq!((&link["delay"], &link["state"]), (&"10ms".into(), &"up".into()));
}

#[test]
fn a_route_of_a_node_comes_and_goes() {
    let lab = Lab::new(
        "duration: 7s\ntopology:\n  nodes:\n    \
             a: { interfaces: { eth1: { ipv4: 10.0.0.1/24 } } }\n    \
             r: { kind: router, interfaces: { eth1: { ipv4: 10.0.0.2/24 } } }\n    b:\n  \
           links: [{ endpoints: [\"a:eth1\", \"r:eth1\"] }, { endpoints: [r, b] }]\ntimeline:\n  \
           - { at: 1s, node: a, route: { replace: { to: 0.0.0.0/0, via: 10.0.0.200, \
               interface: eth1 } } }\n  \
           - { at: 2s, node: a, run: ip route get 10.9.9.9 }\n  \
           - { at: 4s, node: a, route: { remove: 0.0.0.0/0 } }\n  \
           - { at: 4s, node: a, route: { add: { to: 10.9.0.0/16, interface: eth1 } } }\n  \
           - { at: 5s, node: a, run: ip route get 10.9.9.9 }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let summary = summary(&lab);
    let timeline = summary["timeline"].as_array().unwrap();
    assert!(timeline.iter().all(|event| event["happened"].is_u64()), "{timeline:?}");
    let events = fs::read_to_string(lab.path("results/events.jsonl")).unwrap();
    let gets: Vec<Value> = events
        .lines()
        .filter(|line| line.contains("command_ended"))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let outputs: Vec<&str> = gets.iter().map(|event| event["output"].as_str().unwrap()).collect();
    assert!(outputs[0].contains("via 10.0.0.200"), "{outputs:?}");
    assert!(outputs[1].contains("10.9.9.9 dev eth1"), "{outputs:?}");
}

#[test]
fn a_route_that_is_not_there_fails_the_run() {
    let lab = Lab::new(
        "duration: 500ms\ntopology:\n  nodes: { a: , b: }\n  links: [{ endpoints: [a, b] }]\n\
         timeline:\n  - { at: 100ms, node: a, route: { remove: 10.77.0.0/24 } }\n",
    );
    let output = lab.netloom(&["run", "-o", "results"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    let said = text(&output.stdout);
    assert!(said.contains("route to 10.77.0.0/24: there is none"), "{said}");
}

#[test]
fn a_route_that_changes_for_a_time_comes_back() {
    let lab = Lab::new(
        "duration: 9s\ntopology:\n  nodes:\n    \
             a: { interfaces: { eth1: { ipv4: 10.0.0.1/24, ipv6: \"fd00:1::1/64\" } },\n      \
                  startup: [ip route add 10.7.0.0/16 nexthop via 10.0.0.2 weight 2 nexthop \
                         via 10.0.0.3],\n      \
                  routes: [{ to: 10.8.0.0/16, via: 10.0.0.2, metric: 5 },\n        \
                           { to: \"fd00:8::/48\", via: \"fd00:1::2\" }] }\n    \
             b: { interfaces: { eth1: { ipv4: 10.0.0.2/24, ipv6: \"fd00:1::2/64\" } } }\n  \
           links: [{ endpoints: [\"a:eth1\", \"b:eth1\"] }]\ntimeline:\n  \
           - { at: 1s, for: 6s, node: a, route: { remove: 10.8.0.0/16 } }\n  \
           - { at: 1s, for: 6s, node: a, route: { remove: 10.7.0.0/16 } }\n  \
           - { at: 1s, for: 6s, node: a, route: { remove: \"fd00:8::/48\" } }\n  \
           - { at: 1s, for: 6s, node: a, \
               route: { add: { to: 10.9.0.0/16, interface: eth1 } } }\n  \
           - { at: 1500ms, for: 3s, node: a, \
               route: { replace: { to: 10.9.0.0/16, via: 10.0.0.2 } } }\n  \
           - { at: 2s, node: a, run: \"ip route; ip -6 route\" }\n  \
           - { at: 6s, node: a, run: \"ip route; ip -6 route\" }\n  \
           - { at: 8s, node: a, run: \"ip route; ip -6 route\" }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let events = fs::read_to_string(lab.path("results/events.jsonl")).unwrap();
    let events: Vec<Value> = events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    let tables: Vec<&str> =
        of("command_ended").iter().map(|event| event["output"].as_str().unwrap()).collect();
    let ways = ["10.8.0.0/16 via 10.0.0.2", "10.7.0.0/16", "fd00:8::/48 via fd00:1::2"];
    let expected = [
        [false, false, false, true, false],
        [false, false, false, false, true],
        [true, true, true, false, false],
    ];
    for (table, expected) in tables.iter().zip(expected) {
        let replaced = ["10.9.0.0/16 via 10.0.0.2", "10.9.0.0/16 dev eth1"];
        let found: Vec<bool> =
            ways.into_iter().chain(replaced).map(|w| table.contains(w)).collect();
        assert_eq!(found, expected, "{table}");
    }
    assert!(tables[2].contains("metric 5"), "{}", tables[2]);
    assert!(tables[2].contains("weight 2") && tables[2].contains("10.0.0.3"), "{}", tables[2]);
    let changed = of("route_changed");
    assert_eq!(changed.len(), 10, "{changed:?}");
    let route = |to: &str, at: &str| {
        let of = changed.iter().filter(|one| one[at]["to"] == to);
        of.map(|one| (one["was"].clone(), one["is"].clone())).collect::<Vec<_>>()
    };
    let gone = route("10.8.0.0/16", "was");
    let there = serde_json::json!({
        "to": "10.8.0.0/16", "via": "10.0.0.2", "interface": "eth1", "metric": 5
    });
    assert_eq!(gone, [(there.clone(), Value::Null)]);
    assert_eq!(route("10.8.0.0/16", "is"), [(Value::Null, there)]);
}

#[test]
fn a_node_that_fails_loses_its_processes_and_has_its_services_again() {
    let lab = Lab::new(
        "topology:\n  nodes:\n    a:\n    b:\n      services: [web]\n      \
               startup: [ip address add 192.0.2.9/32 dev lo]\n  links: [{ endpoints: [a, b] }]\n\
         processes:\n  \
           - { name: victim, node: b, command: sleep 1000 }\n  \
           - { name: other, node: a, command: sleep 6 }\n\
         traffic:\n  - { name: sent, from: b, to: a, udp: {}, cbr: { rate: 1Mbit/s }, for: 9s }\n\
         timeline:\n  \
           - { at: 500ms, node: a, run: curl -4 -sS -m 5 http://b/ }\n  \
           - { at: 1s, node: b, state: failed, for: 1500ms }\n  \
           - { at: 1500ms, node: a, run: \"! curl -4 -sS -m 0.5 http://b/\" }\n  \
           - { at: 5s, node: a, run: curl -4 -sS -m 5 --retry 30 --retry-delay 1 \
               --retry-connrefused http://b/ }\n  \
           - { at: 5s, node: b, run: \"! pidof sleep\" }\n  \
           - { at: 5s, node: b, run: ip address show dev lo | grep -w 192.0.2.9 }\n",
    );
    lab.ok(&["run", "-o", "results"]);
    let events = fs::read_to_string(lab.path("results/events.jsonl")).unwrap();
    let events: Vec<Value> = events.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let of = |kind: &str| events.iter().filter(|event| event["event"] == kind).collect::<Vec<_>>();
    let times = |kind: &str| -> Vec<i64> {
        of(kind).iter().map(|event| event["time"].as_i64().unwrap()).collect()
    };
    let ready = times("service_ready");
    let (failed, recovered) = (times("node_failed"), times("node_recovered"));
    assert_eq!((failed.len(), recovered.len(), ready.len()), (1, 1, 2), "{events:?}");
    assert!(ready[0] < 0 && 0 < failed[0] && failed[0] < recovered[0] && recovered[0] < ready[1]);
    let ended = of("process_ended");
    let ended = |process: &str| ended.iter().find(|event| event["process"] == process).unwrap();
    assert_eq!(
        (ended("victim")["code"].as_i64(), &ended("victim")["node"]),
        (Some(137), &"b".into())
    );
    assert_eq!(ended("sent.sender")["code"], 137);
    // What was asked for is no failure, and what is missing for it is said.
    let warned =
        of("warning").iter().any(|event| event["message"].to_string().contains("with its node"));
    assert!(warned, "{events:?}");
}

#[test]
fn nothing_runs_in_a_node_that_has_failed() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: , b: }\n  links: [{ endpoints: [a, b] }]\n\
         processes: [{ name: late, node: a, command: \"true\", start: 600ms }]\n\
         timeline:\n  - { at: 300ms, node: a, state: failed }\n  \
           - { at: 600ms, node: a, run: \"true\" }\n  \
           - { at: 900ms, node: a, state: up }\n  - { at: 1200ms, node: a, run: \"true\" }\n",
    );
    let output = lab.netloom(&["run", "-o", "results"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    let failures = summary(&lab)["failures"].as_array().unwrap().clone();
    assert_eq!(failures.len(), 2, "{failures:?}");
    for failure in failures {
        assert!(
            failure.to_string().contains("node `a` has failed: nothing runs in it"),
            "{failure}"
        );
    }
    let timeline = summary(&lab)["timeline"].clone();
    assert!(timeline[3]["failure"].is_null() && timeline[3]["happened"].is_u64(), "{timeline}");
}
