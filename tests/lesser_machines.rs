//! A run works on a machine that permits less, and its verdict names what could not be seen.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread;

use common::{Lab, NETLOOM, takes_root, text};
use nix::libc::{EINVAL, EPERM, SYS_bpf};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::Value;

const NOTHING: Option<&str> = None;

/// Runs `test` on a thread of its own, on which `lessen` was called before: what that takes away,
/// all that the thread starts lacks too.
fn on_a_lesser_machine(lessen: impl FnOnce() + Send, test: impl FnOnce() + Send) {
    let outcome = thread::scope(|scope| {
        let both = || {
            lessen();
            test();
        };
        scope.spawn(both).join()
    });
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

/// The calling thread sees mounts of its own; what is mounted elsewhere comes and goes here too.
fn own_mounts() {
    unshare(CloneFlags::CLONE_NEWNS).unwrap();
    mount(NOTHING, "/", NOTHING, MsFlags::MS_SLAVE | MsFlags::MS_REC, NOTHING).unwrap();
}

fn cgroup2() -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    let mount = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    mount.split(' ').nth(4).map(Into::into)
}

/// The verdict of a short run, which must succeed and leave nothing.
fn verdict() -> Value {
    let lab = Lab::new(
        "topology:
  nodes: { a: , b: }
  links: [{ endpoints: ['a:eth1', 'b:eth1'], delay: 1ms }]
processes: [{ name: ping, node: a, command: ping -n -i 0.1 -c 15 b }]
",
    );
    let output = lab.netloom(&["run", "-o", "results"]);
    let words = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{words}");
    assert_eq!(lab.remains(), [""; 0]);
    let file = fs::read_to_string(lab.path("results/summary.json")).unwrap();
    serde_json::from_str::<Value>(&file).unwrap()["verdict"].take()
}

/// Whether a signal was observed, by which probes, and what they could not see.
fn coverage(verdict: &Value, signal: &str) -> (bool, Vec<String>, String) {
    let mut all = verdict["coverage"].as_array().unwrap().iter();
    let coverage = all.find(|coverage| coverage["signal"] == signal).unwrap();
    let words =
        |key: &str| -> Vec<String> { serde_json::from_value(coverage[key].clone()).unwrap() };
    (coverage["observed"].as_bool().unwrap(), words("probes"), words("blind_spots").join("; "))
}

/// Whether the verdict holds it against the run that something was not observed.
fn is_held_against(verdict: &Value) -> bool {
    let signals = verdict["signals"].as_array().unwrap();
    // That nobody was seen to wait is, where there was something to wait for.
    let is_contended = |signal: &str| {
        let is_it = |of: &&Value| of["signal"] == signal && !of["shares"].to_string().eq("[]");
        signals.iter().any(|of| is_it(&of))
    };
    let explained = ["cpu", "memory_in", "memory_out", "disk"].into_iter().any(is_contended);
    verdict["findings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|finding| finding["on"].is_null() && (finding["about"] == "links" || !explained))
}

/// The kernel answers every bpf(2) with this error.
fn forbid_bpf(errno: i32) {
    let rules = BTreeMap::from([(SYS_bpf, vec![])]);
    let refuse = SeccompAction::Errno(errno as u32);
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture);
    let program: BpfProgram = filter.unwrap().try_into().unwrap();
    apply_filter(&program).unwrap();
}

#[test]
fn without_the_right_to_load_programs_the_kernels_files_are_polled() {
    on_a_lesser_machine(
        || forbid_bpf(EPERM),
        || {
            let verdict = verdict();
            for (signal, probe) in [
                ("cpu", "/proc/stat"),
                ("disk", "/proc/diskstats"),
                ("run_queue", "/proc/PID/schedstat"),
            ] {
                let (observed, probes, blind) = coverage(&verdict, signal);
                assert!(observed && probes == [probe], "{signal}: {probes:?}");
                assert!(blind.contains("eBPF") && blind.contains("CAP_BPF"), "{signal}: {blind}");
            }
            assert!(!is_held_against(&verdict), "{verdict}");
        },
    );
}

#[test]
fn without_psi_nobody_is_seen_to_stand_still() {
    if !common::takes_root("without_psi_nobody_is_seen_to_stand_still", "it mounts over files") {
        return;
    }
    let mask = || {
        own_mounts();
        if fs::exists("/proc/pressure").unwrap() {
            let flags = MsFlags::empty();
            mount(Some("none"), "/proc/pressure", Some("tmpfs"), flags, NOTHING).unwrap();
        }
    };
    on_a_lesser_machine(mask, || {
        let verdict = verdict();
        let (observed, probes, blind) = coverage(&verdict, "pressure");
        assert!(!observed && probes.is_empty(), "{probes:?}");
        assert!(blind.contains("no PSI"), "{blind}");
        assert!(!is_held_against(&verdict), "{verdict}");
    });
}

fn without_cgroups(lessen: impl FnOnce(&str) + Send) {
    let lessen = || {
        // An ordinary user's nodes have no cgroups as it is.
        if !nix::unistd::geteuid().is_root() {
            return;
        }
        own_mounts();
        if let Some(cgroup2) = cgroup2() {
            lessen(&cgroup2);
        }
    };
    on_a_lesser_machine(lessen, || {
        let verdict = verdict();
        let (_, _, blind) = coverage(&verdict, "pressure");
        let machine_only = "nodes have no cgroups: only the whole machine is seen";
        assert!(blind.contains(machine_only) || blind.contains("no PSI"), "{blind}");
        let (_, probes, blind) = coverage(&verdict, "memory_in");
        assert_eq!(probes, ["/proc/vmstat"]);
        assert!(blind.contains("not delegated"), "{blind}");
        assert!(!is_held_against(&verdict), "{verdict}");
    });
}

