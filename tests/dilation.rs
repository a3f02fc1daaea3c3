//! Experiments whose time passes more slowly, or faster, than the machine's.

mod common;

use std::time::Instant;

use common::{Lab, text};
use netloom_nodes::own_kernel;

/// Two nodes with kernels of their own, and a router between them on the machine's.
const NETWORK: &str = "topology:
  nodes:
    a: { kernel: own, limits: { memory: 64MiB } }
    r: { kind: router }
    b: { kernel: own, limits: { memory: 64MiB } }
  links:
    - { name: left, endpoints: [a, r], delay: 4ms }
    - { name: right, endpoints: [r, b], delay: 6ms }
";

/// Whether this machine has such kernels; a test is left out otherwise, and says so.
fn has_kernels() -> bool {
    let missing = own_kernel::check();
    if let Err(why) = &missing {
        println!("skipped: {why}");
    }
    missing.is_ok()
}

/// Returns the output of a shell command as numbers.
fn numbers(lab: &Lab, node: &str, command: &str) -> Vec<f64> {
    let printed = lab.sh(node, command);
    printed.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

/// Seconds of a node's two clocks in which it sleeps for one of the experiment's seconds.
const SLEEP: &str =
    "now() { date +%s.%N; read up idle < /proc/uptime; echo $up; }; now; sleep 1; now";

fn slept(lab: &Lab) -> ([f64; 2], f64) {
    let began = Instant::now();
    let times = numbers(lab, "a", SLEEP);
    let took = began.elapsed().as_secs_f64();
    ([times[2] - times[0], times[3] - times[1]], took)
}

#[test]
fn a_slow_kernel_believes_its_clock() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(NETWORK);
    lab.ok(&["deploy", "--dilation", "5"]);
    let (seconds, took) = slept(&lab);
    for seconds in seconds {
        // However busy the machine is, its own time passes as fast as five of these.
        assert!(seconds >= 0.98 && 5.0 * seconds < took + 0.1, "{seconds} s in {took} s");
    }
    assert!(took >= 4.9, "{took}");
    let began = Instant::now();
    let pings = lab.sh("a", "ping -n -c 3 -i 0.2 b");
    assert!(began.elapsed().as_secs_f64() >= 5.0 * 0.4, "{:?}", began.elapsed());
    let times: Vec<f64> = pings
        .split("time=")
        .skip(1)
        .map(|time| time.split(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(times.len() == 3 && times.iter().all(|time| *time >= 20.0), "{pings}");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_fast_experiment_is_over_before_its_time() {
    if !has_kernels() {
        return;
    }
    // Without a link whose frames would have to be in time.
    let lab = Lab::new(
        "time: { dilation: 0.25 }\n\
         topology: { nodes: { a: { kernel: own, limits: { memory: 64MiB } } } }\n\
         duration: 60s\n\
         processes: [{ name: sleep, node: a, command: [sh, -c, 'sleep 40; date'] }]\n",
    );
    let began = Instant::now();
    lab.ok(&["run", "-o", "results"]);
    let took = began.elapsed().as_secs_f64();
    let summary = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["dilation"], 0.25);
    let ended = summary["ended"].as_u64().unwrap() as f64 / 1e9;
    assert!(ended >= 60.0 && ended / 4.0 < took, "{ended} s in {took} s");
    assert!(!std::fs::read(lab.path("results/processes/sleep@a.stdout")).unwrap().is_empty());
}

#[test]
fn a_kernel_that_starts_anew_is_as_slow_as_before() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(&format!(
        "{NETWORK}processes:
  - name: after
    node: a
    command: [sh, -c, 'for i in 1 2 3 4 5 6 7 8 9 10; do true & done; wait; {SLEEP}']
    start: 3s
timeline:
  - {{ at: 0s, node: a, state: failed }}
  - {{ at: 500ms, node: a, state: up }}
"
    ));
    lab.ok(&["run", "--dilation", "4", "-o", "results"]);
    let times = std::fs::read_to_string(lab.path("results/processes/after@a.stdout")).unwrap();
    let times: Vec<f64> = times.split_whitespace().map(|time| time.parse().unwrap()).collect();
    let events = std::fs::read_to_string(lab.path("results/events.jsonl")).unwrap();
    let lived: Vec<f64> = events
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|event| event.to_string().contains("\"after\""))
        .map(|event| event["time"].as_u64().unwrap() as f64 / 1e9)
        .collect();
    // By the experiment's clock, it has lived for as long as by its own, or longer.
    let (own, all) = (times[2] - times[0], lived.last().unwrap() - lived[0]);
    assert!(own >= 0.98 && own < all + 0.1, "{own} s of {all} s: {events}");
}

