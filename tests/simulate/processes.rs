//! Simulated runs that are divided among threads, cells and processes.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::common::{NETLOOM, eventually, kill, text};
use crate::{Folder, ended, simulate, summary};

/// A ring of routers with a switched part, conditioners and classes, TCP both ways, ECN, traffic to
/// a group, failures, routes and conditioners that change, and captures.
#[test]
fn what_is_written_does_not_depend_on_threads_cells_and_processes() {
    let folder = Folder::new("processes");
    let file = folder.scenario(include_str!("parts.yaml"));
    let run = |name: &str, more: &[&str]| {
        let results = folder.path(name);
        let output = simulate(&file, &results, &[&["--frames"], more].concat());
        // A route that is not there, and traffic that cannot begin.
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        results
    };
    let files = [
        "frames.nlf",
        "pipes.parquet",
        "flows.parquet",
        "events.jsonl",
        "captures/a-eth1.pcapng",
        "captures/d-eth1.pcapng",
    ];
    let one = run("one", &["--threads", "1", "--cells", "1"]);
    let summarized = |results: &Path| {
        let all = summary(results);
        let parts = ["links", "flows", "timeline", "failures", "warnings", "verdict", "frame_log"];
        let not_forwarded = all["simulation"]["not_forwarded"].clone();
        (
            parts.map(|part| all[part].clone()),
            all["simulation"]["packet_hops"].clone(),
            not_forwarded,
        )
    };
    assert_eq!(summary(&one)["failures"].as_array().unwrap().len(), 2);
    // What is to pass between processes is there.
    let links = summary(&one)["links"].clone();
    let pipes =
        links.as_array().unwrap().iter().flat_map(|link| [&link["forward"], &link["reverse"]]);
    let pipes: Vec<&Value> = pipes.map(|pipe| &pipe["statistics"]).collect();
    for reason in ["policed", "queue_full", "down", "loss"] {
        let frames = pipes.iter().map(|pipe| pipe["dropped"][reason]["frames"].as_u64().unwrap());
        assert!(frames.sum::<u64>() > 0, "nothing is dropped by {reason}");
    }
    assert!(pipes.iter().any(|pipe| pipe["marked"]["frames"].as_u64().unwrap() > 0), "no marks");
    for (name, options) in [
        ("two", &["--threads", "2"][..]),
        ("seven", &["--threads", "7", "--cells", "64"]),
        ("cells", &["--threads", "1", "--cells", "64"]),
        ("2", &["--processes", "2", "--threads", "1"]),
        ("3", &["--processes", "3", "--threads", "4", "--cells", "64"]),
    ] {
        let parts = run(name, options);
        for file in files {
            let [one, parts] = [&one, &parts].map(|run| fs::read(run.join(file)).unwrap());
            assert!(one == parts, "{file} differs with {options:?}");
        }
        assert_eq!(summarized(&one), summarized(&parts), "{options:?}");
        let simulation = &summary(&parts)["simulation"];
        assert!(simulation["cells"].as_u64().unwrap() > 1, "{simulation}");
        let expected = match name {
            "2" => (2, 2),
            "3" => (3, 4),
            "seven" => (1, 7),
            "two" => (1, 2),
            _ => (1, 1),
        };
        let number = |what: &str| simulation[what].as_u64().unwrap();
        assert_eq!((number("processes"), number("threads")), expected, "{options:?}");
    }
    // Where nothing can be divided, one process does it all.
    let file = folder.scenario(
        "name: whole\nsimulation: { processes: 3 }\ntopology:\n  nodes: { a: , b: }\n  \
         links: [{ endpoints: [a, b] }]\n\
         traffic: [{ name: p, from: a, to: b, ping: { count: 3, interval: 10ms } }]\n",
    );
    ended(&simulate(&file, &folder.path("whole"), &[]));
    assert_eq!(summary(&folder.path("whole"))["simulation"]["processes"], 1);
}

/// A simulation of three processes that takes long, and the PIDs of the second and the third.
fn long_run(folder: &Folder) -> (Child, Vec<i32>) {
    let file = folder.scenario(
        "name: long\nduration: 10000s\ntopology:\n  defaults: { link: { delay: 1ms } }\n  \
         nodes: { a: , b: , c: }\n  links: [{ endpoints: [a, b] }, { endpoints: [b, c] }]\n\
         traffic:\n  - { name: p, from: a, to: b, udp: {}, cbr: { rate: 100Mbit/s } }\n  \
         - { name: q, from: c, to: b, udp: {}, cbr: { rate: 100Mbit/s } }\n",
    );
    let child = Command::new(NETLOOM)
        .args(["run", "--simulate", "--processes", "3", "-t", file.to_str().unwrap()])
        .args(["-o", folder.path("results").to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It is there when all processes have their parts.
    eventually("it runs", || folder.path("results/pipes.parquet").exists());
    let others = children(child.id());
    assert_eq!(others.len(), 2, "{others:?}");
    (child, others)
}

/// The processes that a process has started, in their order.
fn children(of: u32) -> Vec<i32> {
    let all = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let pid: i32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Behind the name: state and parent.
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        (parent == of).then_some(pid)
    });
    let mut all: Vec<i32> = all.collect();
    all.sort_unstable();
    all
}

/// Whether a process is gone, or dead and not waited for by whoever inherited it.
fn is_gone(pid: i32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .map_or(true, |stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.starts_with(" Z")))
}

#[test]
fn a_process_that_dies_ends_the_run_and_the_others() {
    let folder = Folder::new("killed");
    let (child, others) = long_run(&folder);
    kill(others[1], Signal::SIGKILL);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let message = text(&output.stderr);
    let named = format!("process 3 of the simulation (PID {}) has ended (signal: 9", others[1]);
    assert!(message.contains(&named), "{message}");
    assert!(!folder.path("results/summary.json").exists(), "it did not end well");
    eventually("the other is gone", || others.iter().all(|pid| is_gone(*pid)));
}

#[test]
fn the_other_processes_end_with_the_first() {
    let folder = Folder::new("orphans");
    let (mut child, others) = long_run(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the others are gone", || others.iter().all(|pid| is_gone(*pid)));
}

#[test]
fn ctrl_c_ends_all_processes_and_keeps_the_results() {
    let folder = Folder::new("interrupted");
    let (child, others) = long_run(&folder);
    kill(child.id() as i32, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let summary = summary(&folder.path("results"));
    assert_eq!(summary["reason"], "interrupted");
    assert_eq!(summary["simulation"]["processes"], 3);
    eventually("the others are gone", || others.iter().all(|pid| is_gone(*pid)));
}
