//! `kill -9` of the engine at any point, then `netloom cleanup`: nothing is left.

mod common;

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use common::{Lab, eventually, kill, text};
use nix::sys::signal::Signal;

/// Twenty nodes in a ring: enough for a kill to fall between any two steps.
fn ring() -> Lab {
    let nodes: Vec<String> = (0..20).map(|i| format!("n{i}: {{ kind: router }}")).collect();
    let links: Vec<String> =
        (0..20).map(|i| format!("    - {{ endpoints: [n{i}, n{}] }}\n", (i + 1) % 20)).collect();
    Lab::new(&format!(
        "topology:\n  nodes: {{ {} }}\n  links:\n{}",
        nodes.join(", "),
        links.concat()
    ))
}

/// The engine's process id, read from its state directory: it may not answer yet.
fn engine_pid(lab: &Lab) -> Option<i32> {
    let file = common::state(&lab.name).join("engine.pid");
    std::fs::read_to_string(file).ok()?.parse().ok()
}

#[test]
fn a_kill_during_the_start_leaves_nothing() {
    for milliseconds in [0, 2, 5, 10, 20, 40, 80, 160] {
        let lab = ring();
        let mut client =
            lab.command(&["deploy"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("the engine has a process id", || engine_pid(&lab).is_some());
        std::thread::sleep(Duration::from_millis(milliseconds));
        // The start may be over already, or the client may clean up at once: both are fine.
        if let Some(pid) = engine_pid(&lab) {
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
        }
        client.wait().unwrap();
        lab.ok(&["cleanup", &lab.name]);
        assert_eq!(lab.remains(), [""; 0], "killed after {milliseconds} ms");
        lab.ok(&["deploy"]);
        lab.ok(&["destroy", &lab.name]);
        assert_eq!(lab.remains(), [""; 0]);
    }
}

#[test]
fn a_kill_while_it_runs_leaves_nothing() {
    let lab = ring();
    lab.ok(&["deploy"]);
    // A process, one that has left its session, and one that came in from outside.
    lab.sh("n0", "setsid sleep 987652 </dev/null >/dev/null 2>&1 &");
    let node = format!("n1@{}", lab.name);
    let mut exec = lab.command(&["exec", &node, "--", "sleep", "987651"]).spawn().unwrap();
    let root = common::has_ip_netns("a_kill_while_it_runs_leaves_nothing");
    let outside = root.then(|| {
        std::process::Command::new("ip")
            .args(["netns", "exec", &format!("{}.n2", lab.name), "sleep", "987650"])
            .spawn()
            .unwrap()
    });
    eventually("the command runs", || lab.sh("n1", "ps ax").contains("987651"));
    kill(lab.engine_pid(), Signal::SIGKILL);
    exec.wait().unwrap();
    eventually("the engine is gone", || {
        text(&lab.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
    });
    assert!(!lab.remains().is_empty());
    let (_, error) = lab.fails(&["exec", &node, "--", "true"]);
    assert!(error.contains(&format!("netloom cleanup {}", lab.name)), "{error}");
    let removed = lab.ok(&["cleanup", &lab.name]);
    // An ordinary user's namespaces have gone by themselves.
    assert!(removed.contains(if root { "namespace" } else { "state directory" }), "{removed}");
    assert_eq!(lab.remains(), [""; 0]);
    if let Some(mut outside) = outside {
        outside.wait().unwrap();
    }
    assert_eq!(lab.ok(&["cleanup", &lab.name]), format!("{}: nothing was left\n", lab.name));
}

#[test]
fn a_kill_during_the_end_leaves_nothing() {
    for milliseconds in [0, 5, 20, 60] {
        let lab = ring();
        lab.ok(&["deploy"]);
        let pid = lab.engine_pid();
        let mut client = lab
            .command(&["destroy", &lab.name])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        // It may have ended by itself.
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL);
        client.wait().unwrap();
        lab.ok(&["cleanup", &lab.name]);
        assert_eq!(lab.remains(), [""; 0], "killed after {milliseconds} ms");
    }
}

#[test]
fn the_next_start_removes_what_a_dead_engine_left() {
    let lab = ring();
    lab.ok(&["deploy"]);
    kill(lab.engine_pid(), Signal::SIGKILL);
    let output = lab.netloom(&["deploy"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("cleaned up after an engine"),
        "{}",
        text(&output.stderr)
    );
    lab.sh("n0", "ping -n -c 1 -W 2 n10");
}

#[test]
fn cleanup_does_not_touch_the_living() {
    let (dead, living) = (Lab::pair(""), Lab::pair(""));
    dead.ok(&["deploy"]);
    living.ok(&["deploy"]);
    kill(dead.engine_pid(), Signal::SIGKILL);
    eventually("the engine is gone", || {
        text(&dead.netloom(&["inspect", "--all"]).stdout).contains("engine has died")
    });
    let (_, error) = living.fails(&["cleanup", &living.name]);
    assert!(error.contains("is running"), "{error}");
    dead.ok(&["cleanup", &dead.name]);
    assert_eq!(dead.remains(), [""; 0]);
    living.sh("a", "ping -n -c 1 -W 2 b");
}

#[test]
fn a_stopped_engine_is_killed_by_cleanup_with_force() {
    let lab = Lab::pair("");
    lab.ok(&["deploy"]);
    kill(lab.engine_pid(), Signal::SIGSTOP);
    lab.ok(&["cleanup", "--force", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
}

/// Experiments of a test that names none when it cleans up: below a state directory of its own,
/// where no other test's are.
struct Apart {
    labs: Vec<Lab>,
    state: PathBuf,
}

impl Apart {
    /// These experiments, deployed; in the order in which `cleanup` comes to them.
    fn deployed(mut labs: Vec<Lab>) -> Self {
        labs.sort_by(|a, b| a.name.cmp(&b.name));
        let state = labs[0].path("state");
        let apart = Self { labs, state };
        for lab in &apart.labs {
            apart.deploy(lab);
        }
        apart
    }

    fn deploy(&self, lab: &Lab) {
        let output = self.netloom(lab, &["deploy"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }

    fn netloom(&self, lab: &Lab, arguments: &[&str]) -> Output {
        lab.command(arguments).env("NETLOOM_STATE_DIR", &self.state).output().unwrap()
    }

    fn engine(&self, lab: &Lab) -> i32 {
        let file = self.state.join(&lab.name).join("engine.pid");
        std::fs::read_to_string(file).unwrap().parse().unwrap()
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        for lab in &self.labs {
            let output = self.netloom(lab, &["cleanup", "--force", &lab.name]);
            let succeeded = output.status.success() || std::thread::panicking();
            assert!(succeeded, "{}", text(&output.stderr));
        }
    }
}

#[test]
fn cleanup_waits_for_an_engine_that_is_being_taken_apart() {
    // Each descriptor of a device takes the kernel its time.
    let apart = Apart::deployed(vec![ring()]);
    let lab = &apart.labs[0];
    for round in 0..8 {
        if round > 0 {
            apart.deploy(lab);
        }
        kill(apart.engine(lab), Signal::SIGKILL);
        let output = apart.netloom(lab, &["cleanup"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let printed = text(&output.stdout);
        assert!(printed.contains(&format!("{}: removed", lab.name)), "{printed}");
        assert!(!apart.state.join(&lab.name).exists());
        assert_eq!(lab.remains(), [""; 0]);
    }
}

#[test]
fn cleanup_says_what_it_leaves_to_whom() {
    let apart = Apart::deployed(vec![Lab::pair("")]);
    let lab = &apart.labs[0];
    let output = apart.netloom(lab, &["cleanup"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let pid = apart.engine(lab);
    let words = format!("{}: left to its engine (pid {pid}), which runs", lab.name);
    assert!(text(&output.stdout).contains(&words), "{}", text(&output.stdout));
}

/// Stopped, so that it does not end, with a lock that is lost: its experiment cannot be cleaned up.
fn stop_without_lock(apart: &Apart, lab: &Lab) {
    kill(apart.engine(lab), Signal::SIGSTOP);
    std::fs::remove_file(apart.state.join(&lab.name).join("lock")).unwrap();
}

/// Kills an engine and waits until it has ended. Without a lock, nothing else shows that it has.
fn end(engine: i32) {
    kill(engine, Signal::SIGKILL);
    eventually("the engine has ended", || {
        let stat = std::fs::read_to_string(format!("/proc/{engine}/stat"));
        stat.map_or(true, |stat| stat.contains(") Z "))
    });
}

#[test]
fn one_that_cannot_be_cleaned_up_does_not_keep_others() {
    for arguments in [["cleanup"].as_slice(), &["destroy", "--all"]] {
        let apart = Apart::deployed((0..3).map(|_| Lab::pair("")).collect());
        let [first, second, dead] = apart.labs.as_slice() else { unreachable!() };
        stop_without_lock(&apart, first);
        kill(apart.engine(dead), Signal::SIGKILL);

        let output = apart.netloom(first, arguments);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        let error = text(&output.stderr);
        assert!(
            error.contains(&format!("the engine of `{}` has lost its lock", first.name)),
            "{error}"
        );
        assert!(!apart.state.join(&dead.name).exists(), "{}", text(&output.stdout));
        eventually("nothing remains", || dead.remains().is_empty());
        // `cleanup` leaves the second to its engine; `destroy` ends it.
        assert_eq!(apart.state.join(&second.name).exists(), arguments[0] == "cleanup");

        if arguments[0] == "cleanup" {
            // Both are named where there are two.
            stop_without_lock(&apart, second);
            let error = text(&apart.netloom(first, arguments).stderr);
            assert!(error.contains("2 experiments could not be cleaned up"), "{error}");
            assert!(error.contains(&first.name) && error.contains(&second.name), "{error}");
            end(apart.engine(second));
        }
        end(apart.engine(first));
    }
}

#[test]
fn an_engine_ends_when_its_state_directory_is_removed() {
    for file in ["", "lock"] {
        let lab = Lab::pair("");
        lab.ok(&["deploy"]);
        lab.sh("a", "true");
        let (pid, path) = (lab.engine_pid(), common::state(&lab.name).join(file));
        match file {
            "" => std::fs::remove_dir_all(path).unwrap(),
            _ => std::fs::remove_file(path).unwrap(),
        }
        eventually("the engine has ended", || {
            !std::fs::read_to_string(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|words| words.contains("__engine"))
        });
        lab.ok(&["cleanup", &lab.name]);
        eventually("nothing remains", || lab.remains().is_empty());
        lab.ok(&["deploy"]);
        lab.sh("a", "ping -n -c 1 -W 2 b");
        lab.ok(&["destroy", &lab.name]);
    }
}

#[test]
fn a_run_whose_state_directory_is_removed_keeps_its_results() {
    let lab = Lab::new("duration: 60s\ntopology:\n  nodes: { a: }\n");
    let mut run = lab.command(&["run", "-o", "results"]);
    let client = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let state = common::state(&lab.name);
    eventually("it runs", || {
        let events = std::fs::read_to_string(lab.path("results/events.jsonl"));
        events.is_ok_and(|events| events.contains("running"))
    });
    let socket = format!("{}", state.join("api.sock").display());
    let sockets = || std::fs::read_to_string("/proc/net/unix").unwrap().matches(&socket).count();
    // The one that listens, and one that the client follows the run by.
    eventually("the client is connected", || sockets() > 1);
    std::thread::sleep(Duration::from_millis(500));
    eventually("the client is connected for good", || sockets() > 1);
    std::fs::remove_dir_all(state).unwrap();
    let output = client.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let summary = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    assert!(summary.contains("state_gone"), "{summary}");
    eventually("nothing remains", || lab.remains().is_empty());
}

#[test]
fn a_run_goes_on_without_the_names_of_its_namespaces() {
    if !common::has_ip_netns("a_run_goes_on_without_the_names_of_its_namespaces") {
        return;
    }
    let lab = Lab::new(
        "duration: 4s\ntopology:\n  nodes: { a: , b: }\n  \
         links: [{ endpoints: [a, b], delay: 1ms }]\n\
         processes: [{ name: ping, node: a, command: ping -n -i 0.2 -c 12 b }]\n",
    );
    let mut run = lab.command(&["run", "-o", "results"]);
    let client = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("it runs", || {
        let events = std::fs::read_to_string(lab.path("results/events.jsonl"));
        events.is_ok_and(|events| events.contains("running"))
    });
    let name = format!("{}.a", lab.name);
    let deleted = std::process::Command::new("ip").args(["netns", "del", &name]).status();
    assert!(deleted.unwrap().success());
    let output = client.wait_with_output().unwrap();
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}");
    let warned = format!("the name of a's network namespace, /run/netns/{name}, has gone");
    assert!(words.contains(&warned), "{words}");
    let summary = std::fs::read_to_string(lab.path("results/summary.json")).unwrap();
    assert!(summary.contains("\"verdict\": {"), "{summary}");
    assert!(lab.path("results/pipes.parquet").exists());
    assert_eq!(lab.remains(), [""; 0]);
}