#[test]
fn where_cgroups_may_not_be_made_the_machine_is_watched_instead_of_nodes() {
    without_cgroups(|cgroup2| {
        let flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
        mount(NOTHING, cgroup2, NOTHING, flags, NOTHING).unwrap();
    });
}

#[test]
fn where_there_are_no_cgroups_the_machine_is_watched_instead_of_nodes() {
    without_cgroups(|cgroup2| umount2(cgroup2, MntFlags::MNT_DETACH).unwrap());
}

#[test]
fn a_full_disk_is_reported_as_such() {
    if !takes_root("a_full_disk_is_reported_as_such", "a file system of a test's own is mounted") {
        return;
    }
    let lab = Lab::pair("");
    let state = lab.path("state");
    fs::create_dir(&state).unwrap();
    let small = || {
        own_mounts();
        // Two pages: the number and the start of the engine, and nothing else.
        mount(Some("tmpfs"), &state, Some("tmpfs"), MsFlags::empty(), Some("size=8k,mode=700"))
            .unwrap();
    };
    on_a_lesser_machine(small, || {
        let output = lab.command(&["deploy"]).env("NETLOOM_STATE_DIR", &state).output().unwrap();
        let words = text(&output.stderr);
        assert!(!output.status.success());
        assert!(words.contains("No space left on device") && words.contains("`df -h`"), "{words}");
        assert!(!words.contains("max_net_namespaces"), "{words}");
        assert_eq!(fs::read_dir(&state).unwrap().count(), 0, "{words}");
    });
}

/// Lessens a machine in a network namespace of its own, so that nothing happens to the machine's
/// own network.
fn beside_the_network(lessen: impl FnOnce() + Send) -> impl FnOnce() + Send {
    || {
        unshare(CloneFlags::CLONE_NEWNET).unwrap();
        lessen();
    }
}

/// A claim is refused where something is missing: with exit code 2, its name, and nothing left.
fn cannot_shape(test: &str, lessen: impl FnOnce() + Send, missing: &str) {
    if !takes_root(test, "it shapes a host's traffic") {
        return;
    }
    let lab = Lab::new("");
    on_a_lesser_machine(beside_the_network(lessen), || {
        let state = lab.path("state");
        let words = ["add", "web", "--client", "tcp/9", "--interface", "lo", "--both", "delay=1ms"];
        let mut command = lab.command(&["shape", "--state"]);
        let output = command.arg(&state).args(words).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(missing), "{said}");
        assert!(!state.exists(), "{said}");
    });
}

#[test]
fn the_doctor_says_what_shaping_lacks() {
    on_a_lesser_machine(
        || forbid_bpf(EPERM),
        || {
            let said = text(&Lab::new("").netloom(&["doctor"]).stdout);
            let line = said.lines().find(|line| line.contains(" shape: ")).unwrap();
            assert!(line.starts_with("note") && line.contains("CAP_BPF"), "{line}");
        },
    );
}

fn hide_tun() {
    own_mounts();
    mount(Some("none"), "/dev/net", Some("tmpfs"), MsFlags::empty(), NOTHING).unwrap();
}

#[test]
fn without_taps_nothing_is_shaped() {
    cannot_shape("without_taps_nothing_is_shaped", hide_tun, "/dev/net/tun cannot be opened");
}

#[test]
fn without_rights_nothing_is_shaped() {
    cannot_shape("without_rights_nothing_is_shaped", || forbid_bpf(EPERM), "CAP_BPF");
}

#[test]
fn without_programs_for_tc_nothing_is_shaped() {
    let name = "without_programs_for_tc_nothing_is_shaped";
    cannot_shape(name, || forbid_bpf(EINVAL), "CONFIG_NET_CLS_BPF");
}

/// A shell does nothing where something is missing: exit code 2, its name, and nothing left. It is
/// started by the command `by`.
fn cannot_have_a_shell(test: &str, lessen: impl FnOnce() + Send, by: &[&str], missing: &str) {
    if !takes_root(test, "it takes things from a machine") {
        return;
    }
    let lab = Lab::new("");
    on_a_lesser_machine(beside_the_network(lessen), || {
        let mut command = Command::new(by[0]);
        command.args(&by[1..]).args([NETLOOM, "shell", "--name", &lab.name, "--offline", "--"]);
        let output = command.arg("true").env("NETLOOM_PROFILE", lab.profile()).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(missing), "{said}");
        assert_eq!(lab.remains(), [""; 0]);
    });
}

#[test]
fn without_taps_there_is_no_shell() {
    cannot_have_a_shell("without_taps_there_is_no_shell", hide_tun, &["env"], "/dev/net/tun");
}

#[test]
fn without_rights_there_is_no_shell() {
    let without = ["setpriv", "--bounding-set", "-net_admin,-sys_admin"];
    cannot_have_a_shell("without_rights_there_is_no_shell", || (), &without, "SYS_ADMIN");
}
