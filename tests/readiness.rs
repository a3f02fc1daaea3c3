//! Readiness by what a process prints.

mod common;

use std::fs;
use std::path::Path;
use std::process::Stdio;

use common::{Lab, eventually, text};

/// How much the process prints, in bytes.
const PRINTED: u64 = 300 << 20;

/// The most memory that a process has had, in bytes.
fn peak(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim_end_matches("kB").trim().parse::<u64>().unwrap() << 10
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map_or(0, |found| found.len())
}

#[test]
fn what_a_process_prints_is_not_taken_into_memory() {
    let lab = Lab::new(&format!(
        "topology: {{ nodes: {{ a: }} }}
processes:
  - name: flood
    node: a
    command: until test -e go; do sleep 0.05; done; head -c {PRINTED} /dev/zero | tr '\\0' a; \
    echo now; exec sleep 1000
    ready: {{ output: aanow }}
    background: true
  - {{ name: after, node: a, command: 'true', start: {{ after: flood, when: ready }} }}
"
    ));
    let run = lab.command(&["run", "-o", "results"]).stdout(Stdio::piped()).spawn().unwrap();
    let printed = lab.path("results/processes/flood@a.stdout");
    eventually("the process runs", || printed.exists());
    let engine = lab.engine_pid();
    let before = peak(engine);
    fs::write(lab.path("go"), "").unwrap();
    let mut most = before;
    while length(&printed) < PRINTED {
        most = most.max(peak(engine));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // The text is found across all of it, and the run goes on.
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stdout));
    let grown = (most - before) >> 20;
    assert!(grown < 100, "the engine took {grown} MiB more");
}
