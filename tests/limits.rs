//! Limits on nodes' use of the machine: enforced, reported, and removed with the experiment.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Lab, eventually, kill, takes_root, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// Takes memory in steps of a mebibyte up to the size in its argument.
const HOG: &str = "\
import sys
held = []
for step in range(int(sys.argv[1])):
    held.append(bytearray(b'x' * (1 << 20)))
print('held')
";

/// Uses CPU for two seconds of the clock in as many processes as its argument says. Prints the CPU
/// time that they got, and the time that it took.
const SPIN: &str = "\
import os, sys, time
began = time.monotonic()
children = []
for _ in range(int(sys.argv[1])):
    if (pid := os.fork()) == 0:
        end = time.monotonic() + 2
        while time.monotonic() < end: pass
        os._exit(0)
    children.append(pid)
for pid in children: os.waitpid(pid, 0)
used = os.times()
print(used.children_user + used.children_system, time.monotonic() - began)
";

/// Returns a lab with the two programs in its folder. Where limits are refused, it reports that the
/// test is skipped and returns `None`.
fn lab(of: &str, scenario: &str) -> Option<Lab> {
    let why = "the machine's control groups are root's";
    if !takes_root(of, why) {
        return None;
    }
    let lab = Lab::new(scenario);
    fs::write(lab.path("hog.py"), HOG).unwrap();
    fs::write(lab.path("spin.py"), SPIN).unwrap();
    Some(lab)
}

fn usage(lab: &Lab, node: &str) -> Value {
    let nodes = lab.inspect()["nodes"].as_array().unwrap().clone();
    let node = nodes.into_iter().find(|found| found["name"] == node).unwrap();
    node["usage"].clone()
}

/// Folders of the experiment in any hierarchy of control groups.
fn cgroups(lab: &Lab) -> Vec<PathBuf> {
    let hierarchies = fs::read_dir("/sys/fs/cgroup").unwrap().flatten().map(|entry| entry.path());
    let all = hierarchies.chain([PathBuf::from("/sys/fs/cgroup")]);
    all.map(|path| path.join("netloom").join(&lab.name)).filter(|path| path.exists()).collect()
}

