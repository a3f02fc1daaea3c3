//! Every run says whether it can be trusted.

mod common;

use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{available_parallelism, sleep};
use std::time::{Duration, Instant};

use common::{Lab, eventually, kill, text};
use nix::sys::signal::Signal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

/// Two hosts that ping each other `count` times, ten times a second.
fn pinging(count: u32, more: &str) -> Lab {
    Lab::new(&format!(
        "topology:
  nodes: {{ a: , b: }}
  links: [{{ endpoints: ['a:eth1', 'b:eth1'], delay: 1ms }}]
processes: [{{ name: ping, node: a, command: [ping, -n, -i, '0.1', -c, '{count}', b] }}]
{more}"
    ))
}

fn summary(lab: &Lab) -> Value {
    let file = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    serde_json::from_str(&file).unwrap()
}

/// The findings on what is called `on`.
fn findings<'v>(verdict: &'v Value, on: &str) -> Vec<&'v Value> {
    let findings = verdict["findings"].as_array().unwrap().iter();
    findings.filter(|finding| finding["on"]["kind"] == on).collect()
}

/// The column `bad` of `pipes.parquet`.
fn marks(lab: &Lab) -> Vec<Option<i64>> {
    let file = File::open(lab.path("results/pipes.parquet")).unwrap();
    let parquet = SerializedFileReader::new(file).unwrap();
    let columns = parquet.metadata().file_metadata().schema_descr().columns();
    let bad = columns.iter().position(|column| column.name() == "bad").unwrap();
    parquet.get_row_iter(None).unwrap().map(|row| row.unwrap().get_long(bad).ok()).collect()
}