#[test]
fn traffic_of_slow_kernels_is_timed_by_the_experiments_clock() {
    if !has_kernels() {
        return;
    }
    let lab = Lab::new(&format!(
        "{NETWORK}traffic:
  - {{ name: load, from: a, to: b, udp: {{}}, cbr: {{ rate: 80kbit/s }}, size: 100B, for: 3s }}
"
    ));
    for dilation in ["1", "5"] {
        let results = format!("results{dilation}");
        lab.ok(&["run", "--dilation", dilation, "-o", &results]);
        let read = |file: &str| {
            let file = lab.path(&format!("{results}/processes/{file}.stdout"));
            let text = std::fs::read_to_string(file).unwrap();
            serde_json::from_str::<serde_json::Value>(text.lines().last().unwrap()).unwrap()
        };
        let received = read("load.receiver@b");
        let intervals = received["flows"]["0"].as_object().unwrap();
        for interval in intervals.values() {
            let number = |key: &str| interval[key].as_u64().unwrap() as f64;
            let mean = number("delay_sum") / number("packets") / 1e6;
            // 10 ms over the links; less only by as much as the clocks are known. A busy machine
            // adds to it, and nobody can say how much.
            assert!(mean > 9.5, "{mean} ms at a dilation of {dilation}: {received}");
        }
        let best = intervals.values().map(|interval| {
            interval["delay_sum"].as_f64().unwrap() / interval["packets"].as_f64().unwrap() / 1e6
        });
        let best = best.fold(f64::INFINITY, f64::min);
        assert!(best < 1000.0, "{best} ms at a dilation of {dilation}: {received}");
    }
}

#[test]
fn programs_on_the_machines_kernel_cannot_be_dilated() {
    let lab = Lab::new(
        "time: { dilation: 10 }\n\
         topology:\n  nodes: { a: , b: }\n  links: [{ endpoints: [a, b] }]\n\
         processes: [{ name: look, node: b, command: 'true' }]\n",
    );
    let (code, why) = lab.fails(&["run", "-o", "results"]);
    assert_eq!(code, 2, "{why}");
    for part in ["node `b` cannot run `look` at a dilation of 10", "TCP", "`kernel: own`"] {
        assert!(why.contains(part), "{part} is not in {why}");
    }
    assert!(!why.contains("node `a`"), "{why}");
    let (code, why) = lab.fails(&["run", "--dilation", "0.05"]);
    assert!(code == 2 && why.contains("from 0.1 to 1000"), "{why}");
    // Without dilation, it runs; in virtual time, dilation is nothing.
    lab.ok(&["run", "--dilation", "1", "-o", "results"]);
    let (code, why) = lab.fails(&["run", "--simulate", "--dilation", "10", "-o", "other"]);
    assert!(code == 2 && why.contains("--dilation"), "{why}");
    let simulated = lab.netloom(&["run", "--simulate", "--without-commands", "-o", "other"]);
    let said = text(&simulated.stderr);
    assert!(simulated.status.success() && said.contains("`dilation` has no effect"), "{said}");
    assert_eq!(lab.remains(), [""; 0]);
}