/// Seconds of CPU time, and of the clock.
fn spun(printed: &str) -> (f64, f64) {
    let mut numbers = printed.split_whitespace().map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The most CPU time that a quota gives in a time: a quarter more, since periods may begin and end
/// with it, and the kernel hands time out in slices and takes it back at ticks. Without a quota it
/// would be the CPUs times as much.
fn most(quota: f64, seconds: f64) -> f64 {
    1.25 * quota * seconds
}

#[test]
fn a_memory_hog_is_killed_and_reported() {
    let scenario = "topology: { nodes: { a: { limits: { memory: 48MiB } }, b: } }\n\
        processes:\n  \
        - { name: hog, node: a, command: python3 hog.py 200 }\n  \
        - { name: modest, node: a, command: python3 hog.py 5, start: { after: hog, \
        when: done } }\n  \
        - { name: free, node: b, command: python3 hog.py 200 }\n";
    let Some(lab) = lab("a_memory_hog_is_killed_and_reported", scenario) else { return };
    let output = lab.netloom(&["run", "-o", "results"]);
    let words = text(&output.stdout) + &text(&output.stderr);
    assert!(words.contains("the kernel killed a process in a"), "{words}");
    let read = |file: &str| fs::read_to_string(lab.path("results").join(file)).unwrap();
    let summary: Value = serde_json::from_str(&read("summary.json")).unwrap();
    let failures = summary["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{failures:?}");
    let failure = failures[0].as_str().unwrap();
    assert!(failure.contains("`hog` in `a` ended with code 137"), "{failure}");
    assert!(failure.contains("a limit on memory"), "{failure}");
    assert!(summary["warnings"].to_string().contains("a limit on memory"), "{summary}");
    let used = &summary["usage"]["a"];
    assert_eq!(used["memory_kills"], 1, "{used}");
    let peak = used["memory_peak"].as_u64().unwrap();
    assert!((20 << 20..=48 << 20).contains(&peak), "{used}");
    let events: Vec<Value> =
        read("events.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let killed: Vec<&Value> = events.iter().filter(|e| e["event"] == "memory_killed").collect();
    assert_eq!(killed.len(), 1, "{killed:?}");
    assert_eq!((&killed[0]["node"], &killed[0]["processes"]), (&"a".into(), &1.into()));
    assert_eq!(lab.remains(), [""; 0]);
    assert_eq!(cgroups(&lab), Vec::<PathBuf>::new());
}

#[test]
fn no_more_processes_are_made_than_the_limit() {
    let scenario = "topology: { nodes: { a: { limits: { pids: 5 } } } }\n";
    let Some(lab) = lab("no_more_processes_are_made_than_the_limit", scenario) else { return };
    lab.ok(&["deploy"]);
    // The shell is one, and four more are as many as there may be.
    let fill =
        |sleepers: u32| format!("for i in $(seq {sleepers}); do sleep 3 & done; echo made; wait");
    let (code, words) = lab.try_sh("a", &fill(3));
    assert_eq!((code, words.trim()), (0, "made"), "with seq, four at once");
    let (_, words) = lab.try_sh("a", &fill(8));
    assert!(words.contains("ork"), "a fork that fails: {words}");
    let peak = usage(&lab, "a")["pids_peak"].as_u64();
    assert!(peak.is_none_or(|peak| peak == 5), "{peak:?}");
    lab.sh("a", "true");
}

#[test]
fn a_node_gets_its_cpu_quota_and_is_seen_to_be_throttled() {
    let scenario = "topology: { nodes: { a: { limits: { cpu: 0.2 } }, b: } }\n";
    let name = "a_node_gets_its_cpu_quota_and_is_seen_to_be_throttled";
    let Some(lab) = lab(name, scenario) else { return };
    lab.ok(&["deploy"]);
    let (mut used, seconds) = spun(&lab.sh("a", "python3 spin.py 2"));
    assert!(used < most(0.2, seconds), "{used} s of CPU time in {seconds} s with a quota of 0.2");
    assert!(used > 0.1, "{used} s of CPU time is hardly any");
    // Where others leave it less than its quota, it is not throttled for a while.
    eventually("the node is throttled", || {
        let usage = usage(&lab, "a");
        let is_throttled =
            ["throttled", "throttled_ns"].iter().all(|of| usage[of].as_u64().unwrap() > 0);
        if !is_throttled {
            used += spun(&lab.sh("a", "python3 spin.py 1")).0;
        }
        is_throttled
    });
    let usage = usage(&lab, "a");
    let table = lab.ok(&["inspect"]);
    assert!(table.contains("throttled") && table.contains("cpu 0.2"), "{table}");
    // By the kernel's clock, what it was started with included.
    let cpu = usage["cpu_ns"].as_u64().unwrap() as f64 / 1e9;
    assert!(cpu >= used - 0.03 && cpu < used + 0.6, "{cpu} and {used}");
}

#[test]
fn a_throttled_node_is_no_contention() {
    // So little that a loaded machine leaves it more.
    let scenario = "topology: { nodes: { a: { limits: { cpu: 0.03 } }, b: } }\n\
        processes: [{ name: spin, node: a, command: python3 spin.py 1 }]\n";
    let Some(lab) = lab("a_throttled_node_is_no_contention", scenario) else { return };
    lab.netloom(&["run", "-o", "results"]);
    let file = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&file).unwrap();
    assert!(summary["usage"]["a"]["throttled"].as_u64().unwrap() > 0, "{}", summary["usage"]);
    for finding in summary["verdict"]["findings"].as_array().unwrap() {
        let is_wait = ["pressure", "run_queue"].iter().any(|signal| finding["signal"] == *signal);
        assert!(!(is_wait && finding["on"].to_string().contains("\"a\"")), "{finding}");
    }
}

#[test]
fn a_group_and_the_experiment_are_limited_as_a_whole() {
    let scenario = "topology:\n  \
        total_limits: { pids: 40 }\n  \
        groups: { slow: { members: [a, b], total_limits: { cpu: 0.2 }, limits: { cpu: \
        0.15 } } }\n  \
        nodes: { a: , b: , c: }\n";
    let name = "a_group_and_the_experiment_are_limited_as_a_whole";
    let Some(lab) = lab(name, scenario) else { return };
    lab.ok(&["deploy"]);
    let began = std::time::Instant::now();
    let used: f64 = std::thread::scope(|scope| {
        let spin = |node| {
            let lab = &lab;
            scope.spawn(move || spun(&lab.sh(node, "python3 spin.py 1")))
        };
        let both = [spin("a"), spin("b")];
        both.into_iter().map(|thread| thread.join().unwrap().0).sum()
    });
    // Each alone may have three quarters of it.
    let seconds = began.elapsed().as_secs_f64();
    assert!(used < most(0.2, seconds), "{used} s of CPU time in {seconds} s with 0.2 for both");
    assert!(used > 0.1, "{used} s of CPU time is hardly any");
    let fill = "for i in $(seq 60); do sleep 3 & done 2>&1; wait";
    let (_, words) = lab.try_sh("c", fill);
    assert!(words.contains("ork"), "a fork that fails: {words}");
    assert!(!cgroups(&lab).is_empty());
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
    assert_eq!(cgroups(&lab), Vec::<PathBuf>::new());
}

#[test]
fn a_killed_engine_leaves_limits_that_cleanup_removes() {
    let scenario = "topology: { total_limits: { memory: 200MiB }, nodes: { a: { limits: { cpu: 1, \
        pids: 9 } } } }\n";
    let name = "a_killed_engine_leaves_limits_that_cleanup_removes";
    let Some(lab) = lab(name, scenario) else { return };
    for _ in 0..2 {
        lab.ok(&["deploy"]);
        lab.sh("a", "true");
        kill(lab.engine_pid(), Signal::SIGKILL);
        eventually("the engine is gone", || {
            text(&lab.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
        });
        assert!(!cgroups(&lab).is_empty());
        lab.ok(&["cleanup", &lab.name]);
        assert_eq!(cgroups(&lab), Vec::<PathBuf>::new());
        assert_eq!(lab.remains(), [""; 0]);
    }
}

#[test]
fn usage_is_shown_without_limits_too() {
    let lab = Lab::new("topology: { nodes: { a: } }\n");
    lab.ok(&["deploy"]);
    assert_eq!(usage(&lab, "a"), Value::Null);
    lab.sh("a", "true");
    if takes_root("usage_is_shown_without_limits_too", "ordinary users have no control groups") {
        let usage = usage(&lab, "a");
        assert!(usage["cpu_ns"].as_u64().unwrap() > 0, "{usage}");
        assert_eq!(usage["pids"], 0, "{usage}");
    }
}

#[test]
fn an_ordinary_user_is_refused_before_anything_is_made() {
    let lab = Lab::new("topology: { nodes: { a: { limits: { memory: 64MiB } } } }\n");
    if nix::unistd::geteuid().is_root() {
        let table = text(&lab.netloom(&["doctor"]).stdout);
        for controller in ["cpu", "memory", "pids"] {
            let line = format!("limits: {controller}: enforced by control groups");
            assert!(table.contains(&line), "{table}");
        }
        return;
    }
    let (_, words) = lab.fails(&["deploy"]);
    for part in ["cannot enforce the limits", "run NetLoom as root", "nothing was made"] {
        assert!(words.contains(part), "{words}");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

/// A control group with a limit on memory; gone when dropped.
struct Limited(PathBuf);

impl Limited {
    fn new(name: &str, bytes: u64) -> Self {
        let one = PathBuf::from("/sys/fs/cgroup/memory");
        let (top, limit) = match one.join("memory.limit_in_bytes").exists() {
            true => (one, "memory.limit_in_bytes"),
            false => ("/sys/fs/cgroup".into(), "memory.max"),
        };
        let group = top.join(name);
        fs::create_dir(&group).unwrap();
        fs::write(group.join(limit), bytes.to_string()).unwrap();
        Self(group)
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        // Its last process may have ended just now.
        eventually("the control group is empty", || fs::remove_dir(&self.0).is_ok());
    }
}

/// Sends datagrams as fast as it can until it is ended.
const FLOOD: &str = "\
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for _ in range(100):
        try: s.sendto(b'x' * 1400, (sys.argv[2], 9))
        except OSError: pass
";

#[test]
fn an_engine_with_little_memory_loses_frames_and_not_its_life() {
    let link = "{ endpoints: ['a:eth1', 'b:eth1'], delay: 60s }";
    let Some(lab) = lab(
        "an_engine_with_little_memory_loses_frames_and_not_its_life",
        &format!(
            "topology:
  nodes: {{ a: {{ ipv6: none }}, b: {{ ipv6: none }} }}
  links: [{link}]
processes: [{{ name: flood, node: a, command: \"ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:99 dev \
eth1; \
             exec python3 flood.py 8 10.0.0.2\" }}]
"
        ),
    ) else {
        return;
    };
    fs::write(lab.path("flood.py"), FLOOD).unwrap();
    let group = Limited::new(&format!("netloom-test-{}", lab.name), 160 << 20);
    let inside = format!("echo $$ > {}/cgroup.procs; ", group.0.display());
    let output = through_a_shell(&lab, &format!("{inside}exec {} run -o results", common::NETLOOM));
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}");
    let summary = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let lost = &summary["timing"]["unmodelled_drops"];
    assert!(lost["no_memory"].as_u64() > Some(0), "the limit was never met: {lost}");
}

#[test]
fn the_kernel_spares_the_engine_and_not_what_runs_in_nodes() {
    let lab = Lab::new("topology: { nodes: { a: } }\n");
    // To be ready to die sooner than others is always permitted.
    let deploy = format!("echo 300 > /proc/self/oom_score_adj; exec {} deploy", common::NETLOOM);
    assert!(through_a_shell(&lab, &deploy).status.success());
    let score = |text: &str| text.trim().parse::<i32>().unwrap();
    let engine = fs::read_to_string(format!("/proc/{}/oom_score_adj", lab.engine_pid())).unwrap();
    let node = lab.sh("a", "cat /proc/self/oom_score_adj");
    assert!([0, -900].contains(&score(&engine)), "{engine}");
    assert_eq!(score(&node), 300);
}

/// Returns the outcome of this shell line, run in the lab's folder.
fn through_a_shell(lab: &Lab, line: &str) -> std::process::Output {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]).current_dir(&lab.directory).stdin(std::process::Stdio::null());
    let as_ever = lab.command(&[]);
    shell.envs(as_ever.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.output().unwrap()
}