/// Keeps all CPUs busy while `f` runs, in threads of this program: what uses a CPU is named by its
/// process, and the ten that used it most are.
fn beside_spinners(f: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 * available_parallelism().unwrap().get() {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        f();
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_run_whose_engine_is_stopped_is_invalid() {
    let lab = pinging(20, "");
    let run = lab.command(&["run", "--strict", "-o", "results"]);
    let run = { run }.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let events = lab.path("results/events.jsonl");
    let started = || {
        let events = std::fs::read_to_string(&events).unwrap_or_default();
        events.contains("process_started")
    };
    eventually("the ping has started", started);
    sleep(Duration::from_millis(500));
    let engine = lab.engine_pid();
    let begin = Instant::now();
    kill(engine, Signal::SIGSTOP);
    sleep(Duration::from_millis(300));
    kill(engine, Signal::SIGCONT);
    let stopped = begin.elapsed();
    let output = run.wait_with_output().unwrap();
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{words}");
    assert!(words.contains("verdict on the machine: INVALID (links invalid, "), "{words}");
    let verdict = &summary(&lab)["verdict"];
    assert_eq!((&verdict["judgement"], &verdict["links"]), (&"invalid".into(), &"invalid".into()));
    let found = findings(verdict, "engine");
    assert_eq!(found[0]["judgement"], "invalid", "{verdict}");
    let signals = verdict["signals"].as_array().unwrap();
    let engine = signals.iter().find(|report| report["on"]["kind"] == "engine").unwrap();
    // The engine could not see less than the time between the two signals, less one period of its
    // pulse (50 ms at most), nor more than all of the time that it was stopped, wake-up included.
    let longest = engine["worst"].as_f64().unwrap() / 1e9;
    let most = stopped.as_secs_f64() + 10.0;
    assert!((0.25..most).contains(&longest), "{longest} s of {stopped:?}");
    // The same is stated, and the seconds that it was in are marked.
    let stated = &verdict["bound"]["engine"];
    assert_eq!(stated["times"].as_u64().map(|times| times > 0), Some(true), "{stated}");
    assert_ne!(verdict["bad"], Value::Array(vec![]));
    let rows = marks(&lab);
    assert!(rows.contains(&Some(1)), "{rows:?}");
}

#[test]
fn spinners_outside_the_experiment_are_named_and_alone_judge_nothing() {
    // Long enough for who polls `/proc` to look at all processes more than once.
    let lab = pinging(60, "");
    beside_spinners(|| drop(lab.netloom(&["run", "-o", "results"])));
    let verdict = &summary(&lab)["verdict"];
    assert_eq!(findings(verdict, "cpu"), [&Value::Null; 0]);
    let signals = verdict["signals"].as_array().unwrap().iter();
    let cpus = signals.filter(|report| report["signal"] == "cpu");
    let shares: Vec<&Value> = cpus.flat_map(|cpu| cpu["shares"].as_array().unwrap()).collect();
    let is_ours = |share: &&Value| share["who"]["pid"] == std::process::id();
    assert!(shares.iter().any(is_ours), "{verdict}");
}

#[test]
fn what_happens_at_the_very_beginning_is_seen() {
    let lab = Lab::new(
        "topology: { nodes: { a: } }
processes: [{ name: spin, node: a, command: [sh, -c, 'timeout 0.06 yes > /dev/null; sleep 0.5'] }]
monitor: { criteria: { cpu: { longest: 30ms } } }
",
    );
    lab.ok(&["run", "-o", "results"]);
    let verdict = &summary(&lab)["verdict"];
    let signals = verdict["signals"].as_array().unwrap();
    let coverage = verdict["coverage"].as_array().unwrap().iter().find(|of| of["signal"] == "cpu");
    if !coverage.unwrap()["probes"].to_string().contains("eBPF") {
        return println!("skipped: without eBPF, a CPU that is busy for 60 ms is not seen");
    }
    let cpu =
        |signal: &Value| signal["signal"] == "cpu" && signal["episodes"] != Value::from(vec![0; 0]);
    assert!(signals.iter().any(cpu), "{verdict:#}");
}

#[test]
fn the_scenario_says_what_is_contention_and_what_it_is_needed_for() {
    let lab = pinging(
        10,
        "monitor:
  criteria:
    lateness: { tolerance: 100s }
    run_queue: { tolerance: 100s }
    cpu: { longest: 1000s }
    disk: { longest: 1000s }
    memory_in: { limit: 1000000000, window: 1s }
    memory_out: { limit: 1000000000, window: 1s }
    faults: { limit: 1000000000, window: 1s }
    steal: { limit: 100%, window: 1s }
    pressure: { limit: 100%, window: 1s }
    timeline: { tolerance: 100s }
trust: { stall: 100s, waits: 100% }
",
    );
    lab.ok(&["run", "--strict", "-o", "results"]);
    let verdict = &summary(&lab)["verdict"];
    assert_eq!(verdict["judgement"], "valid", "{verdict}");
    let pipes = verdict["bound"]["pipes"].as_array().unwrap();
    let frames = |pipe: &Value| pipe["frames"].as_u64().unwrap();
    assert!(pipes.len() == 2 && pipes.iter().all(|pipe| frames(pipe) >= 10), "{pipes:?}");
    assert!(marks(&lab).iter().all(|bad| *bad == Some(0)));
    assert!(verdict["overhead"]["monitoring_ns"].as_u64() > Some(0));
}

#[test]
fn a_run_is_judged_again_from_what_was_observed() {
    let lab = pinging(10, "measure: { observations: true }\n");
    lab.ok(&["run", "-o", "results"]);
    let again = |more: &[&str]| lab.netloom(&[&["judge", "results"], more].concat());
    let output = again(&["--format", "json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let judged: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(judged, summary(&lab)["verdict"]);

    // No frame is punctual to a nanosecond.
    let strict = "name: strict
topology: { nodes: { a: } }
monitor: { criteria: { lateness: { tolerance: 1ns } } }
";
    std::fs::write(lab.path("strict.yaml"), strict).unwrap();
    let output = again(&["--criteria-of", "strict.yaml", "--strict"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let words = text(&output.stdout);
    assert!(words.starts_with("verdict: INVALID (links invalid, "), "{words}");
    assert!(words.contains("  invalid: frames of a--b/"), "{words}");

    std::fs::remove_file(lab.path("results/observations.jsonl")).unwrap();
    let output = again(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("measure: { observations: true }"));
}

#[test]
fn contention_ends_a_run_that_is_to_be_aborted() {
    // No frame is punctual to a nanosecond.
    let monitor = "monitor: { on_contention: abort, criteria: { lateness: { tolerance: 1ns } } }\n";
    let lab = pinging(1000, monitor);
    let output = lab.netloom(&["run", "-o", "results"]);
    let summary = summary(&lab);
    assert_eq!(summary["reason"], "contention", "{}", text(&output.stderr));
    assert!(summary["ended"].as_u64() < Some(60_000_000_000));
    let signals = summary["verdict"]["signals"].as_array().unwrap();
    let is_late = |of: &Value| of["signal"] == "lateness" && of["episodes"] != Value::Array(vec![]);
    assert!(signals.iter().any(is_late), "{signals:?}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn contention_that_outlives_the_warm_up_ends_such_a_run_too() {
    // Late from the first frame on, and so it stays.
    let monitor = "monitor: { warm_up: 2s, on_contention: abort, criteria: { lateness: \
        { tolerance: 1ns } } }\n";
    let lab = pinging(1000, monitor);
    lab.netloom(&["run", "-o", "results"]);
    let summary = summary(&lab);
    assert_eq!(summary["reason"], "contention");
    let ended = summary["ended"].as_u64();
    assert!(Some(2_000_000_000) <= ended && ended < Some(60_000_000_000), "{ended:?}");
}

#[test]
fn applications_report_metrics_from_inside_their_node() {
    let scenario = "topology:
  nodes: { a: , b: }
  links: [{ endpoints: ['a:eth1', 'b:eth1'] }]
processes:
  - { name: good, node: a, command: netloom-report jitter 1.5 }
  - { name: bad, node: b, command: netloom-report jitter 2.5 && netloom-report other -3 }
  - { name: curl, node: b, command: 'netloom-report x no-number || echo refused' }
monitor: { criteria: { application: { jitter: 2 } } }
";
    let lab = Lab::new(scenario);
    lab.ok(&["run", "-o", "results"]);
    let results = lab.path("results");
    let metrics = std::fs::read_to_string(results.join("metrics.jsonl")).unwrap();
    let reported = |node: &str, name: &str| {
        let lines = metrics.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let is_it = |metric: &Value| metric["node"] == node && metric["name"] == name;
        lines.filter(is_it).map(|metric| metric["value"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(reported("a", "jitter"), [1.5]);
    assert_eq!((reported("b", "jitter"), reported("b", "other")), (vec![2.5], vec![-3.0]));
    let refused = std::fs::read_to_string(results.join("processes/curl@b.stdout")).unwrap();
    assert_eq!(refused, "refused\n");
    let verdict = &summary(&lab)["verdict"];
    let found = findings(verdict, "metric");
    assert_eq!(found.len(), 1, "{verdict}");
    assert_eq!(
        (&found[0]["on"]["name"], &found[0]["on"]["who"]["name"]),
        (&"jitter".into(), &"b".into())
    );

    // Who is in no node reports nothing.
    let deployed = Lab::pair("");
    deployed.ok(&["deploy"]);
    let socket = common::state(&deployed.name).join("metrics.sock");
    let command = deployed.path("netloom-report");
    std::os::unix::fs::symlink(common::NETLOOM, &command).unwrap();
    let stranger = Command::new(command).args(["x", "1"]).env("NETLOOM_METRICS", socket).output();
    let stranger = stranger.unwrap();
    assert_eq!(stranger.status.code(), Some(1));
    assert!(text(&stranger.stderr).contains("only a process in a node"));
}

#[test]
fn the_verdict_so_far_can_be_asked_for() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    let seen = || {
        let verdict = &lab.inspect()["verdict"];
        verdict["signals"].as_array().unwrap().iter().any(|report| report["signal"] == "cpu")
    };
    eventually("the monitor has begun", seen);
    let words = lab.ok(&["inspect", &lab.name, "--all"]);
    let judgement = words.split("verdict so far: ").nth(1).unwrap();
    let row =
        words.lines().find(|line| line.starts_with("cpu ")).unwrap_or_else(|| panic!("{words}"));
    assert!(row.contains("CPU ") && row.contains("200 ms"), "{row}");
    assert!(
        ["VALID", "SUSPECT", "INVALID"].iter().any(|word| judgement.starts_with(word)),
        "{words}"
    );
}

#[test]
fn criteria_that_make_no_sense_are_refused() {
    let lab = pinging(1, "monitor: { criteria: { disk: { longest: 0s } } }\n");
    let (code, words) = lab.fails(&["run", "-o", "results"]);
    assert_eq!(code, 2, "{words}");
    assert!(words.contains("`disk.longest` must be longer than 0"), "{words}");
    assert!(!lab.path("results").exists());
}

#[test]
fn a_run_that_is_not_watched_is_never_valid() {
    let lab = pinging(3, "monitor: { enabled: false }\n");
    lab.ok(&["run", "-o", "results"]);
    let verdict = &summary(&lab)["verdict"];
    // A late start, of which the run itself knows, may make it worse than that.
    assert_ne!(verdict["judgement"], "valid", "{verdict}");
    for coverage in verdict["coverage"].as_array().unwrap() {
        if coverage["signal"] != "application" {
            assert_eq!(coverage["observed"], false, "{coverage}");
        }
        assert!(coverage["blind_spots"].to_string().contains("enabled: false"), "{coverage}");
    }
    assert_eq!(verdict["overhead"]["monitoring_ns"], 0);

    // Nothing runs for the monitor's sake.
    let lab = Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: ['a:eth1', 'b:eth1'] }] }\n\
         monitor: { enabled: false }\n",
    );
    lab.ok(&["deploy"]);
    let tasks = std::fs::read_dir(format!("/proc/{}/task", lab.engine_pid())).unwrap();
    let names = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")));
    let names: Vec<String> = names.filter_map(Result::ok).collect();
    let for_the_monitor = |name: &String| name.contains("monitor") || name.contains("pulse");
    assert_eq!(names.iter().find(|name| for_the_monitor(name)), None);
}

#[test]
fn traffic_is_of_those_who_sent_it() {
    let send = |times: u32| {
        let send = "head -c 1200 /dev/zero > /dev/udp/c/9";
        format!("[bash, -c, 'for i in $(seq {times}); do {send}; sleep 0.01; done']")
    };
    let lab = Lab::new(&format!(
        "topology:
  nodes: {{ a: , b: , c: , s: {{ kind: switch }} }}
  links:
    - {{ endpoints: ['a:eth1', 's:p1'] }}
    - {{ endpoints: ['b:eth1', 's:p2'] }}
    - {{ endpoints: ['c:eth1', 's:p3'] }}
processes:
  - {{ name: much, node: a, command: {} }}
  - {{ name: little, node: b, command: {} }}
monitor: {{ criteria: {{ net_internal: {{ rate: 100kbit/s, window: 1s }} }} }}
",
        send(100),
        send(10)
    ));
    lab.ok(&["run", "-o", "results"]);
    let verdict = &summary(&lab)["verdict"];
    let signals = verdict["signals"].as_array().unwrap();
    let traffic = signals.iter().find(|report| report["signal"] == "net_internal").unwrap();
    let shares = traffic["shares"].as_array().unwrap();
    assert_eq!(shares[0]["who"]["name"], "a", "{traffic}");
    let share = |share: &Value| share["share"].as_f64().unwrap();
    // It sends ten times as much as the other sender. How much the receiver answers, to whose port
    // nothing listens, is a matter of time.
    let of_b = shares.iter().find(|share| share["who"]["name"] == "b").map_or(0.0, share);
    assert!(share(&shares[0]) > 5.0 * of_b, "{traffic}");
    let sum: f64 = shares.iter().map(share).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{traffic}");
}

#[test]
fn frames_for_an_interface_that_is_down_are_accounted_for() {
    let lab = Lab::new(
        "topology:
  nodes: { a: { ipv6: none }, b: { ipv6: none } }
  links: [{ endpoints: ['a:eth1', 'b:eth1'], delay: 1ms }]
processes:
  - { name: down, node: b, command: ip link set eth1 down }
  - { name: send, node: a, start: { after: down }, command: [bash, -c, \"\
         ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:99 dev eth1; \
         for i in $(seq 50); do echo x > /dev/udp/10.0.0.2/9; done; sleep 0.5\"] }
",
    );
    lab.ok(&["run", "-o", "results"]);
    let summary = summary(&lab);
    let counted = &summary["links"][0]["forward"]["statistics"];
    let frames = |what: &str| counted[what]["frames"].as_u64().unwrap();
    // The kernel may send one of its own, before or after.
    let offered = frames("offered");
    assert!((50..60).contains(&offered), "{counted}");
    let (delivered, lost) = (frames("delivered"), frames("lost_unmodelled"));
    assert!(lost >= 50 && delivered + lost == offered, "{counted}");
    assert_eq!(summary["timing"]["interface_down"], lost);
}

/// Binds a port and does not read from it until the sender has ended; prints what the kernel
/// counted.
const DEAF: &str = "\
import os, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.bind(('', 9000))
print('ready', flush=True)
while not os.path.exists('sent'): time.sleep(0.05)
lines = [line.split() for line in open('/proc/net/snmp') if line.startswith('Udp:')]
last = -1
while last != (last := int(dict(zip(*[line for line in lines]))['RcvbufErrors'])):
    time.sleep(0.5)
    lines = [line.split() for line in open('/proc/net/snmp') if line.startswith('Udp:')]
print(last, flush=True)
";

#[test]
fn what_finds_no_room_in_a_receivers_buffer_is_suspect() {
    let lab = Lab::new(
        "topology:
  nodes: { a: { ipv6: none }, b: { ipv6: none } }
  links: [{ endpoints: ['a:eth1', 'b:eth1'], delay: 1ms }]
processes:
  - { name: deaf, node: b, command: [python3, deaf.py], ready: { output: ready } }
  - { name: send, node: a, start: { after: deaf }, command: [bash, -c, \"\
         for i in $(seq 500); do head -c 500 /dev/zero > /dev/udp/b/9000; done; sleep 1; \
         touch sent\"] }
measure: { observations: true }
",
    );
    std::fs::write(lab.path("deaf.py"), DEAF).unwrap();
    let words = lab.ok(&["run", "-o", "results"]);
    let counted = std::fs::read_to_string(lab.path("results/processes/deaf@b.stdout")).unwrap();
    let counted: u64 = counted.lines().last().unwrap().parse().unwrap();
    assert!(counted > 400, "{counted}");
    let verdict = &summary(&lab)["verdict"];
    let found = findings(verdict, "buffer");
    assert_eq!(found.len(), 1, "{verdict:#}");
    assert_eq!(found[0]["judgement"], "suspect");
    assert_eq!(
        (&found[0]["on"]["of"], &found[0]["on"]["who"]["name"]),
        (&"udp_receive".into(), &"b".into())
    );
    let finding = format!("buffers on UDP receive buffers of node b: {counted} packets");
    assert!(found[0]["why"].as_str().unwrap().starts_with(&finding), "{verdict:#}");
    assert!(words.contains(&finding) || words.contains("more findings"), "{words}");
    // Judged again, it is the same.
    let judged: Value =
        serde_json::from_str(&lab.ok(&["judge", "results", "--format", "json"])).unwrap();
    assert_eq!(&judged, verdict);
}
