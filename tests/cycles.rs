//! All ways of starting and ending, with kills at random moments: after each, nothing is left. The
//! long form, which counts everything in a machine of its own, is `benches/scale/cycles.py`.

mod common;

use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::{Lab, eventually, kill, state};
use nix::sys::signal::Signal;

const CYCLES: u64 = 22;

const NETWORK: &str = "\
topology:
  nodes: { a: , r1: { kind: router }, r2: { kind: router }, s: { kind: switch }, b: , c: }
  links:
    - { endpoints: [a, r1], direct: true }
    - { endpoints: [r1, r2], rate: 10Mbit/s, delay: 2ms }
    - { endpoints: [r2, s] }
    - { endpoints: [b, s] }
    - { endpoints: [c, s], loss: 1% }
";
const PROCESSES: &str = "\
processes:
  - name: server
    node: b
    command: setsid sleep 987648 & echo up; exec sleep 987648
    ready: { output: up }
    background: true
  - { name: client, node: a, command: sleep 0.2, start: { after: server, when: ready } }
";

/// Random numbers that are equal in every run: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// Waits for up to `milliseconds`.
    fn moment(&mut self, milliseconds: u64) {
        sleep(Duration::from_millis(self.below(milliseconds)));
    }
}

fn start(lab: &Lab, arguments: &[&str]) -> Child {
    lab.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The engine's process id, if one is there: what a dead one's file says may be another process.
fn engine(lab: &Lab) -> Option<i32> {
    let pid: i32 = fs::read_to_string(state(&lab.name).join("engine.pid")).ok()?.parse().ok()?;
    let words = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
    words.contains("__engine").then_some(pid)
}

fn kill_engine(lab: &Lab) {
    if let Some(pid) = engine(lab) {
        // It may have ended by itself.
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
    }
}

/// Cleans up after a kill: an engine whose client is gone has ended, or is ended here. `cleanup` or
/// the next start removes the rest.
fn tidy(lab: &Lab, draw: &mut Random) {
    eventually("the engine ends", || {
        engine(lab).is_none() || {
            lab.netloom(&["destroy", &lab.name]);
            false
        }
    });
    if draw.below(3) == 0 {
        lab.ok(&["deploy"]);
        lab.ok(&["destroy", &lab.name]);
    } else {
        lab.ok(&["cleanup", &lab.name]);
    }
}

/// One of the ways in which an experiment starts and ends.
fn cycle(kind: u64, quiet: &Lab, busy: &Lab, draw: &mut Random) {
    let deployed = || {
        quiet.ok(&["deploy"]);
        quiet.sh("b", "setsid sleep 987647 </dev/null >/dev/null 2>&1 &");
    };
    let run = || start(busy, &["run", "-o", "results"]);
    let (lab, mut client) = match kind {
        0 => {
            deployed();
            quiet.ok(&["destroy", &quiet.name]);
            return;
        }
        1 => (busy, run()),
        2..=4 => (busy, run()),
        5..=7 => (quiet, start(quiet, &["deploy"])),
        8 => {
            deployed();
            kill_engine(quiet);
            return tidy(quiet, draw);
        }
        _ => {
            deployed();
            (quiet, start(quiet, &["destroy", &quiet.name]))
        }
    };
    // An engine that nobody knows of yet would come up after all that follows.
    eventually("there is an engine", || {
        engine(lab).is_some() || client.try_wait().unwrap().is_some()
    });
    draw.moment(if kind < 5 { 600 } else { 120 });
    match kind {
        1 => assert!(client.wait().unwrap().success(), "a run failed"),
        2 | 5 => kill(client.id().cast_signed(), Signal::SIGINT),
        3 | 6 | 9 => client.kill().unwrap(),
        _ => kill_engine(lab),
    }
    client.wait().unwrap();
    tidy(lab, draw);
    let _ = fs::remove_dir_all(lab.path("results"));
}

#[test]
fn no_way_of_ending_leaves_anything() {
    let mut draw = Random(1);
    let (quiet, busy) = (Lab::new(NETWORK), Lab::new(&format!("{NETWORK}{PROCESSES}")));
    for number in 0..CYCLES {
        let kind = number % 11;
        cycle(kind, &quiet, &busy, &mut draw);
        for lab in [&quiet, &busy] {
            assert_eq!(lab.remains(), [""; 0], "after cycle {number}, of kind {kind}");
        }
    }
}

/// Bytes of memory of a process.
fn resident(pid: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    1024 * resident.split_whitespace().next().unwrap().parse::<u64>().unwrap()
}

/// Open files and threads of an engine that is ready, its probes as well. Files of processes that
/// its probes look at are not counted: these come and go.
fn held(pid: i32) -> (usize, usize) {
    let folder = |name: &str| fs::read_dir(format!("/proc/{pid}/{name}")).unwrap().flatten();
    let own = |file: &fs::DirEntry| {
        fs::read_link(file.path()).is_ok_and(|target| !target.starts_with("/proc"))
    };
    let now = || (folder("fd").filter(own).count(), folder("task").count());
    let mut known = (0, 0);
    eventually("the engine is at rest", || {
        sleep(Duration::from_millis(500));
        let before = std::mem::replace(&mut known, now());
        before == known
    });
    known
}

/// Changes the link `a--b`, `count` changes in one request.
fn change(lab: &Lab, number: usize, count: usize) {
    let one = |index| {
        let delay = format!("{}us", (number + index) % 997);
        serde_json::json!({ "link": "a--b", "change": { "delay": delay } })
    };
    let changes: Vec<_> = (0..count).map(one).collect();
    let body = serde_json::json!({ "changes": changes }).to_string();
    let answer = lab.request("PATCH", "/v1/links", &body);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn an_engine_does_not_grow_with_the_changes_of_its_links() {
    let lab = Lab::deployed("topology:\n  nodes: { a: , b: }\n  links: [{ endpoints: [a, b] }]\n");
    let engine = lab.engine_pid();
    // The first ones fill what is kept of the last ones for clients.
    (0..60).for_each(|number| change(&lab, number, 1000));
    let before = (resident(engine), held(engine));
    (0..600).for_each(|number| change(&lab, number, 1000));
    let after = (resident(engine), held(engine));
    // The allocator keeps the peak of one request, up to 5 MB, for each of the two threads that
    // answer, and one of them may have had its first large one only now. Of 600,000 changes, a leak
    // of 28 bytes each is more.
    assert!(after.0 < before.0 + (16 << 20), "{before:?}, then {after:?}");
    let ((files, threads), (files_before, threads_before)) = (after.1, before.1);
    assert_eq!(files, files_before, "open files");
    // Each of the runtime's two threads may have another one stand in for it while it blocks.
    assert!(threads <= threads_before + 2, "{threads_before} threads, then {threads}");
}
